// projections.h: which tensors of a model make or scale queries and keys, by their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace posenc::cli {

// Modules of many families; a tensor belongs to one when a part of its name between dots is that.
// Norms of queries and keys are among them: their gains move with what they scale.
inline constexpr const char* query_modules =
    "q_proj,q_b_proj,wq,attn_q,attn_q_b,query,query_proj,to_q,q,"
    "q_norm,q_layernorm,query_layernorm,attn_q_norm,norm_q";
inline constexpr const char* key_modules =
    "k_proj,kv_a_proj_with_mqa,wk,attn_k,attn_kv_a_mqa,key,key_proj,to_k,k,"
    "k_norm,k_layernorm,key_layernorm,attn_k_norm,norm_k";

// Where the name of a tensor says it belongs: "model.layers.0.self_attn." and "q_proj".
struct ModuleName {
  std::string layer, module;
};
std::optional<ModuleName> find_module(const std::string& name, const std::string& modules);

// A module that makes keys and something else beside: DeepSeek's latent attention, whose last rows
// are one key for all heads.
bool makes_shared_key(const std::string& module);

// Whether a part of the name is a module that makes queries, keys and values, or the last two, in
// one.
bool is_fused(const std::string& name);

// Whether a module beside those of queries and keys looks as if it had to move with them.
bool may_move(const std::string& module);

}  // namespace posenc::cli
