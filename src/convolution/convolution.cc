// convolution.cc: options of the convolution over neighbours.
#include "posenc/convolution.h"

#include <cmath>

#include "schemes.h"

namespace posenc {

Fields Convolution::fields() {
  using S = Convolution;
  return {{"dim", &S::dim, "columns: the size of the embedding"},
          {"coordinates", &S::coordinates, "1: over time; 2: over a grid of patches"},
          {"kernel", &S::kernel, "tokens that the kernel covers, along each axis"},
          {"groups", &S::groups, "columns read only those of their own group; dim: depth-wise"},
          {"layers", &S::layers, "convolutions one after the other"},
          {"weight_norm", &S::weight_norm, "each tap has a length and a direction of its own"},
          {"layer_norm", &S::layer_norm, "normalise every token after a convolution"},
          {"activation", &S::activation, "after a convolution"},
          {"prefix", &S::prefix, "class tokens in front, which stay as they are"}};
}

std::vector<Preset<Convolution>> Convolution::presets() {
  using S = Convolution;
  S data2vec{.kernel = 19, .layers = 5, .weight_norm = false, .layer_norm = true};
  S peg{.coordinates = 2, .kernel = 3, .groups = 768, .weight_norm = false};
  peg.activation = ConvolutionActivation::none;
  S cpvt = peg;
  cpvt.dim = cpvt.groups = 192, cpvt.prefix = 1;
  return {{"wav2vec2", "wav2vec 2.0, HuBERT, WavLM, UniSpeech, SpeechT5: base", {}},
          {"data2vec-audio", "data2vec 1.0 for audio: five small convolutions", data2vec},
          {"peg", "PEG: depth-wise 3 x 3 on the patches, as in Twins", peg},
          {"cpvt", "CPVT-Ti: PEG beside a class token", cpvt}};
}

void Convolution::check() const {
  check_size(name, "dim", dim);
  if (coordinates != 1 && coordinates != 2)
    fail(name, "expected coordinates 1 (time) or 2 (a grid), got ", coordinates);
  if (kernel < 1 || kernel > 4096) fail(name, "expected kernel from 1 to 4096, got ", kernel);
  if (groups < 1 || dim % groups != 0)
    fail(name, "expected groups that divide dim ", dim, ", got ", groups);
  if (layers < 1 || layers > 64) fail(name, "expected layers from 1 to 64, got ", layers);
  if (prefix < 0 || prefix > max_size)
    fail(name, "expected prefix from 0 to ", max_size, ", got ", prefix);
}

std::vector<Weight> Convolution::weights() const {
  const int64_t group = dim / groups;
  std::vector<int64_t> shape{dim, group, kernel}, lengths{1, 1, kernel};
  if (coordinates == 2) shape.push_back(kernel), lengths.push_back(kernel);
  const double inputs = static_cast<double>(taps() * group);
  const double deviation = 1 / std::sqrt(3 * inputs);  // that of torch's uniform numbers
  const double length = deviation * std::sqrt(static_cast<double>(dim * group));
  std::vector<Weight> out;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string where = layers == 1 ? "" : "layers." + text::write(layer) + ".";
    if (weight_norm) out.push_back({where + "weight_g", lengths, length, 0});
    out.push_back({where + (weight_norm ? "weight_v" : "weight"), shape, 0, deviation});
    out.push_back({where + "bias", {dim}, 0, deviation});
  }
  return out;
}

namespace {

using List = std::variant<Convolution>;

std::vector<Alias> all_names() {
  std::vector<Alias> out{{"hubert", "", "preset", "wav2vec2"},
                         {"data2vec", "", "preset", "data2vec-audio"},
                         {"twins", "", "preset", "peg"}};
  for (const auto& preset : Convolution::presets())
    out.push_back({std::string(preset.name), "", "preset", std::string(preset.name)});
  for (Alias& alias : out) alias.scheme = Convolution::name;
  return out;
}

const Alias* find_name(std::string_view name) {
  const auto& all = convolution_aliases();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Alias& alias) { return alias.name == name; });
  return at == all.end() ? nullptr : &*at;
}

void check_convolution_name(std::string_view name) {
  if (is_convolution(name)) return;
  std::vector<std::string> names{std::string(Convolution::name)};
  for (const Alias& alias : convolution_aliases()) names.push_back(alias.name);
  fail(ErrorKind::option, "options", "unknown convolution '", name, "'", suggestion(name, names));
}

}  // namespace

const std::vector<Alias>& convolution_aliases() {
  static const std::vector<Alias> list = all_names();
  return list;
}

bool is_convolution(std::string_view name) { return name == Convolution::name || find_name(name); }

Convolution make_convolution(std::string_view name, const Options& options) {
  check_convolution_name(name);
  return std::get<0>(from_options<List>(name, options, find_name(name)));
}

Convolution convolution_from_json(std::string_view name, std::string_view json) {
  check_convolution_name(name);
  return std::get<0>(from_json<List>(name, json, find_name(name)));
}

SchemeInfo info(const Convolution& scheme) {
  scheme.check();
  SchemeInfo out = described(List(scheme));
  out.family = "convolution", out.acts_on = "input";
  out.weights = scheme.weights();
  return out;
}

}  // namespace posenc
