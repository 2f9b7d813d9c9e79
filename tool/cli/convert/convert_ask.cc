// convert_ask.cc: what the configuration and the names of tensors say of a model to be converted.
#include <filesystem>
#include <set>

#include "cli/convert/convert_layout.h"
#include "model/config.h"

namespace posenc::cli {
namespace {

const Rope* rope_of(const model::Component& part) {
  return part.ready && part.where.starts_with("text") ? std::get_if<Rope>(&*part.ready) : nullptr;
}

// The one span and layout of a model's text layers that turn.
const model::Component& turning_part(const model::Model& model, const std::string& in) {
  const model::Component* out = nullptr;
  for (const auto& part : model.components) {
    const Rope* rope = rope_of(part);
    if (!rope) continue;
    if (out && (rope->layout != rope_of(*out)->layout || rope->dim != rope_of(*out)->dim ||
                rope->rotary_dim != rope_of(*out)->rotary_dim))
      refuse("expected --from, --heads and --dim, because layers of ", in, " differ in them");
    out = &part;
  }
  if (!out) refuse("expected a model with rotary text layers in ", in, ", got none");
  return *out;
}

// Heads, as the configuration of a model or of its text counts them.
std::optional<int64_t> count_of(const files::Json& config, model::Config::Names names) {
  model::Journal journal;
  for (const char* inside : {"text_config", "llm_config", "language_config"})
    if (const files::Json* text = config.find(inside); text && text->object())
      if (const auto count = model::Config(*text, journal).whole(names)) return count;
  return model::Config(config, journal).whole(names);
}

}  // namespace

void ask_model(ConvertOptions& o) {
  const auto path = std::filesystem::path(o.in) / "config.json";
  if ((o.from && o.heads && o.dim) || !std::filesystem::exists(path)) return;
  const model::Model model = model::read(o.in);
  const model::Component& part = turning_part(model, o.in);
  const Rope& rope = *rope_of(part);
  const Value* still = part.find("qk_nope_head_dim");  // before the part that turns
  const int64_t more = still ? std::get<int64_t>(*still) : 0;
  if (!o.from) o.from = rope.layout;
  if (!o.dim) {
    o.dim = rope.dim + more, o.rotary_dim = rope.turning(), o.blocks = rope.blocks;
    o.rotary_offset = more > 0 ? -rope.turning() : rope.rotary_offset;
  }
  const files::Source source("convert", path.string());
  const files::Json config = files::parse_json("convert", source.text(0, source.size()));
  if (!o.heads) o.heads = count_of(config, {"num_attention_heads", "n_head", "n_heads"});
  if (!o.kv_heads && more == 0)
    o.kv_heads = count_of(
        config, {"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"});
}

namespace {

bool makes_no_text(const std::string& name) {
  for (const char* sign : {"vision", "visual", "image", "audio", "sam_", "qformer"})
    if (name.find(sign) != name.npos) return true;
  return false;
}

// "language_model.model." of "language_model.model.layers.0.self_attn.".
std::string before_layers(const std::string& layer) {
  for (size_t at = 0; at < layer.size();) {
    const size_t end = std::min(layer.find('.', at), layer.size());
    const std::string part = layer.substr(at, end - at);
    if (!part.empty() && part.find_first_not_of("0123456789") == part.npos) {
      const size_t list = at < 2 ? layer.npos : layer.rfind('.', at - 2);
      return list == layer.npos ? "" : layer.substr(0, list + 1);
    }
    at = end + 1;
  }
  return layer;
}

}  // namespace

std::string text_model(const Shards& shards, const ConvertOptions& options) {
  const std::string modules = options.queries.empty() ? query_modules : options.queries;
  std::set<std::string> text, others;
  for (const Shard& shard : shards)
    for (const files::Stored& tensor : shard.index.tensors)
      if (const auto place = find_module(tensor.name, modules))
        (makes_no_text(place->layer) ? others : text).insert(before_layers(place->layer));
  return text.size() == 1 && !others.empty() ? *text.begin() : "";
}

}  // namespace posenc::cli
