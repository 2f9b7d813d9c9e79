// sinusoidal_match.cc: from a table to the preset, and the mistakes beside it, that gave it.
#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "kinds.h"
#include "sentence.h"

namespace posenc::inspect {
namespace {

bool same_numbers(const Formula& a, const Formula& b) {
  if (a.mix != b.mix || a.reversed != b.reversed || a.scheme.offset != b.scheme.offset ||
      a.scheme.amplitude() != b.scheme.amplitude())
    return false;
  const Sketch x(a), y(b);
  for (int64_t c = 0; c < a.scheme.dim; ++c) {
    const auto p = a.column(c), q = b.column(c);
    if (p.cosine != q.cosine || p.zero != q.zero) return false;
    if (!p.zero && std::abs(x.frequency(c) / y.frequency(c) - 1) > 1e-12) return false;
  }
  return true;
}

// Does most of the table agree? Of a rounded phase, some fall on the other side.
bool agrees(const TableComparison& c, const Formula& formula, const TableView& table) {
  if (formula.lowered.any()) return c.elements <= table.rows * table.dim / 20;
  return 2 * c.differing < table.rows;
}

// The other presets that explain the table: with the same numbers, or because it is short.
void add_others(Explanation& e, const std::vector<Candidate>& found, const Evidence& evidence) {
  constexpr double near = 0.03;
  for (const Candidate& other : found) {
    if (other.preset == e.candidate.preset || other.cost > e.candidate.cost + near) continue;
    if (std::find(e.also.begin(), e.also.end(), other.preset) != e.also.end()) continue;
    const bool same = same_numbers(other.formula, e.candidate.formula);
    const auto fits = [&] {
      return compare(evidence.table, evidence.facts, e.type, other.formula).differing <=
             e.comparison.differing;
    };
    if (!same && !fits()) continue;
    e.also.emplace_back(other.preset);
    e.too_short |= !same;
  }
}

// A row of zeros, a NaN or a few other rows do not hide what the rest is.
void add_damage(Explanation& e, const TableFacts& facts) {
  auto& mistakes = e.candidate.mistakes;
  const bool rounded = e.candidate.formula.lowered.any();  // some phases go to the other side
  const bool is_fairseq = e.candidate.preset == "tensor2tensor" && mistakes.empty() &&
                          e.comparison.zero == 1 && e.comparison.first_zero == 1;
  e.not_finite = facts.not_finite, e.bad_row = facts.bad_row, e.bad_column = facts.bad_column;
  if (is_fairseq) {
    e.candidate.preset = "fairseq", e.also.clear(), e.fairseq_weights = true;
  } else if (e.comparison.zero > 0) {
    mistakes.emplace_back("padding-row");
  }
  if (e.not_finite > 0) mistakes.emplace_back("not-finite");
  if (e.comparison.differing > 0 && !rounded) mistakes.emplace_back("rows-differ");
}

// Can options say all of it?
bool is_option(const Explanation& e) {
  const Formula& f = e.candidate.formula;
  const auto by_hand = [](const std::string& id) {
    return id == "transposed" || id == "batch-axis" || id == "padding-row" || id == "not-finite" ||
           id == "rows-differ";
  };
  const auto& ids = e.candidate.mistakes;
  return f.mix == Mix::none && !f.reversed && !f.lowered.any() && !e.fairseq_weights &&
         std::none_of(ids.begin(), ids.end(), by_hand);
}

Match to_match(const Explanation& e) {
  const Sinusoidal& scheme = e.candidate.formula.scheme;
  Match m{std::string(e.candidate.preset),
          join(e.candidate.mistakes, "+"),
          sentence(e),
          e.comparison.error,
          e.also,
          scheme};
  m.kind = "sinusoidal", m.found = info(scheme), m.within_rounding = e.comparison.differing == 0;
  if (is_option(e))
    m.command = "posenc table sinusoidal" + typed_options(scheme) +
                " --positions 0:" + std::to_string(e.rows);
  return m;
}

// The first of the candidates that all rows agree with, or the one with the fewest that differ.
std::optional<Match> explain(const std::vector<Candidate>& found, const Evidence& evidence) {
  const TableView& table = evidence.table;
  std::optional<Explanation> best;
  for (const Candidate& candidate : found) {
    Explanation e{candidate, table.rows, table.dtype, evidence.sample.type};
    Formula& formula = e.candidate.formula;
    const NearestNumerics nearest = nearest_numerics(evidence.sample, formula);
    formula.scheme.numerics = nearest.numerics, e.f32_error = nearest.exact_error;
    e.comparison = compare(table, evidence.facts, e.type, formula);
    if (!best || e.comparison.differing < best->comparison.differing) best = e;
    if (best->comparison.differing == 0) break;
  }
  if (!best || !agrees(best->comparison, best->candidate.formula, table)) return {};
  add_others(*best, found, evidence);
  add_damage(*best, evidence.facts);
  return to_match(*best);
}

// The mean difference of a sample from a formula, in doubles.
double mean_error(const Sample& sample, const Formula& formula) {
  const Sketch sketch(formula);
  double sum = 0;
  for (size_t i = 0; i < sample.values.size(); ++i) {
    const int64_t row = sample.rows[i / sample.columns.size()];
    const double unit = sketch.value(formula.position(row, sample.table_rows),
                                     sample.columns[i % sample.columns.size()]);
    sum += std::abs(sample.values[i] - formula.scheme.amplitude() * unit);
  }
  return sum / std::max(1.0, static_cast<double>(sample.values.size()));
}

// Nothing explains the sample: the preset most rows agree with, or just the nearest.
Match explain_unknown(const Evidence& evidence) {
  Explanation best{presets_at(evidence.table.dim).front(), evidence.table.rows,
                   evidence.table.dtype, evidence.sample.type};
  best.cut = evidence.sample.cut();
  double least = mean_error(evidence.sample, best.candidate.formula);
  for (const Candidate& preset : presets_at(evidence.table.dim)) {
    const double error = mean_error(evidence.sample, preset.formula);
    if (error < least) best.candidate = preset, least = error;
  }
  best.comparison = compare(evidence.table, evidence.facts, best.type, best.candidate.formula);
  if (!agrees(best.comparison, best.candidate.formula, evidence.table))
    return {"", "", sentence_for_unknown(best), best.comparison.error};
  add_damage(best, evidence.facts);
  return to_match(best);
}

using Ids = std::vector<std::string>;

std::vector<Candidate> search_with(const Evidence& evidence, const Ids& before) {
  if (evidence.sample.empty()) return {};
  auto found = search(evidence);
  for (Candidate& c : found) c.mistakes.insert(c.mistakes.begin(), before.begin(), before.end());
  return found;
}

// First a look at a sample only: a large table is slow to read across its rows.
std::optional<Match> explain_transposed(const TableView& table, Ids before) {
  if (table.rows < 2 || table.dim < 2) return {};
  TableFacts all_usable;
  all_usable.usable.assign(static_cast<size_t>(table.rows), 1);
  const Evidence look{table, all_usable, take_sample(table, all_usable)};
  const auto& values = look.sample.values;
  if (!std::all_of(values.begin(), values.end(), is_finite)) return {};
  before.emplace_back("transposed");
  const auto found = search_with(look, before);
  if (found.empty()) return {};
  const TableFacts facts = look_at(table);
  return explain(found, {table, facts, take_sample(table, facts)});
}

// before: mistakes that were found on the way to this table.
Match identify_table(const TableView& table, const Ids& before) {
  const TableFacts facts = look_at(table);
  const Evidence evidence{table, facts, take_sample(table, facts)};
  if (evidence.sample.empty() && facts.not_finite > 0)
    return {"", "not-finite", "Every row of the table contains NaN or infinity.", 0};
  if (table.rows > 1 && facts.constant)
    return {"", "constant-rows",
            "Every row is the same, so the table carries no position information: positions were "
            "not used, or run along another axis.",
            explain_unknown(evidence).error};
  if (const auto match = explain(search_with(evidence, before), evidence)) return *match;
  if (const auto match = explain_transposed(table.transposed(), before)) return *match;
  return explain_unknown(evidence);
}

// The first rows of all tables as one table, when each table repeats its first row.
std::optional<TableView> rows_along_batch(const Tables& all) {
  TableView out = all.first;
  out.rows = std::ssize(all.offsets), out.row_step = all.offsets[1];
  for (size_t i = 0; i < all.offsets.size(); ++i)
    if (all.offsets[i] != static_cast<int64_t>(i) * out.row_step || !look_at(all[i]).constant)
      return {};
  return out;
}

}  // namespace

Match identify_sinusoidal(const Tensor& t) {
  const Tables all = tables(t);
  bool same = true;
  for (size_t i = 1; same && i < all.offsets.size(); ++i) same = equal(all.first, all[i]);
  if (same) return identify_table(all.first, {});
  if (const auto rows = rows_along_batch(all)) return identify_table(*rows, {"batch-axis"});
  return {"", "", "The tables along the leading axes differ: pass only one of them.", 0};
}

}  // namespace posenc::inspect
