// aliases.cc: other names of schemes, as papers, models and libraries call them.
#include "posenc/aliases.h"

#include <algorithm>
#include <map>

#include "posenc/graph.h"
#include "posenc/scheme.h"

namespace posenc {
namespace {

// Names that are no preset of their own, and where they lead.
const std::vector<Alias>& names_elsewhere() {
  static const std::vector<Alias> list{
      {"sincos", "sinusoidal", "", ""},
      {"t2t", "sinusoidal", "preset", "tensor2tensor"},
      {"timestep", "sinusoidal", "preset", "diffusers"},
      {"sincos-2d", "grid-sinusoidal", "", ""},
      {"dit", "grid-sinusoidal", "preset", "mae"},
      {"pixart", "grid-sinusoidal", "preset", "mae"},
      {"moco", "grid-sinusoidal", "preset", "moco-v3"},
      {"absolute", "learned", "", ""},
      {"learnable", "learned", "", ""},
      {"wpe", "learned", "preset", "gpt2"},
      {"xlm-r", "learned", "preset", "roberta"},
      {"token-types", "learned", "rows", "2"},
      {"segment-embeddings", "learned", "rows", "2"},
      {"deit", "learned-grid", "preset", "vit"},
      {"moonvit", "learned-grid", "preset", "kimi"},
      {"factorized", "axial", "preset", "naflex"},
      {"layoutlmv2", "axial", "preset", "layoutlmv3"},
      {"fourier", "gaussian", "", ""},
      {"rff", "gaussian", "", ""},
      {"fourier-features", "gaussian", "", ""},
      {"fourierembed", "perceiver", "preset", "fourier-embed"},
      {"lff", "gaussian", "preset", "learnable-fourier"},
      {"mllama", "learned", "preset", "mllama-tiles"},
      {"t2v", "time2vec", "", ""},
      {"rotary", "rope", "", ""},
      {"pi", "rope", "scaling", "linear"},
      {"position-interpolation", "rope", "scaling", "linear"},
      {"ntk", "rope", "scaling", "ntk"},
      {"ntk-aware", "rope", "scaling", "ntk"},
      {"hunyuan", "rope", "scaling", "ntk"},
      {"vllm-ntk", "rope", "scaling", "vllm-ntk"},
      {"dynamic-ntk", "rope", "scaling", "dynamic"},
      {"ntk-by-parts", "rope", "scaling", "by-parts"},
      {"yarn", "rope", "scaling", "yarn"},
      {"deepseek-yarn", "rope", "preset", "deepseek-v3"},
      {"mla", "rope", "preset", "deepseek-v3"},
      {"llama3", "rope", "scaling", "llama3"},
      {"longrope", "rope", "scaling", "longrope"},
      {"su", "rope", "scaling", "longrope"},
      {"phi-3", "rope", "scaling", "longrope"},
      {"proportional", "rope", "scaling", "proportional"},
      {"p-rope", "rope", "preset", "gemma4"},
      {"mrope", "rope", "preset", "qwen2-vl"},
      {"m-rope", "rope", "preset", "qwen2-vl"},
      {"imrope", "rope", "preset", "qwen3-vl"},
      {"rope-2d", "rope", "preset", "qwen-vision"},
      {"rope-mixed", "rope", "preset", "rope-vit"},
      {"lightglue", "rope", "frequencies", "learned"},
      {"fope", "rope", "frequencies", "fourier"},
      {"pope", "rope", "phases", "learned"},
      {"loftr", "rope", "preset", "efficientloftr"},
      {"te-linear", "rope", "scaling", "dynamic-linear"},
      {"alibi-sqrt", "alibi", "preset", "step1"},
      {"kerple-log", "kerple", "preset", "log"},
      {"kerple-power", "kerple", "preset", "power"},
      {"dynamic-position-bias", "dynamic", "", ""},
      {"efficientformer", "window", "preset", "levit"},
      {"cpb", "continuous", "preset", "swin-v2"},
      {"rpe", "shaw", "", ""},
      {"txl", "transformer-xl", "", ""},
      {"disentangled", "deberta", "", ""},
      {"vitdet", "decomposed", "", ""},
      {"mvit", "decomposed", "preset", "mvitv2"},
      {"distance-bank", "shaw", "preset", "inkling"},
      {"wavlm", "gated-t5", "preset", "wavlm-base"},
      {"gated-relative", "gated-t5", "", ""},
      {"untied", "tupe", "", ""},
      {"data-dependent-alibi", "forgetting", "", ""},
      {"forgetting-transformer", "forgetting", "", ""},
      {"data-dependent-alibi-rows", "forgetting-rows", "", ""},
  };
  return list;
}

// Every preset whose name no other scheme has, neither as a preset nor as its own.
std::vector<Alias> all_aliases() {
  std::vector<Alias> out = names_elsewhere();
  const auto all = schemes();
  std::map<std::string, int> times;
  for (const SchemeInfo& scheme : all) {
    ++times[scheme.name];
    for (const PresetInfo& preset : scheme.presets) ++times[preset.name];
  }
  for (const SchemeInfo& scheme : graph::schemes()) ++times[scheme.name];
  for (const Alias& alias : names_elsewhere()) ++times[alias.name];
  for (const SchemeInfo& scheme : all)
    for (const PresetInfo& preset : scheme.presets)
      if (times[preset.name] == 1) out.push_back({preset.name, scheme.name, "preset", preset.name});
  return out;
}

}  // namespace

const std::vector<Alias>& aliases() {
  static const std::vector<Alias> list = all_aliases();
  return list;
}

const Alias* find_alias(std::string_view name) {
  const auto at = std::find_if(aliases().begin(), aliases().end(),
                               [&](const Alias& alias) { return alias.name == name; });
  return at == aliases().end() ? nullptr : &*at;
}

const std::vector<Alias>& graph::aliases() {
  static const std::vector<Alias> list{
      {"lappe", "laplacian", "", ""},
      {"signnet", "laplacian", "preset", "signnet"},
      {"rwpe", "random-walk", "", ""},
      {"rwse", "random-walk", "", ""},
      {"spd", "shortest-paths", "", ""},
      {"graphormer", "shortest-paths", "preset", "graphormer"},
      {"centrality", "degrees", "preset", "graphormer"},
  };
  return list;
}

}  // namespace posenc
