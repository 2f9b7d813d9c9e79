// gguf_layers.cc: which layers of a GGUF file attend, turn, and see a window.
#include <algorithm>

#include "model/gguf/gguf_rules.h"

namespace posenc::model {
namespace {

constexpr int64_t most_gguf_layers = 4096;

const Json* list_of(const Config& config, std::string_view key) {
  const Json* json = config.json().find(key);
  return json && json->list() ? json : nullptr;
}

// One of each layer, as a list says; numbers and truth are the same here.
std::vector<int64_t> listed(const Config& config, std::string_view key, int64_t layers) {
  std::vector<int64_t> out;
  for (const Json& item : *config.json().find(key)->list()) {
    const auto* flag = std::get_if<bool>(&item.value);
    const auto* whole = std::get_if<int64_t>(&item.value);
    if (!flag && !whole) config.refuse(key, "whole numbers, or true and false", item);
    out.push_back(flag ? int64_t{*flag} : *whole);
  }
  if (std::ssize(out) < layers)
    fail(ErrorKind::data, "read", "expected ", layers, " values, one for each layer, in ",
         config.path(), key, ", got ", out.size());
  config.pass({key});
  return out;
}

// Layers that are counted, without those that predict further tokens.
int64_t count_of(const GgufReading& in) {
  const int64_t all = in.config().needed({"block_count"}, "how many layers there are");
  if (all > most_gguf_layers)
    fail(ErrorKind::data, "read", "expected at most ", most_gguf_layers, " layers, got ", all);
  const int64_t more = in.config().whole({"nextn_predict_layers"}).value_or(0);
  return more > 0 && more < all ? all - more : all;
}

bool slides(const GgufReading& in, int64_t layers) {
  if (!in.is.windows) return false;
  if (in.is.windows->layers > 0) return layers == in.is.windows->layers;
  const auto window = in.config().whole({"attention.sliding_window"});
  return window ? *window > 0 : in.is.windows->always;
}

std::vector<int64_t> sliding_of(const GgufReading& in, int64_t layers) {
  if (!slides(in, layers)) return std::vector<int64_t>(static_cast<size_t>(layers), 0);
  const GgufWindows& row = *in.is.windows;
  constexpr std::string_view key = "attention.sliding_window_pattern";
  if (list_of(in.config(), key)) return listed(in.config(), key, layers);
  const bool given = in.config().has(key);
  if (!given && row.period == 0)
    in.config().fail(key, ", a list of the layers that see a window, got none");
  const int64_t period =
      in.config().whole({key}, row.period, "one layer in this many sees the whole text");
  std::vector<int64_t> out(static_cast<size_t>(layers));
  for (int64_t i = 0; i < layers; ++i)
    out[static_cast<size_t>(i)] = period <= 0      ? 1
                                  : row.full_first ? i % period != 0
                                                   : i % period < period - 1;
  return out;
}

std::vector<int64_t> recurrent_of(const GgufReading& in, int64_t layers) {
  std::vector<int64_t> out(static_cast<size_t>(layers), 0);
  if (in.is.interval == 0) return out;
  constexpr std::string_view key = "attention.recurrent_layers";
  if (list_of(in.config(), key)) return listed(in.config(), key, layers);
  const int64_t interval = in.config().whole({"full_attention_interval"}, in.is.interval,
                                             "one layer in this many has attention");
  if (interval < 1) in.config().fail("full_attention_interval of at least 1, got ", interval);
  for (int64_t i = 0; i < layers; ++i) out[static_cast<size_t>(i)] = (i + 1) % interval != 0;
  return out;
}

// Whether layer i turns, as llama.cpp's graph of the architecture has it.
bool turns(const GgufReading& in, int64_t i, bool any_slides, bool sliding) {
  if (in.is.fourth_is_nope)
    return (in.is.windows && in.is.windows->always && !any_slides) || (i + 1) % 4 != 0;
  if (!in.is.full_is_nope || !any_slides || sliding) return true;
  return in.is.dense_turn && i < in.config().whole({"leading_dense_block_count"}).value_or(0);
}

}  // namespace

std::vector<int64_t> gguf_each(const GgufReading& in, std::string_view key, int64_t layers) {
  if (list_of(in.config(), key)) return listed(in.config(), key, layers);
  const auto one = in.config().whole({key});
  return one ? std::vector<int64_t>(static_cast<size_t>(layers), *one) : std::vector<int64_t>{};
}

std::optional<int64_t> gguf_window(const GgufReading& in, int64_t layers) {
  if (!slides(in, layers)) return {};
  const GgufWindows& row = *in.is.windows;
  if (row.fixed) return row.size;
  return in.config().whole({"attention.sliding_window"}).value_or(row.size);
}

std::vector<GgufLayer> gguf_layers(const GgufReading& in) {
  const int64_t count = count_of(in);
  const auto sliding = sliding_of(in, count), recurrent = recurrent_of(in, count);
  const auto heads = gguf_each(in, "attention.head_count", count);
  const auto keys = gguf_each(in, "attention.head_count_kv", count);
  const std::string_view pattern_key = "attention.rope_pattern";
  const bool patterned = in.is.pattern && list_of(in.config(), pattern_key);
  const auto pattern = patterned ? listed(in.config(), pattern_key, count) : std::vector<int64_t>{};
  const bool any = std::any_of(sliding.begin(), sliding.end(), [](int64_t s) { return s != 0; });
  std::vector<GgufLayer> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].sliding = sliding[i] != 0;
    out[i].attends =
        recurrent[i] == 0 && (heads.empty() || heads[i] != 0) && (keys.empty() || keys[i] != 0);
    out[i].turns = (pattern.empty() || pattern[i] != 0) &&
                   turns(in, static_cast<int64_t>(i), any, out[i].sliding);
  }
  return out;
}

}  // namespace posenc::model
