// rope_sizes.cc: the sizes of a model by all the names they have.
#include <algorithm>

#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

constexpr int64_t most_layers = 1 << 16;

int64_t size_of(const Config& config, Config::Names names, int64_t supplied,
                std::string_view what) {
  return supplied > 0 && !config.has(names) ? config.whole(names, supplied, by_class)
                                            : config.needed(names, what);
}

// Engines take one or the other.
void tell_longer(const Config& config, int64_t length) {
  const auto other = config.compared("model_max_length");  // transformers writes 1e30 for none
  if (other && *other > static_cast<double>(length) && *other < 0x1p40)
    config.conflict("model_max_length = " + text::write(*other) +
                    " and a shorter max_position_embeddings = " + std::to_string(length) +
                    ": transformers takes the shorter, vLLM the longer");
}

}  // namespace

bool is_written(const Json& object, std::string_view key) {
  const auto* members = object.object();
  return members && std::any_of(members->begin(), members->end(),
                                [&](const auto& member) { return member.first == key; });
}

int64_t width_of(const Config& config, const ClassSizes& sizes) {
  return size_of(config, {"hidden_size", "n_embd", "d_model", "dim", "embedding_dim"}, sizes.width,
                 "the model's width");
}

int64_t heads_of(const Config& config, const ClassSizes& sizes) {
  return size_of(config, {"num_attention_heads", "n_head", "n_heads", "num_heads"}, sizes.heads,
                 "the number of heads");
}

int64_t layers_of(const Config& config, const ClassSizes& sizes) {
  const int64_t out = size_of(config, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"},
                              sizes.layers, "the number of layers");
  if (out > most_layers) config.fail("num_hidden_layers of at most ", most_layers, ", got ", out);
  return out;
}

int64_t head_dim_of(const Config& config, const ClassSizes& sizes) {
  const Config::Names names{"head_dim", "kv_channels", "attention_head_dim", "dim_head", "d_head"};
  if (config.has(names)) return config.needed(names, "the size of a head");
  if (sizes.head > 0 && !is_written(config, "head_dim"))
    return config.whole({"head_dim"}, sizes.head, by_class);
  const int64_t width = width_of(config, sizes), heads = heads_of(config, sizes);
  if (width < heads) config.fail("hidden_size of at least the heads, got ", width, " and ", heads);
  if (width % heads != 0)
    config.conflict("hidden_size = " + std::to_string(width) + " is no multiple of " +
                    std::to_string(heads) + " heads: the size of a head is rounded down");
  return width / heads;
}

std::optional<int64_t> length_of(const Config& config, const ClassSizes& sizes) {
  const Config::Names names{"max_position_embeddings", "n_positions", "max_seq_len",
                            "max_sequence_length", "n_ctx"};
  if (config.has(names)) {
    const int64_t out = config.needed(names, "the longest text");
    tell_longer(config, out);
    return out;
  }
  for (const std::string_view other : {"seq_length", "model_max_length", "max_length"})
    if (config.has(other)) return config.needed({other}, "the longest text");
  if (sizes.length > 0) return config.whole(names, sizes.length, by_class);
  return {};
}

void set_fact(Component& component, std::string_view name, Value value) {
  for (auto& [known, old] : component.facts)
    if (known == name) return void(old = std::move(value));
  component.facts.emplace_back(name, std::move(value));
}

}  // namespace posenc::model
