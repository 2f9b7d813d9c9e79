// rope_traps.cc: what engines and people get wrong with rotary encodings of one kind or another.
#include <algorithm>

#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

template <class Rule>
void tell_scaling(const Reading&, const Rule&) {}

void tell_scaling(const Reading& reading, const DynamicNtk& rule) {
  reading.trap(
      "The base grows once a text is longer than " + text::write(rule.max_position_embeddings) +
      " tokens: keys cached before have another base and must be moved. transformers keeps the "
      "base of the longest text it has seen until one within that length comes; posenc "
      "takes the length it is given.");
}

void tell_scaling(const Reading& reading, const LongRope& rule) {
  reading.trap("Texts longer than " + text::write(rule.original_max_position_embeddings) +
               " tokens have other frequencies from their first token on: keys cached while the "
               "text was shorter do not fit.");
}

void tell_scaling(const Reading& reading, const Llama3& rule) {
  if (rule.low_freq_factor == rule.high_freq_factor)
    reading.trap(
        "low_freq_factor equals high_freq_factor: the band between is empty, and the "
        "formula for it divides by zero.");
}

void tell_scaling(const Reading& reading, const Yarn& rule) {
  if (!rule.truncate)
    reading.trap(
        "The ramp of YaRN is not rounded to whole pairs here; engines that always round "
        "it (ggml) get other frequencies.");
  const double factor = rule.cos_sin_factor(0);
  if (factor != 1)
    reading.trap("Cosines and sines are multiplied by " + text::write(factor) +
                 ", so scores by its square; it must not be applied to the softmax scale as well.");
}

// {"rope_type": "default"}, or with the model's own type: nothing is scaled, and nothing asked for.
bool names_the_usual(const Config& config, const Json& entry) {
  const Json* own = config.json().find("model_type");
  return std::all_of(entry.object()->begin(), entry.object()->end(), [&](const auto& member) {
    const auto& [key, value] = member;
    return (key == "rope_type" || key == "type") &&
           (same_value(value, "default") || (own && same_value(value, *own)));
  });
}

}  // namespace

void ignore_entry(const Config& config, std::string_view key, std::string_view why) {
  const Json* entry = config.json().find(key);
  if (!entry || !entry->object()) return config.ignore({key}, why);
  if (names_the_usual(config, *entry))
    config.unused({key}, why);
  else
    config.ignore({key}, why);
  const std::string path = config.path() + std::string(key) + ".";
  for (const auto& member : *entry->object()) config.journal().read.insert(path + member.first);
}

void ignore_rope(const Config& config, std::string_view why) {
  config.ignore({"rope_theta"}, why);
  ignore_entry(config, "rope_scaling", why);
  ignore_entry(config, "rope_parameters", why);
  config.ignore({"partial_rotary_factor"}, why);
}

void add_rope_traps(const Reading& reading, const RopeRule& rule, const Rope& rope) {
  std::visit([&](const auto& scaling) { tell_scaling(reading, scaling); }, rope.scaling);
  if (rope.layout == Layout::interleaved && !rule.latent)
    reading.trap(
        "Pairs are neighbours (2i, 2i+1), not (i, i + n/2) as in Llama: the wrong layout raises no "
        "error; the text is just worse.");
  if (rope.turning() < rope.dim)
    reading.trap("Only " + text::write(rope.turning()) + " of the " + text::write(rope.dim) +
                 " features of a head rotate, and the frequencies are spread over those alone.");
  if (rope.sign == Sign::negative)
    reading.trap(
        "Pairs rotate the other way: the angle is minus the position times the frequency.");
  if (rule.coordinates != RopeCoordinates::one)
    reading.trap(
        "Which coordinate rotates which pair shows only with pictures: a wrong order goes "
        "unnoticed on text.");
}

}  // namespace posenc::model
