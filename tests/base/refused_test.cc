// refused_test.cc: empty plans, numbers beyond 64 bits and enums without a value get a sentence.
#include <gtest/gtest.h>

#include <functional>

#include "posenc/posenc.h"
#include "tests/support/message.h"
#include "tests/support/sanitizer.h"

namespace posenc::refused_test {
namespace {

template <class E>
constexpr E no_value = static_cast<E>(99);

struct Numbers {
  std::vector<float> memory = std::vector<float>(1000);
  Tensor at(int64_t first, std::initializer_list<int64_t> shape) {
    return tensor(memory.data() + first, shape);
  }
};

// Every verb with every plan that no prepare() made, or that was moved from.
template <class Plan>
void expect_refused(Plan made, const std::vector<std::function<void(const Plan&)>>& calls) {
  const Plan other = std::move(made);
  const Plan empty[] = {made, Plan()};
  for (size_t i = 0; i < calls.size(); ++i)
    for (const Plan& plan : empty)
      EXPECT_EQ(message([&] { calls[i](plan); }),
                "[plan] expected a plan that prepare() made, got an empty or moved one")
          << i;
}

TEST(Refused, EmptyPlans) {
  Numbers n;
  const int32_t ids[] = {0, 1, 2};
  const Tensor x = n.at(0, {3, 4}), heads = n.at(0, {3, 2, 4}), scores = n.at(100, {2, 3, 3});
  expect_refused<AbsolutePlan>(
      prepare(Sinusoidal{.dim = 4}),
      {[&](const auto& p) { add(p, x, x); }, [&](const auto& p) { add(p, x); },
       [&](const auto& p) { fill(p, x); }, [&](const auto& p) { backward(p, x, {}); },
       [&](const auto& p) {
         embed(p, tensor(ids, {3}), n.at(50, {9, 4}), x);
       },
       [](const auto& p) { p.dim(); }, [](const auto& p) { p.axes(); }});
  expect_refused<RotaryPlan>(
      prepare(Rope{.dim = 4, .layout = Layout::half}),
      {[&](const auto& p) { rotate(p, {heads}); },
       [&](const auto& p) { rotate_adjoint(p, {heads}, {heads}); },
       [&](const auto& p) { rotate_inverse(p, {heads}, {heads}); },
       [&](const auto& p) { backward(p, {heads}, {heads}, x); },
       [&](const auto& p) { move(p, range(), p, range(), heads); },
       [&](const auto& p) {
         attend(p, {heads, heads, heads}, n.at(50, {3, 2, 4}));
       },
       [](const auto& p) { p.scheme(); }, [](const auto& p) { p.axes(); },
       [](const auto& p) { p.frequencies(); }, [](const auto& p) { p.pairs(); },
       [](const auto& p) { p.max_length(); }, [](const auto& p) { p.cos_sin_factor(); },
       [](const auto& p) { p.softmax_factor(); }, [](const auto& p) { p.table(); }});
  expect_refused<BiasPlan>(
      prepare(Alibi{.heads = 2}),
      {[&](const auto& p) { add(p, scores); }, [&](const auto& p) { fill(p, scores); },
       [&](const auto& p) { fill_profile(p, x, 0); }, [](const auto& p) { bias(p, 0, 0, 0); },
       [&](const auto& p) { backward(p, scores, {}); },
       [&](const auto& p) {
         attend(p, {heads, heads, heads}, n.at(50, {3, 2, 4}));
       },
       [](const auto& p) { p.heads(); }, [](const auto& p) { p.reads(); }});
  expect_refused<ContentPlan>(
      prepare(Shaw{.dim = 4, .left = 1, .right = 1}, {.weights = {{n.at(200, {3, 4})}}}),
      {[&](const auto& p) { add(p, {heads}, scores); },
       [&](const auto& p) { backward(p, {heads}, scores, scores, {}, {}); },
       [&](const auto& p) { add_to_outputs(p, scores, heads); },
       [&](const auto& p) { outputs_backward(p, scores, heads, {}, {}); },
       [&](const auto& p) {
         attend(p, {heads, heads, heads}, n.at(50, {3, 2, 4}));
       },
       [&](const auto& p) {
         attend(Plan{}, {heads, heads, heads}, n.at(50, {3, 2, 4}), {.values = p});
       },
       [](const auto& p) { p.heads(); }, [](const auto& p) { p.reads(); }});
}

TEST(Refused, StridesBeyondMemory) {
  Numbers n;
  const Rope rope{.dim = 4, .layout = Layout::half};
  for (const int64_t step : {INT64_MAX, INT64_MIN, INT64_MAX / 2, int64_t{1} << 60}) {
    const auto far = [&](Tensor t) {
      t.stride[0] = step;
      return t;
    };
    const std::string part = "within 2^60 bytes, got strides [" + std::to_string(step) + ", ";
    const Tensor x = far(n.at(0, {3, 4})), heads = far(n.at(0, {3, 2, 4}));
    const Tensor scores = far(n.at(0, {2, 3, 3})), kept = n.at(100, {3, 4});
    expect_message([&] { fill(Sinusoidal{.dim = 4}, x); }, "[fill] expected table " + part);
    expect_message([&] { add(prepare(Sinusoidal{.dim = 4}), x, kept); },
                   "[add] expected x " + part);
    expect_message([&] { add(prepare(Sinusoidal{.dim = 4}), kept, x); },
                   "[add] expected out " + part);
    expect_message([&] { rotate(rope, {.k = heads}); }, "[rotate] expected k " + part);
    expect_message([&] { add(Alibi{.heads = 2}, scores); }, "[add] expected scores " + part);
    expect_message([&] { shift(Sinusoidal{.dim = 4}, 1).apply(x, x); },
                   "[shift] expected rows " + part);
    int64_t ids[3] = {};
    Tensor at = tensor(ids, {3});
    at.stride[0] = step;
    expect_message([&] { fill(Sinusoidal{.dim = 4}, kept, positions(at)); },
                   "expected positions within");
  }
  Tensor one = n.at(0, {1, 4});  // never taken
  one.stride[0] = INT64_MAX;
  fill(Sinusoidal{.dim = 4}, one);
}

TEST(Refused, UnknownTypes) {
  Numbers n;
  const auto unknown = [](Tensor t) {
    t.dtype = no_value<DType>;
    return t;
  };
  const Tensor x = n.at(0, {3, 4}), heads = n.at(0, {3, 2, 4}), scores = n.at(0, {2, 3, 3});
  expect_message([&] { fill(Sinusoidal{.dim = 4}, unknown(x)); }, "got an unknown type [3, 4]");
  expect_message([&] { add(prepare(Sinusoidal{.dim = 4}), x, unknown(x)); }, "got an unknown type");
  expect_message([&] { rotate(Rope{.dim = 4, .layout = Layout::half}, {unknown(heads)}); },
                 "unknown type");
  expect_message([&] { add(Alibi{.heads = 2}, unknown(scores)); }, "got an unknown type [2, 3, 3]");
  expect_message([&] { positions(unknown(x)); }, "expected i32, i64 or f64");
  Positions at = positions(tensor(static_cast<int64_t*>(nullptr), {3}));
  at.ids.data = n.memory.data(), at.ids.dtype = no_value<DType>;
  expect_message([&] { fill(Sinusoidal{.dim = 4}, x, at); },
                 "expected positions as i32, i64 or f64");
  expect_message([&] { add(Alibi{.heads = 2}, scores, {.queries = at}); },
                 "expected positions of queries");
  expect_message(
      [&] {
        convert_layout(unknown(x), unknown(x), Layout::half, Layout::half,
                       {.heads = 1, .dim = 3, .rotary_dim = 2});
      },
      "expected the weight of a known element type, got number 99");
}

TEST(Refused, EnumsWithoutAValue) {
  Numbers n;
  const Tensor table = n.at(0, {3, 4}), scores = n.at(0, {2, 3, 3});
  const std::vector<std::pair<std::function<void()>, const char*>> cases{
      {[] { prepare(Sinusoidal{.order = no_value<Order>}); },
       "[sinusoidal] expected order to be interleaved, halves, got number 99"},
      {[] {
         prepare(Sinusoidal{.rule = ExplicitRule{{1}, no_value<Unit>}});
       },
       "expected unit to be"},
      {[] { shift(Sinusoidal{.first = no_value<First>}, 1); }, "expected first to be"},
      {[] { prepare(Rope{.dim = 4, .layout = no_value<Layout>}); },
       "[rope] expected layout to be half, interleaved, interleaved-in-half-out, got number 99"},
      {[] { prepare(Rope{.dim = 4, .layout = Layout::half, .sign = no_value<Sign>}); }, "sign"},
      {[] { prepare(Rope{.dim = 4, .layout = Layout::half, .numerics = no_value<Numerics>}); },
       "[rope] expected numerics to be"},
      {[] { prepare(Alibi{.form = no_value<AlibiForm>}); }, "[alibi] expected form to be"},
      {[] { prepare(WindowBias{.table = no_value<WindowTable>}); },
       "[window] expected table to be"},
      {[] { prepare(Shaw{.beyond = no_value<Beyond>}); }, "[shaw] expected beyond to be"},
      {[&] { add(Alibi{.heads = 2}, scores, {.scale_on = no_value<ScaleOn>}); },
       "[add] expected scale_on to be scores, sum, got number 99"},
      {[&] {
         resize(table, n.at(100, {5, 4}), no_value<Resize>);
       },
       "[resize] expected the way to be"},
      {[&] {
         resize_window(n.at(0, {9, 4}), n.at(100, {25, 4}), {2, 2}, {3, 3}, no_value<WindowResize>);
       },
       "[resize_window] expected the way to be"},
      {[&] { convert_layout(table, table, no_value<Layout>, Layout::half, {}); },
       "[convert_layout] expected the layout to be"},
      {[] { layout_order(Layout::half, no_value<Layout>, {}); }, "expected the layout to be"},
      {[] { grid({.order = no_value<AxisOrder>}); }, "[grid] expected order to be yx, xy"},
      {[] { coordinates({.rule = Centers{no_value<SideRule>}}); }, "expected normalize to be"},
      {[] { shard_tokens(8, {.order = no_value<ShardOrder>}); }, "[shard] expected order to be"},
      {[] { segment_tokens({.medium = no_value<Medium>}); }, "[segments] expected medium to be"},
      {[] { segment_tokens({}, {.time = no_value<TimeRule>}); }, "[segments] expected time to be"},
  };
  for (const auto& [call, part] : cases) expect_message(call, part);
  EXPECT_EQ(enum_name(no_value<Layout>), "unknown");
}

TEST(Refused, MoreThanMemoryHolds) {
#ifdef POSENC_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer ends a program that asks for so much";
#endif
  constexpr int64_t many = int64_t{1} << 50;
  const std::string part = "expected rows to keep that fit memory, got " +
                           std::to_string(4 * many) + " numbers of 4 bytes each";
  expect_message([] { prepare(Sinusoidal{.dim = 4}, {.keep = many}); }, part);
  expect_message([] { prepare(Rope{.dim = 4, .layout = Layout::half}, {.keep = many}); }, part);
  expect_message([] { range(0, many); }, "[range] expected positions that fit memory, got");
  expect_message([] { shard_tokens(many, {}); }, "[shard] expected tokens that fit memory, got");
}

TEST(Refused, PairsAndHeadsThatAreNotThere) {
  const Shift m = shift(Sinusoidal{.dim = 4}, 1);
  expect_message([&] { m.sine(100); }, "[shift] expected a pair below 2, got 100");
  expect_message([&] { m.cosine(2); }, "[shift] expected a pair below 2, got 2");
  expect_message([] { Shift{}.sine(0); }, "[shift] expected a pair below 0, got 0");
  expect_message([] { Alibi{.heads = 2}.slope(2); }, "[alibi] expected a head from 0 to 1, got 2");
}

}  // namespace
}  // namespace posenc::refused_test
