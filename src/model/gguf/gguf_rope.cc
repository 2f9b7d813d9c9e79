// gguf_rope.cc: the rotation of a GGUF file: its parts, their frequencies, their axes.
#include <algorithm>
#include <cmath>

#include "model/gguf/gguf_rules.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

int64_t whole_or(const Config& config, std::string_view key, int64_t otherwise) {
  return config.has(key) ? config.needed({key}, "a size") : otherwise;
}

int64_t heads_of(const GgufReading& in, int64_t layers) {
  const auto heads = gguf_each(in, "attention.head_count", layers);
  const auto first = std::find_if(heads.begin(), heads.end(), [](int64_t h) { return h > 0; });
  if (first == heads.end())
    in.config().fail("attention.head_count of at least 1, got ", heads.empty() ? "none" : "others");
  return *first;
}

int64_t head_dim_of(const GgufReading& in, int64_t layers) {
  const Config& config = in.config();
  if (config.has("attention.key_length"))
    return config.needed({"attention.key_length"}, "the features of a head");
  const int64_t width = config.needed({"embedding_length"}, "the features of a token");
  const int64_t heads = heads_of(in, layers);
  if (heads > width || width % heads != 0)
    config.fail("embedding_length that the heads divide, got ", width, " for ", heads);
  return width / heads;
}

GgufPart whole_part(const GgufReading& in, int64_t layers) {
  const Config& config = in.config();
  GgufPart out;
  out.where = in.reading.where;
  out.head_dim = head_dim_of(in, layers);
  out.rotary_dim = config.has("rope.dimension_count")
                       ? config.needed({"rope.dimension_count"}, "the features that rotate")
                       : config.whole({"rope.dimension_count"}, out.head_dim, "the whole head");
  out.base = config.number({"rope.freq_base"}, 10000, "llama.cpp's default");
  if (in.is.latent) out.head_dim = out.rotary_dim;
  if (in.is.halved) out.rotary_dim /= 2;
  out.scaled = in.is.scaled && !in.is.fixed;
  if (in.is.fixed) out.base = 10000, out.rotary_dim = out.head_dim;
  if (out.rotary_dim > out.head_dim)
    config.fail("rope.dimension_count of at most the ", out.head_dim, " features of a head, got ",
                out.rotary_dim);
  return out;
}

GgufPart sliding_part(const GgufReading& in, const GgufPart& full) {
  const Config& config = in.config();
  const GgufWindows& row = *in.is.windows;
  GgufPart out = full;
  const int64_t turning = in.is.halved ? 2 * full.rotary_dim : full.rotary_dim;
  out.rotary_dim = whole_or(config, "rope.dimension_count_swa", turning);
  if (!in.is.latent) out.head_dim = whole_or(config, "attention.key_length_swa", full.head_dim);
  if (row.own_base)
    out.base = config.number({"rope.freq_base_swa"}, 10000, "llama.cpp's default for it");
  else if (config.has("rope.freq_base_swa"))
    out.base = *config.number({"rope.freq_base_swa"});
  out.scaled =
      full.scaled && (row.scaled || !config.has({"rope.scaling.factor", "rope.scale_linear"}));
  out.factors = !in.is.factors_in_full;
  return out;
}

// DeepSeek-V4: layers that compress turn by another base and are the only ones that are scaled.
std::vector<GgufPart> compressed_parts(const GgufReading& in, GgufPart part, size_t layers) {
  const auto ratios = gguf_each(in, "attention.compress_ratios", static_cast<int64_t>(layers));
  if (ratios.empty()) in.config().fail("attention.compress_ratios, one for each layer, got none");
  part.plain_magnitude = true;
  GgufPart plain = part, compressed = part;
  plain.where += ", sliding layers (compress ratio 0)", plain.scaled = false;
  compressed.where += ", compressed layers";
  compressed.base =
      in.config().number({"attention.compress_rope_freq_base"}, 160000, "DeepSeek-V4's value");
  for (size_t i = 0; i < layers; ++i)
    (ratios[i] == 0 ? plain : compressed).layers.push_back(static_cast<int64_t>(i));
  std::vector<GgufPart> out{plain, compressed};
  std::erase_if(out, [](const GgufPart& p) { return p.layers.empty(); });
  return out;
}

std::vector<GgufPart> parts_of(const GgufReading& in, const std::vector<GgufLayer>& layers) {
  GgufPart full = whole_part(in, std::ssize(layers));
  if (in.is.compressed) return compressed_parts(in, std::move(full), layers.size());
  const auto uses = [](const GgufLayer& l) { return l.attends && l.turns; };
  const bool any = std::any_of(layers.begin(), layers.end(),
                               [&](const GgufLayer& l) { return uses(l) && l.sliding; });
  GgufPart sliding = any ? sliding_part(in, full) : full;
  const bool split = any && !sliding.turns_like(full);
  for (size_t i = 0; i < layers.size(); ++i)
    if (uses(layers[i]))
      (split && layers[i].sliding ? sliding : full).layers.push_back(static_cast<int64_t>(i));
  if (full.layers.size() == layers.size()) full.layers.clear();
  if (!split) return {full};
  full.where += ", full layers", sliding.where += ", sliding layers";
  std::vector<GgufPart> out{full, sliding};
  std::erase_if(out, [](const GgufPart& p) { return p.layers.empty(); });
  return out;
}

// The pairs of each coordinate; empty where there is one.
std::vector<double> sections_of(const GgufReading& in) {
  auto out = in.config().numbers({"rope.dimension_sections"}).value_or(std::vector<double>{});
  if (out.size() > 4)
    fail(ErrorKind::data, "read", "expected at most 4 of ", in.config().path(),
         "rope.dimension_sections, got ", out.size());
  for (const double pairs : out)
    if (!(pairs >= 0 && pairs <= 65536) || std::floor(pairs) != pairs)
      fail(ErrorKind::data, "read", "expected numbers of pairs as ", in.config().path(),
           "rope.dimension_sections, got ", pairs);
  while (!out.empty() && out.back() == 0) out.pop_back();
  return out;
}

GgufTurn turn_of(const GgufReading& in, const std::vector<double>& sections) {
  return in.is.by_sections && !sections.empty() ? GgufTurn::mrope : in.is.turn;
}

void set_axes(const GgufReading& in, GgufTurn turn, const std::vector<double>& sections,
              Component& part, Rope& rope) {
  if (turn != GgufTurn::mrope && turn != GgufTurn::imrope) return;
  if (sections.empty())
    in.config().fail("rope.dimension_sections, the pairs of each coordinate, got none");
  const bool chunked = turn == GgufTurn::mrope;
  part.facts.emplace_back("mrope_section", sections);
  part.facts.emplace_back("mrope", chunked ? "chunked" : "interleaved");
  part.facts.emplace_back("position_axes", std::ssize(sections));
  part.positions = sections.size() == 4
                       ? "four coordinates; text has the same in all"
                       : "three coordinates: time, height, width; text has the same in all";
  if (chunked)
    rope.axes = Chunked{sections};
  else
    rope.axes = Alternating{sections};
  if (chunked || sections.size() < 3) return;
  const double most = *std::max_element(sections.begin(), sections.end());
  if (*std::min_element(sections.begin(), sections.end()) < most)
    in.reading.trap(
        "pairs left over when height and width have had their sections follow the time in the "
        "model's own code; llama.cpp rotates them by a fourth coordinate, which is 0 for text");
}

void tell_layers(const std::vector<GgufLayer>& layers, Component& part) {
  std::vector<double> nope;
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].attends && !layers[i].turns) nope.push_back(static_cast<double>(i));
  if (!nope.empty()) part.facts.emplace_back("nope_layers", std::move(nope));
}

// What is multiplied onto queries, with the position; on all layers, or those that do not turn.
void tell_temperature(const GgufReading& in, Component& part, Rope& rope, bool any_nope) {
  if (in.is.tuned && any_nope) {
    part.facts.emplace_back("attn_temperature_tuning", true);
    part.facts.emplace_back("floor_scale", int64_t{8192});
    part.facts.emplace_back("attn_scale", 0.1);
    in.reading.trap(
        "layers without rotation multiply queries by 1 + 0.1 ln(1 + floor((p + 1) / "
        "8192)), values that are not in the file");
  }
  if (in.is.temperature_key.empty()) return;
  const double scale = in.config().number({"attention.temperature_scale"}).value_or(0);
  if (scale == 0) return;
  const auto floor = in.config().whole({in.is.temperature_key});
  if (!floor || *floor < 1)
    fail(ErrorKind::data, "read", "expected the length of ", in.config().path(),
         "attention.temperature_scale, got none");
  part.facts.emplace_back("attn_scale", scale);
  part.facts.emplace_back("floor_scale", *floor);
  rope.temperature = LogTemperature{scale, static_cast<double>(*floor), 0};
}

void tell_latent(const GgufReading& in, const GgufScaling& scaling, Component& part) {
  if (!in.is.latent) return;
  const auto head = in.config().whole({"attention.key_length_mla", "attention.key_length"});
  const auto turning = std::get<int64_t>(*part.find("rotary_dim"));
  if (head && *head > turning) part.facts.emplace_back("qk_nope_head_dim", *head - turning);
  if (const auto rank = in.config().whole({"attention.kv_lora_rank"}))
    part.facts.emplace_back("kv_lora_rank", *rank);
  if (scaling.softmax_scale && head && *head > 0)
    part.facts.emplace_back("softmax_scale",
                            *scaling.softmax_scale / std::sqrt(static_cast<double>(*head)));
}

void add_part(const GgufReading& in, const GgufPart& p, const std::vector<GgufLayer>& layers) {
  const auto sections = sections_of(in);
  const GgufTurn turn = turn_of(in, sections);
  const GgufScaling scaling = gguf_scaling(in, p);
  const bool v4 = in.is.compressed, latent = in.is.latent;
  Rope rope;
  rope.dim = p.head_dim, rope.base = p.base;
  if (p.rotary_dim != p.head_dim) rope.rotary_dim = p.rotary_dim;
  rope.layout = turn == GgufTurn::norm ? Layout::interleaved : Layout::half;
  if (v4 && rope.rotary_dim) rope.rotary_offset = -p.rotary_dim;
  rope.frequencies = scaling.frequencies, rope.scaling = scaling.rule;

  Component part{p.where, "rope", {}};
  part.positions = "from 0";
  part.layers = p.layers;
  part.facts = {{"layout", std::string(enum_name(*rope.layout))},
                {"head_dim", p.head_dim},
                {"rotary_dim", p.rotary_dim},
                {"rotated_part", latent ? "last qk_rope_head_dim of each q head; one shared k_pe "
                                          "per token"
                                 : v4   ? "last"
                                        : "first"},
                {"base", p.base}};
  part.facts.insert(part.facts.end(), scaling.facts.begin(), scaling.facts.end());
  if (const auto longest = in.config().whole({"context_length"}))
    part.facts.emplace_back("max_position", *longest);
  const auto slides = [&](int64_t i) { return layers[static_cast<size_t>(i)].sliding; };
  if (const auto window = gguf_window(in, std::ssize(layers));
      window && !p.layers.empty() && std::all_of(p.layers.begin(), p.layers.end(), slides))
    part.facts.emplace_back("window", *window);
  set_axes(in, turn, sections, part, rope);
  if (p.where.find("sliding") == p.where.npos) tell_layers(layers, part);
  tell_temperature(in, part, rope, part.find("nope_layers"));
  tell_latent(in, scaling, part);
  if (scaling.implemented) set_ready(part, rope);
  in.reading.add(std::move(part));
}

void tell_traps(const GgufReading& in, const GgufPart& part) {
  const auto sections = sections_of(in);
  const bool norm = turn_of(in, sections) == GgufTurn::norm;
  in.reading.trap(
      std::string("GGUF does not store the layout: llama.cpp knows from the architecture "
                  "that pairs are ") +
      (norm ? "interleaved, (2i, 2i + 1)" : "halves, (i, i + n/2)"));
  if (in.is.permuted)
    in.reading.trap(
        "rows of q and k were reordered on conversion, from half to interleaved: these weights do "
        "not fit the layout of the same model's config.json");
  if (std::floor(part.base) != part.base)
    in.reading.trap("rope.freq_base = " + text::write(part.base) +
                    " is not a whole number: it was stored in f32, which lost digits");
  if (in.is.windows && in.is.full_is_nope)
    in.reading.trap("layers that see the whole text are not rotated, and no key says so");
}

}  // namespace

bool GgufPart::turns_like(const GgufPart& other) const {
  return head_dim == other.head_dim && rotary_dim == other.rotary_dim && base == other.base &&
         scaled == other.scaled && factors == other.factors;
}

void read_gguf_rope(const GgufReading& in) {
  const auto layers = gguf_layers(in);
  if (in.is.finetuned && !in.config().flag({"rope.scaling.finetuned"}).value_or(true)) {
    in.reading.add({in.reading.where, "none", {}});
    in.reading.trap(
        "rope.scaling.finetuned = false: this architecture then does not rotate at all");
    return;
  }
  in.config().pass({"rope.scaling.finetuned"});
  const auto parts = parts_of(in, layers);
  for (const GgufPart& part : parts) add_part(in, part, layers);
  tell_traps(in, parts.front());
}

}  // namespace posenc::model
