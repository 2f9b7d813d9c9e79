// models.cc: what commands tell of a model's encodings.
#include "cli/models/models.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/error.h"
#include "model/formats.h"
#include "posenc/model/explain.h"

namespace posenc::cli {
namespace {

bool has_layer(const model::Component& part, int64_t layer) {
  return part.layers.empty() ||
         std::find(part.layers.begin(), part.layers.end(), layer) != part.layers.end();
}

std::string names_of(const std::vector<const model::Component*>& parts) {
  std::vector<std::string> out;
  for (const auto* part : parts) out.push_back(fmt::format("'{}' ({})", part->where, part->scheme));
  return join(out, ", ");
}

void check_is_given(const std::string& word) {
  if (word.empty()) refuse("expected the MODEL's file, folder or configuration, got an empty word");
}

}  // namespace

model::Model read_model(const std::string& word, const std::string& as_type) {
  check_is_given(word);
  return model::read_given(word, as_type);
}

std::string path_text(const model::Model& model) {
  return model.path.empty() ? "<config>" : model.path;
}

model::Model read_model_beside(const std::string& word, const std::string& base) {
  check_is_given(word);
  return model::read_beside(word, base);
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
  if (!name || weights(*part.ready).size() != 1 || model::is_config(word) ||
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
    refuse("expected --weights FILE with --model, because what ", chosen.where, " has is learned (",
           about.name, "), got none; --seed N takes random numbers");
  if (asks_for_length(*chosen.ready)) out.length = model::lengths(chosen).usable;
  for (const Option& option : about.options)
    if (const std::string value = text::write(option.value);
        is_taken(option, about.options) && !value.empty())
      out.options.emplace_back(option.name, value);
  return out;
}

}  // namespace posenc::cli
