// allocation_test.cc: verbs that take a plan allocate nothing.
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/places.h"
#include "tests/support/threads.h"
#include "tests/support/weights.h"

namespace posenc::allocation_test {
namespace {

TEST(Allocation, IsCounted) {  // or the other tests could not fail
  std::vector<float> out(7);
  const auto use = [&] { fill(Sinusoidal{.dim = 7}, tensor(out.data(), {1, 7})); };
  EXPECT_GT(allocations_of(use), 0);
  EXPECT_EQ(allocations_of([&] { Array a = make_array(DType::f32, {3}); }), 2);
}

void expect_none(const Absolute& scheme, DType dtype, const TestPlaces& at) {
  Random random(1);
  const Prepared p = prepare_random(scheme, random);
  const int64_t dim = p.plan.dim();
  Guarded dense(dtype, {2, 600, dim}), spaced(dtype, {2, 600, dim}, Placement::spaced);
  Guarded ids(DType::i64, {2, 600}), embedding(dtype, {9, dim});
  Guarded dembedding(compute_type(dtype), {9, dim});
  randomize(dense.view(), random), randomize_ids(ids.view(), random, 0, 8);
  const Weights dweights = zero_weights(scheme, compute_type(dtype));
  const auto views = dweights.views();
  const auto name = std::string(alternative_name(scheme)) + " " + std::string(to_string(dtype));
  for (const Tensor& out : {dense.view(), spaced.view()}) {
    fill(p.plan, out, at.at()), add(p.plan, out, out, at.at());  // memory for later calls
    EXPECT_EQ(allocations_of([&] { fill(p.plan, out, at.at()); }), 0) << name;
    EXPECT_EQ(allocations_of([&] { add(p.plan, out, out, at.at()); }), 0) << name;
    EXPECT_EQ(allocations_of([&] {
                embed(p.plan, ids.view(), embedding.view(), out, {2, at.at()});
              }),
              0)
        << name;
    EXPECT_EQ(allocations_of([&] { backward(p.plan, out, views, at.at()); }), 0) << name;
    EXPECT_EQ(allocations_of([&] { embed_backward(ids.view(), out, dembedding.view()); }), 0);
  }
}

TEST(Allocation, NoneInVerbsWithAPlan) {
  Random random(2);
  for (int count : {1, 2}) {
    const Threads use(count);
    for (const Absolute& s : std::vector<Absolute>{
             Sinusoidal{.dim = 130}, Sinusoidal{.dim = 130, .learned_scale = true},
             Sinusoidal{.dim = 70, .numerics = Numerics::torch_f32}, Time2Vec{.dim = 70},
             Learned{.dim = 130, .rows = 700, .learned_scale = true}, Temporal{.dim = 70},
             Gaussian{.coordinates = 1, .features = 70}, Perceiver{{16}, 3}})
      for (DType dtype : count == 1 ? std::span(float_types) : std::span(float_types).first(1))
        for (const TestPlaces& at :
             {TestPlaces(3), TestPlaces(DType::i32, {2, 600}, random, 0, 600)})
          expect_none(s, dtype, at);
  }
}

}  // namespace
}  // namespace posenc::allocation_test
