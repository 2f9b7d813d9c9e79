// layer_kinds.cc: what each layer of a model is, from lists or from a pattern.
#include "model/families/layer_kinds.h"

#include <algorithm>

#include "model/families/parts.h"
#include "model/text.h"

namespace posenc::model {
namespace {

// Older names of kinds.
std::string renamed(const std::string& kind) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"attention", full},
      {"full", full},
      {"global_attention", full},
      {"sliding", sliding},
      {"local_attention", sliding},
      {"linear", linear_kind},
      {"mamba", linear_kind},
      {"recurrent", linear_kind},
      {"deepseek_sparse_attention", "indexed_attention"},
      {"qwen_sparse_attention", "indexed_attention"}};
  for (const auto& [older, newer] : names)
    if (kind == older) return std::string(newer);
  return kind;
}

// Kinds that some rule knows; another is told, since what its layers do is not known.
constexpr std::string_view known_kinds[] = {full,
                                            sliding,
                                            linear_kind,
                                            "chunked_attention",
                                            "window_attention",
                                            "indexed_attention",
                                            "compressed_sparse_attention",
                                            "heavily_compressed_attention",
                                            "minimax_m3_sparse",
                                            "conv",
                                            "moe",
                                            "mlp",
                                            "hybrid",
                                            "hybrid_sliding",
                                            "reference_sliding_attention",
                                            "sparse",
                                            "dense"};

bool is_known_kind(std::string_view kind) {
  return std::find(std::begin(known_kinds), std::end(known_kinds), kind) != std::end(known_kinds);
}

void tell_unknown(const Config& config, std::string_view key, const Kinds& kinds) {
  for (auto at = kinds.begin(); at != kinds.end(); ++at)
    if (!is_known_kind(*at) && std::find(kinds.begin(), at, *at) == at)
      config.journal().note(NoteKind::conflict, "",
                            config.path() + std::string(key) + " has " + files::in_quotes(*at) +
                                ", first for layer " + text::write(at - kinds.begin()) +
                                ": no rule knows what such layers do");
}

Kinds listed(const Config& config, int64_t layers, std::string_view key) {
  Kinds out = *config.texts({key});
  if (std::ssize(out) < layers)
    fail(ErrorKind::data, "read", "expected ", config.path(), key, " for ", layers, " layers, got ",
         out.size());
  out.resize(static_cast<size_t>(layers));
  std::transform(out.begin(), out.end(), out.begin(), renamed);
  tell_unknown(config, key, out);
  return out;
}

std::vector<bool> named_layers(const Config& config, std::string_view key, int64_t layers) {
  std::vector<bool> out(static_cast<size_t>(layers));
  const auto listed = *config.numbers({key});
  for (const double i : listed) {
    if (!(i >= 0 && i < static_cast<double>(layers)))
      fail(ErrorKind::data, "read", "expected ", config.path(), key, " as numbers of ", layers,
           " layers, got ", i);
    out[static_cast<size_t>(i)] = true;
  }
  return out;
}

// Nothing where the list is empty.
Kinds by_list(const Config& config, const LayerRule& rule, int64_t layers) {
  const std::optional<std::vector<bool>> flags = rule.indices
                                                     ? named_layers(config, rule.list_key, layers)
                                                     : layer_flags(config, rule.list_key, layers);
  Kinds out;
  if (!flags) return out;
  for (const bool flag : *flags)
    out.emplace_back(flag == rule.listed_are_full ? rule.kind : rule.other);
  return out;
}

Kinds by_pattern(const Config& config, const LayerRule& rule, int64_t layers) {
  int64_t period = rule.period;
  if (!rule.period_key.empty())
    period = config.has(rule.period_key)
                 ? config.needed({rule.period_key}, "the period of full layers")
                 : config.whole({rule.period_key}, period, by_class);
  Kinds out;
  for (int64_t i = 0; i < layers; ++i) {
    const int64_t place = rule.from_end ? layers - 1 - i : i + rule.shift;
    const bool edge = i < rule.leading || (rule.last && i == layers - 1);
    out.emplace_back(edge || place % period == 0 ? rule.kind : rule.other);
  }
  return out;
}

// Models whose code reads sliding_window although no layer is called a sliding one.
constexpr std::string_view windowed =
    "ministral ministral3 mistral mixtral phi3 phi4_multimodal phi4mm phimoe starcoder2 "
    "qwen2 qwen2_moe qwen3 qwen3_moe qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text "
    "qwen2_5_omni_talker qwen3_omni_moe_text qwen3_omni_moe_talker_text "
    "qwen3_omni_moe_talker_code_predictor code2wav dots1 doge olmoe minimax minimax_text_01 "
    "minimax_m1 smollm3 gpt_oss cwm deepseek_ocr2_text deepseek_ocr2_encoder unlimited_ocr_text "
    "paddleocr_vl_text openai_privacy_filter voxtral_realtime_text voxtral_realtime_encoder moshi "
    "kyutai_speech_to_text mimi mimi_encoder mimi_decoder pocket_tts_audio_tokenizer "
    "pocket_tts_audio_tokenizer_encoder pocket_tts_audio_tokenizer_decoder muse_glimmer_assistant "
    "recurrent_gemma voxtral_realtime:text";

// The windows that classes have where a file says nothing of one.
struct ClassWindow {
  std::string_view types;
  int64_t window;
};
constexpr ClassWindow class_windows[] = {
    {"openai_privacy_filter gpt_oss granite_swa granitemoe_swa ultrabert unlimited_ocr_text "
     "deepseek_v4",
     128},
    {"mimo_v2_flash mimo_v2", 129},
    {"neomme", 256},
    {"mimi mimi_encoder mimi_decoder pocket_tts_audio_tokenizer "
     "pocket_tts_audio_tokenizer_encoder pocket_tts_audio_tokenizer_decoder",
     250},
    {"code2wav", 72},
    {"kyutai_speech_to_text", 375},
    {"beam gemma3n_text gemma4_text diffusion_gemma_text embedding_gemma2_text laguna", 512},
    {"flint kolibri1", 513},
    {"voxtral_realtime_encoder", 750},
    {"afmoe gemma4_unified_text mellum", 1024},
    {"muse_glimmer_text muse_glimmer_assistant muse_spark_text recurrent_gemma", 2048},
    {"moshi", 3000},
    {"gemma2 gemma3_text embedding_gemma vaultgemma t5_gemma_module t5gemma2_text t5gemma2_decoder "
     "cohere2 cohere2_moe cohere_compass_text exaone4 exaone_moe mistral ministral olmo3 dots1 "
     "voxtral_realtime_text qwen2 qwen2_moe qwen2_vl_text qwen2_5_vl_text qwen3 qwen3_moe "
     "deepseek_ocr2_encoder",
     4096},
    {"cwm voxtral_realtime:text", 8192},
    {"qwen2_5_omni_text qwen2_5_omni_talker", 32768}};

int64_t class_window(std::string_view type) {
  for (const ClassWindow& row : class_windows)
    if (is_among(row.types, type)) return row.window;
  return 0;
}

}  // namespace

bool is_attention(std::string_view kind) {
  static constexpr std::string_view others[] = {linear_kind, "conv", "moe", "mlp"};
  return std::find(std::begin(others), std::end(others), kind) == std::end(others);
}

std::optional<std::vector<bool>> layer_flags(const Config& config, std::string_view key,
                                             int64_t layers) {
  const auto list = config.numbers({key});
  if (!list || list->empty()) return {};
  if (std::ssize(*list) < layers)
    fail(ErrorKind::data, "read", "expected ", config.path(), key, " for ", layers, " layers, got ",
         list->size());
  std::vector<bool> out;
  for (int64_t i = 0; i < layers; ++i) out.push_back((*list)[static_cast<size_t>(i)] != 0);
  return out;
}

Kinds layer_kinds(const Config& config, const Sizes& sizes, const LayerRule& rule) {
  const bool plain = rule.period == 0 && rule.list_key.empty();
  for (const std::string_view key : {"layer_types", "layers_block_type"})
    if (config.has(key)) return listed(config, layers_of(config, sizes), key);
  if (plain && sizes.layers == 0 && !config.has({"num_hidden_layers", "n_layer", "num_layers"}))
    return {};
  const int64_t layers = layers_of(config, sizes);
  if (!rule.list_key.empty() && config.has(rule.list_key))
    if (Kinds out = by_list(config, rule, layers); !out.empty()) return out;
  if (rule.period == 0) return Kinds(static_cast<size_t>(layers), std::string(rule.kind));
  return by_pattern(config, rule, layers);
}

StillLayers still_layers(const Config& config, const Sizes& sizes) {
  const int64_t layers = layers_of(config, sizes);
  const auto flags = layer_flags(config, "no_rope_layers", layers);
  int64_t every = 4;
  if (flags)
    config.pass({"no_rope_layer_interval"});  // the list was made with it
  else
    every = config.has("no_rope_layer_interval")
                ? config.needed({"no_rope_layer_interval"}, "the period of layers without position")
                : config.whole({"no_rope_layer_interval"}, every, by_class);
  StillLayers out;
  for (int64_t i = 0; i < layers; ++i)
    if (flags ? (*flags)[static_cast<size_t>(i)] : (i + 1) % every != 0)
      out.turning.push_back(i);
    else
      out.still.push_back(static_cast<double>(i));
  return out;
}

std::vector<int64_t> layers_where(const Kinds& kinds, bool (*is)(std::string_view kind)) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (is(kinds[i])) out.push_back(static_cast<int64_t>(i));
  return out;
}

std::string kind_name(std::string_view kind) {
  constexpr std::string_view ending = "_attention";
  std::string out(kind.ends_with(ending) ? kind.substr(0, kind.size() - ending.size()) : kind);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out + " layers";
}

namespace {

// Whether "05" is the number.
bool is_number(std::string_view digits, int64_t number) {
  const std::string plain = std::to_string(number);
  return digits.ends_with(plain) &&
         digits.substr(0, digits.size() - plain.size()).find_first_not_of('0') == digits.npos;
}

// Models whose first layers see everything, max_window_layers of them; in some the window is for
// every second of those alone.
struct LateWindows {
  std::string_view types;
  int64_t first;
  bool before = false;
};
constexpr LateWindows late_windows[] = {
    {"qwen2 qwen3 qwen2_5_omni_text qwen2_5_omni_talker deepseek_ocr2_encoder "
     "qwen3_omni_moe_talker_code_predictor",
     28},
    {"qwen2_moe", 28, true},
    {"qwen2_vl_text qwen2_5_vl_text", 80},
    {"dots1", 62}};

const LateWindows* late_windows_of(std::string_view type) {
  for (const LateWindows& row : late_windows)
    if (is_among(row.types, type)) return &row;
  return nullptr;
}

std::vector<int64_t> late_layers(const Config& config, const LateWindows& late, int64_t all) {
  const int64_t first = config.whole({"max_window_layers"}, late.first, by_class);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < all; ++i)
    if (late.before ? i < first && i % 2 == 0 : i >= first) out.push_back(i);
  return out;
}

// The layers of a component that have another window than the rest of it.
void add_layer_windows(const Reading& reading, int64_t window, Component& component) {
  const Config& config = reading.config;
  const bool longer = reading.type == "neomme" && !config.has("per_layer_config");
  std::vector<double> windows;
  bool differ = false;
  for (size_t i = 0; i < component.layers.size(); ++i) {
    int64_t own = window;
    if (longer && i % 2 == 1)
      own = config.whole({"default_long_sliding_window"}, 1024, by_class);
    else if (const auto keys = own_keys(config, component.layers[i]))
      own = keys->whole({"sliding_window"}).value_or(window);
    differ = differ || own != window;
    windows.push_back(static_cast<double>(own));
  }
  if (differ) set_fact(component, "layer_windows", std::move(windows));
}

}  // namespace

std::optional<Config> own_keys(const Config& config, int64_t layer) {
  const auto all = config.inside({"per_layer_config"});
  if (!all) return {};
  for (const std::string& key : all->keys())
    if (is_number(key, layer)) return all->inside({key});
  return {};
}

void add_window(const Reading& reading, const Kinds& kinds, Component& component) {
  const Config& config = reading.config;
  // Qwen's classes, and some like them: only where it is said.
  const bool usually =
      !reading.type.starts_with("qwen") && !is_among("deepseek_ocr2_encoder smollm3", reading.type);
  if (!config.flag({"use_sliding_window"}).value_or(usually)) {
    config.pass({"sliding_window", "max_window_layers"});
    return;
  }
  const Config::Names keys{"sliding_window", "attention_window_size"};
  const bool is_null = !config.has(keys) && (is_written(config, "sliding_window") ||
                                             is_written(config, "attention_window_size"));
  const auto said = config.whole(keys);
  const int64_t supplied = is_null ? 0 : class_window(reading.type);
  if (said.value_or(supplied) < 1) return;
  auto layers = layers_where(kinds, is_sliding);
  if (const auto* late = late_windows_of(reading.type); late && layers.empty() && !kinds.empty()) {
    if (!config.has("layer_types")) layers = late_layers(config, *late, std::ssize(kinds));
    if (layers.empty()) {
      config.ignore({"sliding_window"}, "no layer has a window");
      return;
    }
  }
  const std::string_view key =
      reading.type == "recurrent_gemma" ? "attention_window_size" : "sliding_window";
  const int64_t window = said ? *said : config.whole({key}, supplied, by_class);
  set_fact(component, "window", window);
  if (!layers.empty() && layers.size() < kinds.size())
    set_fact(component, "window_layers", as_list(layers));
  add_layer_windows(reading, window, component);
}

void add_own_window(const Reading& reading, const Kinds& kinds, Component& component) {
  if (std::any_of(kinds.begin(), kinds.end(), is_sliding) || is_among(windowed, reading.type))
    return add_window(reading, kinds, component);
  const bool knows = class_window(reading.type) > 0;
  reading.config.ignore({"sliding_window"},
                        knows ? "no layer has a window" : "this model's code knows no window");
  reading.config.pass({"use_sliding_window", "max_window_layers"});
}

}  // namespace posenc::model
