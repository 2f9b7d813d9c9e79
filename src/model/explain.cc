// explain.cc: what a model's encodings come to, as numbers and as JSON.
#include "model/explain.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/ready.h"

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

Json note_tree(const Note& note) {
  Json out;
  out["kind"] = {std::string(enum_name(note.kind))};
  out["where"] = {note.where}, out["text"] = {note.text};
  return out;
}

// Facts with dots in their names are members of objects inside.
void put_facts(Json& out, const Component& part) {
  for (const auto& [name, value] : part.facts) {
    Json* at = &out;
    size_t begin = 0;
    for (size_t dot; (dot = name.find('.', begin)) != name.npos; begin = dot + 1)
      at = &(*at)[std::string_view(name).substr(begin, dot - begin)];
    (*at)[std::string_view(name).substr(begin)] = tree(value);
  }
}

void put_rotation(Json& out, const Rotation& r, bool frequencies) {
  if (r.length > 0) out["length"] = {r.length};
  out["cos_sin_factor"] = {r.cos_sin_factor}, out["softmax_factor"] = {r.softmax_factor};
  out["pairs"] = {std::ssize(r.frequencies)}, out["rotating_pairs"] = {r.rotating()};
  out["longest_wavelength"] = r.rotating() == 0 ? Json{} : Json{r.longest()};
  if (frequencies) out["frequencies"] = list_tree(r.frequencies);
}

Json component_tree(const Component& part, const ExplainOptions& options) {
  Json out;
  out["where"] = {part.where}, out["scheme"] = {part.scheme};
  out["runnable"] = {part.is_runnable()};
  put_facts(out, part);
  if (!part.layers.empty()) out["layers"] = list_tree(part.layers);
  if (!part.positions.empty()) out["positions"] = {part.positions};
  const Lengths known = lengths(part);
  if (known.trained) out["trained_length"] = {*known.trained};
  if (known.usable) out["usable_length"] = {*known.usable};
  if (const auto r = rotation(part, options.length)) put_rotation(out, *r, options.frequencies);
  if (const auto scheme = scheme_info(part)) {
    out["options_of"] = {scheme->name};
    out["options"] = files::parse_json("explain", to_json(scheme->options));
  }
  out["keys"] = list_tree(part.keys);
  return out;
}

}  // namespace

Json tree(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> Json {
        if constexpr (std::is_same_v<T, std::vector<double>>)
          return list_tree(v);
        else
          return {v};
      },
      value);
}

Json path_tree(const Model& model) { return model.path.empty() ? Json{} : Json{model.path}; }

Json answer() {
  Json out;
  out["version"] = {json_version};
  return out;
}

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

std::string explain_json(const Model& model, const ExplainOptions& options) {
  if (options.length && *options.length < 1)
    fail("explain", "expected a length of at least 1, got ", *options.length);
  Json out = answer();
  out["path"] = path_tree(model), out["format"] = {model.format}, out["family"] = {model.family};
  files::JsonList parts, notes;
  for (const Component& part : model.components) parts.push_back(component_tree(part, options));
  for (const Note& note : model.notes) notes.push_back(note_tree(note));
  out["components"] = {std::move(parts)}, out["notes"] = {std::move(notes)};
  return files::write_json(out);
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

std::string lint_json(const Model& model, const LintOptions& options) {
  const auto notes_tree = [](const std::vector<Note>& notes) {
    files::JsonList out;
    for (const Note& note : notes) out.push_back(note_tree(note));
    return Json{std::move(out)};
  };
  const Findings found = lint(model, options);
  Json out = answer();
  out["path"] = path_tree(model);
  out["findings"] = notes_tree(found.findings), out["traps"] = notes_tree(found.traps);
  return files::write_json(out);
}

}  // namespace posenc::model
