// rotary_table.cc: cosines and sines of rotary pairs, however they are arranged.
#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/limits.h"
#include "measure.h"
#include "rotary_turns.h"

namespace posenc::inspect {
namespace {

// What was found out about a table.
struct Found {
  Rope rope;
  Arrangement arrangement;
  double factor = 1;
  std::vector<std::string> also{};
  bool listed = false;  // no rule gives the frequencies
  double error = 0;     // largest difference
  int64_t differing = 0, first_differing = 0;
};

void compare_rows(const RotaryRows& rows, Found& f) {
  constexpr int64_t block = 256;
  const RotaryPlan plan = prepare(f.rope);
  const double times = f.factor / plan.cos_sin_factor(), storage = storage_error(rows.type);
  const auto n = static_cast<size_t>(f.rope.pairs());
  std::vector<double> given(static_cast<size_t>(rows.dim())), wanted(block * 2 * n), speed;
  for (const Frequency& w : plan.frequencies()) speed.push_back(radians(w));
  f.error = 0, f.differing = 0;
  for (int64_t r = 0; r < rows.count(); ++r) {
    if (r % block == 0)
      fill(plan.table(), tensor(wanted.data(), {block, 2 * f.rope.pairs()}), range(r));
    rows.read(r, given.data());
    const double* at = wanted.data() + (r % block) * 2 * f.rope.pairs();
    bool differs = false;
    for (size_t c = 0; c < given.size(); ++c) {
      const auto k = static_cast<size_t>(f.arrangement.columns[c].pair);
      const double value = times * at[k + (f.arrangement.columns[c].sine ? n : 0)];
      const double p = static_cast<double>(r + f.rope.offset);
      const double most = storage + phase_error(p, speed[k], DType::f32);
      const double error = std::abs(given[c] - value);
      differs |= !(error <= f.factor * slack * most);
      if (is_finite(error)) f.error = std::max(f.error, error);
    }
    if (differs && f.differing++ == 0) f.first_differing = r;
  }
}

// The factor belongs to YaRN, or is nobody's.
void set_factor(Found& f, double error) {
  auto* yarn = std::get_if<Yarn>(&f.rope.scaling);
  if (!yarn || std::abs(yarn->cos_sin_factor(0) / f.factor - 1) <= error) return;
  yarn->attention_factor = fewest_digits(f.factor, error);
}

Found explain(const RotaryRows& rows, const Arrangement& a, const MeasuredRotation& turns) {
  const bool in_turn = a.layout == "interleaved" || a.layout == "pairs";
  Found out{{.dim = 2 * a.pairs, .layout = in_turn ? Layout::interleaved : Layout::half},
            a,
            turns.factor};
  out.rope.offset = turns.offset;
  std::vector<Known> known = turns.pairs;
  const bool back = known[0].w < 0;
  for (Known& k : known) k.w = back ? -k.w : k.w;
  if (back) out.rope.sign = Sign::negative;
  const auto fits = rules_for(known);
  for (const RotaryFit& fit : fits)
    if (&fit != &fits.front()) out.also.push_back("scaling " + option_text(fit.rope, "scaling"));
  if (fits.empty()) {
    ListedFrequencies list;
    for (const Known& k : known)
      list.values.push_back(std::abs(k.w) <= k.error ? 0 : rounded_to_digits(k.w, 9));
    out.rope.frequencies = list, out.listed = true;
  } else {
    out.rope.base = fits.front().rope.base, out.rope.scaling = fits.front().rope.scaling;
    if (!fits.front().also.empty()) out.also.push_back(fits.front().also);
  }
  set_factor(out, slack * storage_error(rows.type));
  compare_rows(rows, out);
  if (out.error <= out.factor * storage_error(rows.type)) return out;
  Found rounded = out;  // as f32 code has it
  rounded.rope.numerics = Numerics::torch_f32;
  compare_rows(rows, rounded);
  return rounded.error < out.error ? rounded : out;
}

// Three rows can be turned steadily by chance.
bool is_explained(const Found& f, const RotaryRows& rows) {
  return f.listed ? f.differing == 0 && rows.count() > 3 : 2 * f.differing < rows.count();
}

std::string arrangement_text(const Arrangement& a) {
  const std::string n = std::to_string(a.pairs);
  const std::string what = a.holds == "cos"       ? "cosines"
                           : a.holds == "sin"     ? "sines"
                           : a.holds == "sin|cos" ? "sines, then cosines,"
                           : a.layout == "pairs"  ? "alternating cosines and sines"
                                                  : "cosines, then sines,";
  const std::string of = what + " of " + n + " pairs";
  if (a.layout == "half") return of + ", each twice, in halves (pair k at k and k + " + n + ")";
  if (a.layout == "interleaved") return of + ", each twice in a row (pair k at 2k and 2k + 1)";
  return of + (a.layout == "plain" ? ", each once" : "");
}

std::string rule_text(const Found& f) {
  std::string out = f.listed ? "frequencies that follow no rule that posenc knows, such as "
                               "LongRoPE divisors or learned frequencies"
                             : "base " + number_text(f.rope.base);
  if (f.rope.scaling.index() != 0) out += ", scaling " + option_text(f.rope, "scaling");
  if (f.rope.sign == Sign::negative) out += ", rotating in the opposite direction";
  if (f.rope.offset != 0) out += ", first row at position " + std::to_string(f.rope.offset);
  if (f.rope.numerics != Numerics::exact) out += ", computed in f32, as most code does";
  if (f.factor != 1) out += ", all multiplied by " + number_text(rounded_to_digits(f.factor, 6));
  return out;
}

RotaryMatch to_match(const RotaryRows& rows, const Found& f) {
  Match m{"rope", f.rope.offset != 0 ? "position-offset" : "", "", f.error, f.also};
  m.kind = "rope", m.holds = f.arrangement.holds, m.layout = f.arrangement.layout;
  if (f.differing > 0) m.mistake += std::string(m.mistake.empty() ? "" : "+") + "rows-differ";
  const bool told = f.arrangement.layout == "half" || f.arrangement.layout == "interleaved";
  m.sentence = "Rotary: " + arrangement_text(f.arrangement) + "; " + rule_text(f);
  if (!told) m.sentence += "; the table does not show which feature layout it is for";
  if (f.differing > 0)
    m.sentence += f.differing == 1
                      ? "; row " + std::to_string(f.first_differing) + " differs"
                      : "; " + std::to_string(f.differing) + " rows (the first is row " +
                            std::to_string(f.first_differing) + ") differ";
  m.sentence += ".";
  const auto* yarn = std::get_if<Yarn>(&f.rope.scaling);
  m.within_rounding = f.differing == 0;
  if (f.factor == 1 || yarn)
    m.command = "posenc table rope" + typed_options(f.rope) +
                " --positions 0:" + std::to_string(rows.count());
  m.found = info(f.rope);
  return {std::move(m), f.rope};
}

TableView as_table(const Tensor& t, int rows, int columns, int64_t first = 0) {
  return {static_cast<const char*>(t.data) + first * size_of(t.dtype),
          t.dtype,
          t.size(rows),
          t.size(columns),
          t.step(rows),
          t.step(columns)};
}

// The readings of a tensor as rows of cosines and sines.
std::vector<RotaryRows> readings(const Tensor& t) {
  std::vector<RotaryRows> out;
  if (t.rank == 2) out.push_back({{as_table(t, 0, 1)}});
  if (t.rank == 3 && t.size(0) == 2)
    out.push_back({{as_table(t, 1, 2), as_table(t, 1, 2, t.step(0))}});
  if (t.rank == 3 && t.size(1) == 2)
    out.push_back({{as_table(t, 0, 2), as_table(t, 0, 2, t.step(1))}});
  if (t.rank == 3 && t.size(2) == 2 && t.step(1) == 2 * t.step(2)) {
    TableView pairs = as_table(t, 0, 2);
    pairs.dim = 2 * t.size(1);
    out.push_back({{pairs}});
  }
  for (RotaryRows& rows : out) {
    std::vector<double> values = rows.row(rows.count() / 2), last = rows.row(rows.count() - 1);
    values.insert(values.end(), last.begin(), last.end());
    rows.type = narrowest(t.dtype, values);
  }
  return out;
}

}  // namespace

std::optional<RotaryMatch> identify_rotary(const Tensor& t) {
  constexpr int64_t most_pairs = max_pairs;
  for (const RotaryRows& rows : readings(t)) {
    if (rows.count() < 2 || rows.dim() > 4 * most_pairs) continue;
    for (const Arrangement& a : arrangements(rows)) {
      if (a.pairs < 2 || a.pairs > most_pairs) continue;
      const auto turns = turning(rows, a);
      if (!turns) continue;
      const Found found = explain(rows, a, *turns);
      if (is_explained(found, rows)) return to_match(rows, found);
    }
  }
  return {};
}

}  // namespace posenc::inspect
