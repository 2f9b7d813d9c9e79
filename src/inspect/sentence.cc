// sentence.cc: sentences are put together from the clauses of mistakes().
#include "sentence.h"

#include <cmath>
#include <cstdio>

#include "posenc/model/identify.h"

namespace posenc::inspect {
namespace {

std::string number(double x, int digits = 6) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

std::string counted(int64_t count, int64_t first, std::string_view one, std::string_view many) {
  const std::string row = std::to_string(first);
  if (count == 1) return join({"row", row, std::string(one)}, " ");
  return join({std::to_string(count), "rows (the first is row", row + ")", std::string(many)}, " ");
}

std::string scale_text(const Sinusoidal& s) {
  const double d = static_cast<double>(s.dim), scale = s.amplitude();
  std::string text = number(scale);
  if (scale == std::sqrt(d)) return text + " = sqrt(dim)";
  if (scale == 1 / std::sqrt(d)) return text + " = 1/sqrt(dim)";
  if (scale == std::sqrt(2 / d)) return text + " = sqrt(2/dim)";
  return text;
}

std::string ratio_text(double x) {
  const double over = 1 / x;
  return std::abs(x) < 1 && std::abs(over - std::round(over)) < 1e-9 * std::abs(over)
             ? "1/" + number(std::round(over))
             : number(x);
}

std::string value_of(std::string_view name, const Explanation& e) {
  const Sinusoidal& s = e.candidate.formula.scheme;
  const TableComparison& c = e.comparison;
  if (name == "base") return number(s.base);
  if (name == "offset") return std::to_string(s.offset);
  if (name == "position_scale") return ratio_text(s.position_scale);
  if (name == "scale") return scale_text(s);
  if (name == "zero_rows") return counted(c.zero, c.first_zero, "is", "are");
  if (name == "differing") return counted(c.differing, c.first_differing, "differs", "differ");
  const std::string where =
      "row " + std::to_string(e.bad_row) + ", column " + std::to_string(e.bad_column);
  if (e.not_finite == 1) return "the element at " + where + " is";
  return std::to_string(e.not_finite) + " elements (the first is at " + where + ") are";
}

std::string filled(std::string_view clause, const Explanation& e) {
  std::string out;
  for (size_t at = 0; at < clause.size();) {
    const size_t open = clause.find('{', at), close = clause.find('}', at);
    out += clause.substr(at, open - at);
    if (open == clause.npos) break;
    out += value_of(clause.substr(open + 1, close - open - 1), e);
    at = close + 1;
  }
  return out;
}

std::string clause_of(const std::string& id, const Explanation& e) {
  for (const model::Mistake& m : model::mistakes())
    if (m.id == id) return filled(m.about, e);
  return id;
}

std::string preset_help(std::string_view name) {
  for (const auto& preset : Sinusoidal::presets())
    if (preset.name == name) return std::string(preset.help);
  return "";
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  return join({names.begin(), names.end() - 1}, ", ") + " and " + names.back();
}

std::string start(const Explanation& e) {
  const std::string preset(e.candidate.preset);
  if (e.fairseq_weights)
    return "The complete weight table of fairseq: row 1 (padding_idx) is zero and the first token "
           "uses row 2";
  if (e.candidate.mistakes.empty()) return "Preset " + preset + " (" + preset_help(preset) + ")";
  std::vector<std::string> clauses;
  for (const std::string& id : e.candidate.mistakes) clauses.push_back(clause_of(id, e));
  return "Same as preset " + preset + ", except that " + join(clauses, ", and ");
}

}  // namespace

std::string sentence(const Explanation& e) {
  const Sinusoidal& s = e.candidate.formula.scheme;
  std::vector<std::string> parts{start(e)};
  if (!e.also.empty())
    parts.push_back(e.too_short ? "the table is too short to distinguish it from " + listed(e.also)
                                : listed(e.also) + (e.also.size() > 1 ? " give" : " gives") +
                                      " the same numbers");
  if (s.order == Order::halves && std::holds_alternative<PaperRule>(s.rule) &&
      e.candidate.mistakes.empty() && s.dim > 2)
    parts.emplace_back("the table does not show whether halves or pairs were intended");
  if (e.rows == 1 && s.offset == 0)
    parts.emplace_back("a single row at position 0 does not show the frequencies");
  if (s.numerics != Numerics::exact)
    parts.push_back("computed in f32, as most code does, up to " + number(e.f32_error, 2) +
                    " away from the exact values");
  if (e.type != e.stored)
    parts.push_back("its values have " + std::string(to_string(e.type)) + " precision");
  if (!e.candidate.mistakes.empty())
    parts.push_back("`posenc table sinusoidal --preset " + std::string(e.candidate.preset) +
                    " --dim " + std::to_string(s.dim) + " --positions 0:" + std::to_string(e.rows) +
                    "` prints the preset");
  return join(parts, "; ") + ".";
}

std::string sentence_for_unknown(const Explanation& e) {
  return "Not recognised: no sinusoidal or rotary table and no bias that posenc knows (it may be "
         "learned, of another kind, or too short). The nearest sinusoidal preset, " +
         std::string(e.candidate.preset) + ", differs by up to " + number(e.comparison.error, 2) +
         (e.cut ? "; not every combination of mistakes was tried." : ".");
}

}  // namespace posenc::inspect
