// explain.cc: what a model's encodings come to, as numbers and as JSON.
#include "model/answers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/ready.h"
#include "options_json.h"

namespace posenc::model {
namespace {

std::optional<int64_t> whole(const Component& part, std::string_view fact) {
  const Value* value = part.find(fact);
  if (!value) return {};
  if (const auto* number = std::get_if<int64_t>(value)) return *number;
  if (const auto* real = std::get_if<double>(value))
    if (*real == std::floor(*real) && std::abs(*real) < 9e15) return static_cast<int64_t>(*real);
  return {};
}

Json notes_tree(const std::vector<Note>& notes) {
  files::JsonList out;
  for (const Note& note : notes)
    out.push_back({{"kind", enum_name(note.kind)}, {"where", note.where}, {"text", note.text}});
  return out;
}

void put_rotation(Json& out, const Rotation& r, bool frequencies) {
  if (r.length > 0) out["length"] = r.length;
  out["cos_sin_factor"] = r.cos_sin_factor, out["softmax_factor"] = r.softmax_factor;
  out["pairs"] = std::ssize(r.frequencies), out["rotating_pairs"] = r.rotating();
  out["longest_wavelength"] = r.rotating() == 0 ? Json{} : Json{r.longest()};
  if (frequencies) out["frequencies"] = r.frequencies;
}

Json component_tree(const Component& part, const ExplainOptions& options) {
  Json out;
  out["where"] = part.where, out["scheme"] = part.scheme;
  out["runnable"] = part.is_runnable();
  for (const auto& [name, value] : part.facts) out.at_path(name) = tree(value);
  if (!part.layers.empty()) out["layers"] = part.layers;
  if (!part.positions.empty()) out["positions"] = part.positions;
  const Lengths known = lengths(part);
  if (known.trained) out["trained_length"] = *known.trained;
  if (known.usable) out["usable_length"] = *known.usable;
  if (const auto r = rotation(part, options.length)) put_rotation(out, *r, options.frequencies);
  if (const auto scheme = scheme_info(part)) {
    out["options_of"] = scheme->name;
    out["options"] = options_tree(scheme->options);
  }
  out["keys"] = part.keys;
  return out;
}

}  // namespace

Json tree(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> Json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return {};
        else
          return v;
      },
      value);
}

Json path_tree(const Model& model) { return model.path.empty() ? Json{} : Json{model.path}; }

Json answer() { return {{"version", json_version}}; }

Lengths lengths(const Component& part) {
  Lengths out{whole(part, "scaling.original_max_position_embeddings"), whole(part, "max_position")};
  if (!out.trained) out.trained = whole(part, "trained_length");
  if (!out.usable) out.usable = whole(part, "usable");
  // Rows of other schemes are distances.
  if (const auto rows = whole(part, "rows"); rows && !out.usable && adds_rows(part))
    out.usable = *rows - whole(part, "position_offset").value_or(0);
  if (!out.trained) out.trained = out.usable;
  return out;
}

int64_t Rotation::rotating() const {
  return std::count_if(frequencies.begin(), frequencies.end(), [](double f) { return f != 0; });
}

double Rotation::longest() const {
  double slowest = INFINITY;
  for (const double f : frequencies)
    if (f != 0) slowest = std::min(slowest, std::abs(f));
  return 2 * std::numbers::pi / slowest;
}

int64_t Rotation::unfinished(int64_t within) const {
  return std::count_if(frequencies.begin(), frequencies.end(), [&](double f) {
    return f != 0 && std::abs(f) * static_cast<double>(within) < 2 * std::numbers::pi;
  });
}

std::optional<Rotation> rotation(const Component& part, std::optional<int64_t> length) {
  const Rope* rope = part.ready ? std::get_if<Rope>(&*part.ready) : nullptr;
  if (!rope || !rope->weights().empty()) return {};
  Rotation out;
  if (asks_for_length(*part.ready)) out.length = length.value_or(lengths(part).usable.value_or(1));
  PlanOptions options;
  options.length = out.length;
  const RotaryPlan plan = prepare(*rope, options);
  for (const Frequency& f : plan.frequencies()) out.frequencies.push_back(radians(f));
  out.cos_sin_factor = plan.cos_sin_factor(), out.softmax_factor = plan.softmax_factor();
  return out;
}

std::optional<SchemeInfo> scheme_info(const Component& part) {
  if (part.convolution) return info(*part.convolution);
  if (part.ready) return info(*part.ready);
  return {};
}

Json explain_tree(const Model& model, const ExplainOptions& options) {
  if (options.length && *options.length < 1)
    fail("explain", "expected a length of at least 1, got ", *options.length);
  files::JsonList parts;
  for (const Component& part : model.components) parts.push_back(component_tree(part, options));
  Json out = answer();
  out["path"] = path_tree(model), out["format"] = model.format, out["family"] = model.family;
  out["components"] = std::move(parts), out["notes"] = notes_tree(model.notes);
  return out;
}

std::string explain_json(const Model& model, const ExplainOptions& options) {
  return files::write_json(explain_tree(model, options));
}

Findings lint(const Model& model, const LintOptions& options) {
  auto kinds = options.kinds;
  if (kinds.empty()) kinds = {NoteKind::conflict, NoteKind::ignored};
  if (options.strict) kinds.push_back(NoteKind::trap);
  Findings out;
  for (const Note& note : model.notes)
    if (std::find(kinds.begin(), kinds.end(), note.kind) != kinds.end())
      out.findings.push_back(note);
    else if (note.kind == NoteKind::trap && options.kinds.empty())
      out.traps.push_back(note);
  return out;
}

Json lint_tree(const Model& model, const LintOptions& options) {
  const Findings found = lint(model, options);
  Json out = answer();
  out["path"] = path_tree(model);
  out["findings"] = notes_tree(found.findings), out["traps"] = notes_tree(found.traps);
  return out;
}

std::string lint_json(const Model& model, const LintOptions& options) {
  return files::write_json(lint_tree(model, options));
}

}  // namespace posenc::model
