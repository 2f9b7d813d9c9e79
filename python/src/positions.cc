// positions.cc: the planner of positions; what it makes becomes arrays of NumPy.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include "plan.h"
#include "posenc/positions/coordinates.h"
#include "posenc/positions/padding.h"
#include "posenc/positions/segments.h"
#include "posenc/positions/sequence.h"
#include "posenc/positions/shard.h"

namespace posenc::python {
namespace {

using nb::handle;
using nb::none;

template <class T>
nb::object array_of(std::vector<T> numbers, std::initializer_list<size_t> shape) {
  auto* owned = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(owned,
                          [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner));
}

// [axes, rows, tokens]
template <class T>
nb::object array_of(Planned<T> plan) {
  const auto axes = static_cast<size_t>(plan.axes), rows = static_cast<size_t>(plan.rows),
             tokens = static_cast<size_t>(plan.tokens);
  return array_of(std::move(plan.ids), {axes, rows, tokens});
}

nb::object padded_of(handle mask, Word<"rule"> preset, WholeOrNone<"first"> first,
                     WholeOrNone<"padded"> at, Whole<"past"> past) {
  Padding rule = preset_of<Padding>("rule", preset);
  const std::optional<int64_t> begin = first, filler = at;
  rule.first = begin.value_or(rule.first), rule.padded = filler.value_or(rule.padded);
  const Given read = output(mask);
  return array_of(padded(read.tensor, rule, past));
}

nb::object packed_of(handle cu_seqlens, handle first) {
  const Given ends = output(cu_seqlens), starts = given(first);
  return array_of(starts.tensor.rank ? packed(ends.tensor, starts.tensor) : packed(ends.tensor));
}

nb::object grid_of(Whole<"frames"> frames, Whole<"height"> height, Whole<"width"> width,
                   Word<"order"> order, Flag<"time"> time, Whole<"merge"> merge,
                   Whole<"first"> first, Whole<"before"> before, Whole<"after"> after,
                   Whole<"extra_at"> extra_at) {
  return array_of(grid({frames, height, width, choice_of<AxisOrder>("order", order), time, merge,
                        first, before, after, extra_at}));
}

// options: a list of (name, text).
template <class T>
void set_all(T& value, const Options& options) {
  for (const auto& [name, text] : options) set_option(value, name, name, text);
}

nb::object coordinates_of(Whole<"height"> height, Whole<"width"> width, Word<"rule"> rule,
                          const Options& options, Word<"order"> order, Flag<"f32"> f32) {
  CoordinateRule chosen;
  set_option(chosen, "rule", "", rule);
  set_all(chosen, options);
  return array_of(coordinates({height, width, chosen, choice_of<AxisOrder>("order", order), f32}));
}

// (medium, tokens, frames, height, width, seconds, sound)
Segment segment_of(handle one) {
  using Facts = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t, double, int64_t>;
  Facts facts;
  if (!nb::try_cast(one, facts))
    refuse(
        "[segments] expected text(), image(), video() or audio() of posenc.positions, got "
        "another " +
        named_type(one));
  const auto& [medium, tokens, frames, height, width, seconds, sound] = facts;
  return {choice_of<Medium>("medium", medium), tokens, frames, height, width, seconds, sound};
}

nb::object segments_of(const nb::list& list, Word<"model"> model, const Options& options) {
  SegmentRule rule = preset_of<SegmentRule>("model", model);
  set_all(rule, options);
  std::vector<Segment> all;
  for (handle one : list) all.push_back(segment_of(one));
  if (rule.time == TimeRule::real_f32) {
    auto plan = segment_coordinates(all, rule);
    return nb::make_tuple(array_of(std::move(plan.positions)), plan.rope_delta);
  }
  auto plan = segments(all, rule);
  return nb::make_tuple(array_of(std::move(plan.positions)), plan.rope_delta);
}

nb::object shard_of(handle tokens, Whole<"ranks"> ranks, Whole<"rank"> rank, Word<"order"> order) {
  const Shard shard{ranks, rank, choice_of<ShardOrder>("order", order)};
  auto held = PyLong_Check(tokens.ptr()) ? shard_tokens(nb::cast<int64_t>(tokens), shard)
                                         : shard_tokens(output(tokens).tensor, shard);
  const size_t count = held.size();
  return array_of(std::move(held), {count});
}

}  // namespace

void bind_positions(nb::module_& m) {
  m.def("padded", padded_of, arg("mask"), arg("rule"), arg("first") = none(),
        arg("padded") = none(), arg("past") = 0);
  m.def("packed", packed_of, arg("cu_seqlens"), arg("first") = none());
  m.def(
      "per_row",
      [](handle first, Whole<"tokens"> tokens) {
        return array_of(per_row(output(first).tensor, tokens));
      },
      arg("first"), arg("tokens"));
  m.def(
      "after_cache",
      [](handle past, Whole<"tokens"> n) { return array_of(after_cache(output(past).tensor, n)); },
      arg("past"), arg("tokens"));
  m.def("grid", grid_of, arg("frames"), arg("height"), arg("width"), arg("order"), arg("time"),
        arg("merge"), arg("first"), arg("before"), arg("after"), arg("extra_at"));
  m.def("coordinates", coordinates_of, arg("height"), arg("width"), arg("rule"), arg("options"),
        arg("order"), arg("f32"));
  m.def("segments", segments_of, arg("list"), arg("model"), arg("options"));
  m.def("shard_tokens", shard_of, arg("tokens"), arg("ranks"), arg("rank"), arg("order"));
}

}  // namespace posenc::python
