// models.cc: what commands tell of a model's encodings.
#include "models.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "model/formats.h"
#include "rows.h"

namespace posenc::cli {
namespace {

std::optional<int64_t> whole(const model::Component& part, std::string_view fact) {
  const Value* value = part.find(fact);
  if (!value) return {};
  if (const auto* number = std::get_if<int64_t>(value)) return *number;
  if (const auto* real = std::get_if<double>(value))
    if (*real == std::floor(*real) && std::abs(*real) < 9e15) return static_cast<int64_t>(*real);
  return {};
}

Json value_json(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> Json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

bool has_layer(const model::Component& part, int64_t layer) {
  return part.layers.empty() ||
         std::find(part.layers.begin(), part.layers.end(), layer) != part.layers.end();
}

std::string names_of(const std::vector<const model::Component*>& parts) {
  std::vector<std::string> out;
  for (const auto* part : parts) out.push_back(fmt::format("'{}' ({})", part->where, part->scheme));
  return join(out, ", ");
}

bool is_json(const std::string& word) {
  const size_t first = word.find_first_not_of(" \t\r\n");
  if (first == word.npos) return false;
  std::error_code ignored;
  return word[first] == '{' || (word[first] == '[' && !std::filesystem::exists(word, ignored));
}

// Members of `keys` take the place of those in `base`; objects are joined, null is absent.
void overlay(files::Json& base, const files::Json& keys) {
  auto* members = std::get_if<files::JsonObject>(&base.value);
  if (!members || !keys.object()) {
    base = keys;
    return;
  }
  for (const auto& [key, value] : *keys.object()) {
    const auto at = std::find_if(members->begin(), members->end(),
                                 [&, &name = key](const auto& m) { return m.first == name; });
    at == members->end() ? members->emplace_back(key, value), void() : overlay(at->second, value);
  }
}

std::string config_text(const std::string& word) {
  if (is_json(word)) return word;
  const bool folder = std::filesystem::is_directory(word);
  const files::Source source(
      "diff", folder ? (std::filesystem::path(word) / "config.json").string() : word);
  if (source.starts_with("GGUF") || source.size() > (1 << 28))
    source.refuse("expected a config.json to set other keys in");
  return source.text(0, source.size());
}

// A model that is not there, by a name as hubs have them: nothing is fetched.
model::Model read_path(const std::string& word, const std::string& as_type = {}) {
  std::error_code ignored;
  if (word != "-" && !std::filesystem::exists(word, ignored))
    fail(ErrorKind::data, "model", word, ": no such file or folder; posenc fetches nothing: ",
         "download the model's config.json first");
  return model::read(word, as_type);
}

}  // namespace

model::Model read_model(const std::string& word, const std::string& as_type) {
  return is_json(word) ? model::read_config(word, as_type) : read_path(word, as_type);
}

std::string path_text(const model::Model& model) {
  return model.path.empty() ? "<config>" : model.path;
}

Json path_json(const model::Model& model) { return model.path.empty() ? Json() : Json(model.path); }

model::Model read_model_beside(const std::string& word, const std::string& base) {
  if (!is_json(word)) return read_path(word);
  const files::Json keys = files::parse_json("diff", word);
  if (keys.find("model_type") || keys.find("architectures")) return read_model(word);
  files::Json tree = files::parse_json("diff", config_text(base));
  overlay(tree, keys);
  return model::read_config(tree);
}

Lengths lengths_of(const model::Component& part) {
  Lengths out{whole(part, "scaling.original_max_position_embeddings"), whole(part, "max_position")};
  if (!out.trained) out.trained = whole(part, "trained_length");
  if (!out.usable) out.usable = whole(part, "usable");
  // Rows of other schemes are distances, or sides of pictures.
  const bool by_token = part.scheme.starts_with("learned") || part.scheme.starts_with("sinusoidal");
  if (const auto rows = whole(part, "rows"); rows && by_token && !out.usable)
    out.usable = *rows - whole(part, "position_offset").value_or(0);
  if (!out.trained) out.trained = out.usable;
  return out;
}

int64_t Turning::rotating() const {
  return std::count_if(frequencies.begin(), frequencies.end(), [](double f) { return f != 0; });
}

double Turning::longest() const {
  double slowest = INFINITY;
  for (const double f : frequencies)
    if (f != 0) slowest = std::min(slowest, std::abs(f));
  return 2 * std::numbers::pi / slowest;
}

int64_t Turning::unfinished(int64_t within) const {
  return std::count_if(frequencies.begin(), frequencies.end(), [&](double f) {
    return f != 0 && std::abs(f) * static_cast<double>(within) < 2 * std::numbers::pi;
  });
}

std::optional<Turning> turning_of(const model::Component& part, std::optional<int64_t> length) {
  const Rope* rope = part.ready ? std::get_if<Rope>(&*part.ready) : nullptr;
  if (!rope || !rope->weights().empty()) return {};
  Turning out;
  if (asks_for_length(*part.ready))
    out.length = length.value_or(lengths_of(part).usable.value_or(1));
  PlanOptions options;
  options.length = out.length;
  const RotaryPlan plan = prepare(*rope, options);
  for (const Frequency& f : plan.frequencies()) out.frequencies.push_back(radians(f));
  out.cos_sin_factor = plan.cos_sin_factor(), out.softmax_factor = plan.softmax_factor();
  return out;
}

std::optional<SchemeInfo> scheme_info(const model::Component& part) {
  if (part.convolution) return info(*part.convolution);
  if (part.ready) return info(*part.ready);
  return {};
}

Json facts_json(const model::Component& part) {
  Json out = Json::object();
  for (const auto& [name, value] : part.facts) {
    Json* at = &out;
    size_t begin = 0;
    for (size_t dot; (dot = name.find('.', begin)) != name.npos; begin = dot + 1)
      at = &(*at)[name.substr(begin, dot - begin)];
    (*at)[name.substr(begin)] = value_json(value);
  }
  return out;
}

std::string layers_text(const std::vector<int64_t>& layers) {
  std::string out;
  for (size_t i = 0; i < layers.size();) {
    size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    out += fmt::format("{}{}", i > 0 ? ", " : "", layers[i]);
    if (last > i) out += fmt::format("{}{}", last > i + 1 ? "-" : ", ", layers[last]);
    i = last + 1;
  }
  return out;
}

const model::Component& choose(const model::Model& model, const std::string& part,
                               std::optional<int64_t> layer) {
  std::vector<const model::Component*> all, fits;
  for (const auto& c : model.components) {
    all.push_back(&c);
    if ((part.empty() || c.where == part || c.where.starts_with(part + ",")) &&
        (!layer || has_layer(c, *layer)))
      fits.push_back(&c);
  }
  if (fits.size() == 1) return *fits[0];
  refuse("expected --part and --layer that choose one part of ", path_text(model), ", got ",
         fits.empty() ? "none of " + names_of(all) : names_of(fits));
}

namespace {

// The one table that a scheme needs, where it lies in the folder of the model.
bool find_weights(const std::string& word, const model::Component& part, ModelScheme& out) {
  const Value* name = part.find("weight");
  std::error_code ignored;
  if (!name || weights(*part.ready).size() != 1 || is_json(word) ||
      !std::filesystem::is_directory(word, ignored))
    return false;
  const auto found = model::tensor_in(word, text::write(*name));
  if (found) out.weights = found->file, out.tensor = found->name;
  return found.has_value();
}

}  // namespace

ModelScheme scheme_of_model(const std::string& word, const std::string& part,
                            std::optional<int64_t> layer, bool has_weights) {
  const model::Model model = read_model(word);
  const model::Component& chosen = choose(model, part, layer);
  if (chosen.convolution)
    fail(ErrorKind::data, "model", path_text(model), ": expected a scheme of positions, got ",
         chosen.scheme, " in ", chosen.where,
         ", a convolution of the input, which has verbs of its own (posenc/convolution.h)");
  if (!chosen.ready)
    fail(ErrorKind::data, "model", path_text(model),
         ": expected a scheme that posenc computes, got ", chosen.scheme, " in ", chosen.where);
  const SchemeInfo about = info(*chosen.ready);
  ModelScheme out{about.name, {}};
  if (!has_weights && !weights(*chosen.ready).empty() && !find_weights(word, chosen, out))
    refuse("expected --weights FILE beside --model, because what ", chosen.where,
           " has is learned (", about.name, "), got none; --seed N takes random numbers");
  if (asks_for_length(*chosen.ready)) out.length = lengths_of(chosen).usable;
  for (const Option& option : about.options)
    if (const std::string value = text::write(option.value);
        is_taken(option, about.options) && !value.empty())
      out.options.emplace_back(option.name, value);
  return out;
}

}  // namespace posenc::cli
