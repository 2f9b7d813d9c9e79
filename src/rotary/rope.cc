// rope.cc: what a rotary scheme must fulfil.
#include "posenc/rotary/rope.h"
#include "base/limits.h"

#include <algorithm>

namespace posenc {
namespace {

constexpr int64_t max_turning = 2 * max_pairs;

void check_span(const Rope& s) {
  check_size(s.name, "dim", s.dim);
  const int64_t turning = s.turning(), first = s.first_feature();
  if (turning < 0 || turning > std::min(s.dim, max_turning) || turning % 2 != 0)
    fail(s.name, "expected rotary_dim, the features that rotate, even and from 0 to ",
         std::min(s.dim, max_turning), ", got ", turning);
  if (first < 0 || first > s.dim - turning)
    fail(s.name, "expected rotary_offset from ", -s.dim, " to ", s.dim - turning, ", got ",
         s.rotary_offset);
  if (s.rotary_heads) check_size(s.name, "rotary_heads", *s.rotary_heads);
  if (s.first_head < -max_size || s.first_head > max_size)
    fail(s.name, "expected first_head within ", max_size, ", got ", s.first_head);
  if (s.blocks < 1 || s.pairs() % s.blocks != 0)
    fail(s.name, "expected blocks that divide the ", s.pairs(), " pairs, got ", s.blocks);
}

void check_sources(const Rope& s) {
  std::visit([](const auto& f) { f.check(); }, s.frequencies);
  if (const auto* list = std::get_if<ListedFrequencies>(&s.frequencies))
    if (std::ssize(list->values) != s.pairs())
      fail(s.name, "expected frequencies.values for ", s.pairs(), " pairs, got ",
           list->values.size());
  if (const auto* powers = std::get_if<AxisPowers>(&s.frequencies))
    if (std::ssize(powers->bases) != s.axis_count())
      fail(s.name, "expected frequencies.bases for ", s.axis_count(), " axes, got ",
           powers->bases.size());
  if (const auto* fourier = std::get_if<Fourier>(&s.frequencies)) {
    if (s.axis_count() != 1)
      fail(s.name, "expected axes one with frequencies fourier, got ", alternative_name(s.axes));
    if (!(s.base > 1)) fail(s.name, "expected base above 1 for frequencies fourier, got ", s.base);
    if (s.turning() > 0 && fourier->mixed(s.base, s.pairs()) == 0)
      fail(s.name, "expected frequencies.max_position_embeddings or num_inv_freq that keep some, ",
           "got ", fourier->num_inv_freq.value_or(fourier->max_position_embeddings));
  }
  if (const auto* learned = std::get_if<LearnedFrequencies>(&s.frequencies)) {
    if (learned->axes > max_axes)
      fail(s.name, "expected frequencies.axes from 1 to ", max_axes, ", got ", learned->axes);
    if (!std::holds_alternative<OneAxis>(s.axes))
      fail(s.name, "expected axes one with learned frequencies, which mix the axes, got ",
           alternative_name(s.axes));
  }
}

void check_phases(const Rope& s) {
  std::visit([](const auto& p) { p.check(); }, s.phases);
  if (!s.weights().empty() && s.weights().size() != 1)
    fail(s.name, "expected phases none with frequencies ", alternative_name(s.frequencies),
         ", got learned ones");
}

// Rules other than linear speak of pair k of D / 2 and of the base.
void check_rule(const Rope& s) {
  std::visit([](const auto& rule) { rule.check(); }, s.scaling);
  const bool any = std::holds_alternative<NoScaling>(s.scaling);
  const bool linear = std::holds_alternative<Linear>(s.scaling);
  const auto rule = alternative_name(s.scaling);
  if (!any && std::holds_alternative<LearnedFrequencies>(s.frequencies))
    fail(s.name, "expected scaling none with learned frequencies, got ", rule);
  if (any || linear) return;
  if (!std::holds_alternative<Powers>(s.frequencies) || has_own_frequencies(s.axes))
    fail(s.name, "expected scaling none or linear unless frequencies are powers over all pairs, ",
         "got ", rule);
  if (!(s.base > 1)) fail(s.name, "expected base above 1 for scaling ", rule, ", got ", s.base);
  if (const auto* longrope = std::get_if<LongRope>(&s.scaling)) longrope->check_pairs(s.pairs());
  if (std::holds_alternative<Proportional>(s.scaling) && s.turning() != s.dim)
    fail(s.name, "expected scaling proportional with the whole head as rotary_dim, got ",
         s.turning(), " of ", s.dim);
}

}  // namespace

Fields Rope::fields() {
  using S = Rope;
  return {{"dim", &S::dim, "features of a head"},
          {"layout", &S::layout, "which two features form a pair; must be given"},
          {"base", &S::base, "base of the frequencies"},
          {"rotary_dim", &S::rotary_dim, "features that rotate; all unless given"},
          {"rotary_offset", &S::rotary_offset, "the first that rotates; negative: from the end"},
          {"rotary_heads", &S::rotary_heads, "heads that rotate; all unless given"},
          {"first_head", &S::first_head, "the first that rotates; negative: from the end"},
          {"blocks", &S::blocks, "parts of the rotating features, each with its own pairs"},
          {"sign", &S::sign, "direction in which a pair rotates"},
          {"offset", &S::offset, "added to every position"},
          {"frequencies", &S::frequencies, "where the frequencies come from", "learned"},
          {"scaling", &S::scaling, "how longer texts change the frequencies"},
          {"axes", &S::axes, "which coordinate rotates which pair"},
          {"phases", &S::phases, "added to the angles of keys", "learned"},
          {"decay", &S::decay, "a factor on scores that falls with the distance"},
          {"temperature", &S::temperature, "a factor on queries that grows with the position"},
          {"numerics", &S::numerics, "how frequencies and angles are rounded"}};
}

int64_t Rope::axis_count() const {
  if (const auto* learned = std::get_if<LearnedFrequencies>(&frequencies)) return learned->axes;
  return std::visit([](const auto& rule) { return rule.axes(); }, axes);
}

int64_t Rope::row_heads() const {
  if (const auto* learned = std::get_if<LearnedFrequencies>(&frequencies)) return learned->heads;
  if (const auto* fourier = std::get_if<Fourier>(&frequencies)) return fourier->heads;
  const auto* learned = std::get_if<LearnedPhases>(&phases);
  return learned ? learned->heads : 1;
}

void Rope::check() const {
  check_span(*this);
  if (!layout && turning() > 0)
    fail(name, "expected layout half, interleaved or interleaved-in-half-out, got none: ",
         "it cannot be guessed");
  check_positive(name, "base", base);
  if (base > 1e30) fail(name, "expected base of at most 1e30, got ", base);
  check_offset(name, offset);
  check_sources(*this);
  check_rule(*this);
  if (turning() > 0) pair_axes(axes, pairs());
  check_phases(*this);
  std::visit([](const auto& d) { d.check(); }, decay);
  std::visit([](const auto& t) { t.check(); }, temperature);
}

std::vector<Weight> Rope::weights() const {
  std::vector<Weight> out;
  if (const auto* learned = std::get_if<LearnedFrequencies>(&frequencies))
    out.push_back({"frequency", {learned->heads, pairs(), learned->axes}, 0, 1});
  if (const auto* fourier = std::get_if<Fourier>(&frequencies)) {
    const int64_t mixed = fourier->mixed(base, pairs());
    out.push_back({"coefficient", {2, fourier->heads, mixed, mixed}, 0, 1});
  }
  if (const auto* learned = std::get_if<LearnedPhases>(&phases))
    out.push_back({"phase", {learned->heads, pairs()}, 0, 0});
  return out;
}

}  // namespace posenc
