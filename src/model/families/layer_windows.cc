// layer_windows.cc: windows of layers, from the file or from the class.
#include <algorithm>

#include "base/text.h"
#include "model/families/class_defaults.h"
#include "model/families/layer_kinds.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

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
    "recurrent_gemma voxtral_realtime:text mimo Dream sdar sdar_moe kimi_audio dots_ocr "
    "phi3_v minicpmv:text keye:text";

// Whether "05" is the number.
bool is_number(std::string_view digits, int64_t number) {
  const std::string plain = std::to_string(number);
  return digits.ends_with(plain) &&
         digits.substr(0, digits.size() - plain.size()).find_first_not_of('0') == digits.npos;
}

// In Qwen2-MoE the window is for every second layer before max_window_layers alone.
std::vector<int64_t> late_layers(const Reading& reading, int64_t late, int64_t all) {
  const int64_t first = reading.config.whole({"max_window_layers"}, late, by_class);
  const bool before = reading.type == "qwen2_moe";
  std::vector<int64_t> out;
  for (int64_t i = 0; i < all; ++i)
    if (before ? i < first && i % 2 == 0 : i >= first) out.push_back(i);
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
  const ClassDefaults otherwise = class_defaults(reading.type);
  const bool usually = !otherwise.asked && !reading.type.starts_with("qwen");
  if (!config.flag({"use_sliding_window"}).value_or(usually)) {
    config.pass({"sliding_window", "max_window_layers"});
    return;
  }
  const Config::Names keys{"sliding_window", "attention_window_size"};
  const bool is_null = !config.has(keys) && (is_written(config, "sliding_window") ||
                                             is_written(config, "attention_window_size"));
  const auto said = config.whole(keys);
  const int64_t supplied = is_null ? 0 : otherwise.window;
  if (said.value_or(supplied) < 1) return;
  auto layers = layers_where(kinds, is_sliding);
  if (otherwise.late > 0 && layers.empty() && !kinds.empty()) {
    if (!config.has("layer_types"))
      layers = late_layers(reading, otherwise.late, std::ssize(kinds));
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
  const bool knows = class_defaults(reading.type).window > 0;
  reading.config.ignore({"sliding_window"},
                        knows ? "no layer has a window" : "this model's code knows no window");
  reading.config.pass({"use_sliding_window", "max_window_layers"});
}

}  // namespace posenc::model
