// identify.cc: from a tensor to a verdict.
#include "identify.h"

#include <algorithm>
#include <cmath>

#include "bits.h"
#include "check.h"
#include "sentence.h"

namespace posenc {
namespace inspect {
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
bool agrees(const Comparison& c, const Formula& formula, const Table& table) {
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
void add_damage(Explanation& e, const Facts& facts) {
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

Match to_match(const Explanation& e) {
  return {std::string(e.candidate.preset), join(e.candidate.mistakes, "+"), sentence(e),
          e.comparison.error,              e.also,                          e.candidate.formula.scheme};
}

// The first of the candidates that all rows agree with, or the one with the fewest that differ.
std::optional<Match> explain(const std::vector<Candidate>& found, const Evidence& evidence) {
  const Table& table = evidence.table;
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

// Nothing explains the sample: the preset most rows agree with, or just the nearest.
Match explain_unknown(const Evidence& evidence) {
  Explanation best{presets_at(evidence.table.dim).front(), evidence.table.rows, evidence.table.dtype,
                   evidence.sample.type};
  double least = compare(evidence.sample, best.candidate.formula).mean_error;
  for (const Candidate& preset : presets_at(evidence.table.dim)) {
    const double error = compare(evidence.sample, preset.formula).mean_error;
    if (error < least) best.candidate = preset, least = error;
  }
  best.comparison = compare(evidence.table, evidence.facts, best.type, best.candidate.formula);
  if (!agrees(best.comparison, best.candidate.formula, evidence.table))
    return {"", "", sentence_for_unknown(best), best.comparison.error};
  add_damage(best, evidence.facts);
  return to_match(best);
}

// A look at a sample only: a large table is slow to read across its rows.
std::vector<Candidate> search_transposed(const Table& table) {
  Facts facts;
  facts.usable.assign(static_cast<size_t>(table.rows), 1);
  const Evidence evidence{table, facts, take_sample(table, facts)};
  const auto& values = evidence.sample.values;
  if (!std::all_of(values.begin(), values.end(), is_finite)) return {};
  auto found = search(evidence);
  for (Candidate& c : found) c.mistakes.insert(c.mistakes.begin(), "transposed");
  return found;
}

Match identify_table(const Table& table) {
  const Facts facts = look_at(table);
  const Evidence evidence{table, facts, take_sample(table, facts)};
  if (evidence.sample.empty() && facts.not_finite > 0)
    return {"", "not-finite", "No row of the table is free of NaN and infinity.", 0};
  if (table.rows > 1 && facts.constant)
    return {"", "constant-rows",
            "Every row is the same, so the table tells no position: positions were not used, or run "
            "along another axis.",
            explain_unknown(evidence).error};
  if (!evidence.sample.empty())
    if (const auto match = explain(search(evidence), evidence)) return *match;
  if (table.rows > 1 && table.dim > 1) {
    const Table turned = table.transposed();
    if (const auto found = search_transposed(turned); !found.empty()) {
      const Facts turned_facts = look_at(turned);
      const Evidence seen{turned, turned_facts, take_sample(turned, turned_facts)};
      if (const auto match = explain(found, seen)) return *match;
    }
  }
  return explain_unknown(evidence);
}

bool is_constant(const Table& table) { return look_at(table).constant; }

// Tables that differ: each of one row repeated, as when the batch axis was encoded.
Match identify_batch(const Tables& all) {
  bool constant = true;
  for (size_t i = 0; constant && i < all.offsets.size(); ++i) constant = is_constant(all[i]);
  const int64_t step = all.offsets.size() > 1 ? all.offsets[1] : 0;
  for (size_t i = 0; i < all.offsets.size(); ++i)
    constant &= all.offsets[i] == static_cast<int64_t>(i) * step;
  if (!constant)
    return {"", "", "The tables along the first axes differ: give one of them alone.", 0};
  Table rows = all.first;
  rows.rows = std::ssize(all.offsets), rows.row_step = step;
  Match out = identify_table(rows);
  if (out.match.empty()) return out;
  out.mistake = join(out.mistake.empty() ? std::vector<std::string>{"batch-axis"}
                                         : std::vector<std::string>{"batch-axis", out.mistake},
                     "+");
  out.sentence = "Positions run along the batch axis, and every token of a sequence has the same row: "
                 "move the axes. " + out.sentence;
  return out;
}

}  // namespace
}  // namespace inspect

Match identify(const Tensor& t) {
  using namespace inspect;
  check_rows("identify", "table", t, t.rank > 0 ? t.size(-1) : 0);
  if (t.elements() == 0) fail("identify", "expected a table with elements, got ", describe(t));
  const Tables all = tables(t);
  for (size_t i = 1; i < all.offsets.size(); ++i)
    if (!equal(all.first, all[i])) return identify_batch(all);
  return identify_table(all.first);
}

}  // namespace posenc
