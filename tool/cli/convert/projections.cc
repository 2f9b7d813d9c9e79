// projections.cc: names of modules, as model families have them.
#include "cli/convert/projections.h"

#include <algorithm>

namespace posenc::cli {
namespace {

constexpr const char* shared_keys = "kv_a_proj_with_mqa,attn_kv_a_mqa";
constexpr const char* fused =
    "qkv_proj,query_key_value,c_attn,Wqkv,wqkv,W_pack,qkv,to_qkv,attn_qkv,in_proj,in_proj_weight,"
    "in_proj_bias,kv_proj,to_kv,wkv,key_value,attn_kv";
// Of latent attention: before the heads are made, and what makes the features that do not turn.
constexpr const char* unmoved =
    "q_a_proj,q_a_layernorm,q_a_norm,attn_q_a,attn_q_a_norm,k_b_proj,attn_k_b";
constexpr const char* beginnings[] = {"q_",      "k_",  "query_", "key_",   "attn_q_",
                                      "attn_k_", "wq_", "wk_",    "norm_q", "norm_k"};

bool has(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

}  // namespace

std::optional<ModuleName> find_module(const std::string& name, const std::string& modules) {
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (!part.empty() && has(modules, part)) return ModuleName{name.substr(0, at), part};
    at = end + 1;
  }
  return {};
}

bool makes_shared_key(const std::string& module) { return has(shared_keys, module); }

bool is_fused(const std::string& name) { return find_module(name, fused).has_value(); }

bool may_move(const std::string& module) {
  const auto begins = [&](const char* with) { return module.starts_with(with); };
  return !has(unmoved, module) && std::any_of(std::begin(beginnings), std::end(beginnings), begins);
}

}  // namespace posenc::cli
