// content_test.cc: terms of content schemes on a device against the same in f64 on the CPU.
#include "tests/cuda/content.h"
#include "cuda/term_limit.h"
#include "tests/cuda/capture.h"
#include "tests/support/message.h"

namespace posenc::content_test {
namespace {

using CudaContent = Cuda;

// A score and its term: numbers up to 1, or up to the sum of q + v and u, and scales up to 1. CoPE
// reads its table where a sum over keys says.
double score_bound(const Stand& t, DType dtype) {
  Sum sum = score_size(t.scheme, t.sizes.keys);
  if (const auto* cope = std::get_if<Cope>(&t.scheme))
    sum.size *= static_cast<double>(cope->positions),
        sum.length += static_cast<double>(t.sizes.keys);
  return allowed(dtype, sum, 1);
}

void expect_scores(const Stand& t, const StandOnDevice& there, Stand& wide, const ScoreOptions& o,
                   const ScoreOptions& on_device) {
  add(wide.plan, wide.inputs(), wide.scores.view(), wide.out.view(), o);
  add(there.plan, there.inputs(), there.scores.view(), there.out.view(), on_device);
  there.out.fetch();
  expect_near(t.out.view(), wide.out.view(), score_bound(t, t.q.view().dtype));
  EXPECT_TRUE(t.out.intact());
  add(there.plan, there.inputs(), there.scores.view(), on_device);  // in place
  const auto apart = numbers(t.out.view()), before = numbers(t.scores.view());
  there.scores.fetch();
  EXPECT_EQ(numbers(t.scores.view()), apart);
  for (int64_t n = 0; n < t.scores.view().elements(); ++n)
    set(t.scores.view(), n, before[static_cast<size_t>(n)]);
}

// Gradients that are added to numbers which are there; twice, to find the same bits.
void expect_gradients(const Stand& t, StandOnDevice& there, const Stand& wide,
                      const ScoreOptions& o, const ScoreOptions& on_device, Placement placement,
                      Random& random) {
  const DType compute = compute_type(t.q.view().dtype);
  const Guarded dout(t.q.view().dtype, {t.sizes.rows, t.sizes.heads, t.sizes.queries, t.sizes.keys},
                     placement);
  const Guarded dout64(DType::f64, {t.sizes.rows, t.sizes.heads, t.sizes.queries, t.sizes.keys});
  randomize(dout.view(), random);
  for (int64_t n = 0; n < dout.view().elements(); ++n) set(dout64.view(), n, get(dout.view(), n));
  const AllGradients got(t, compute, placement), again(t, compute, placement),
      truth(wide, DType::f64);
  for (size_t i = 0; i < got.views().size(); ++i) {
    randomize(got.views()[i], random);
    for (int64_t n = 0; n < got.views()[i].elements(); ++n)
      for (const AllGradients* to : {&again, &truth})
        set(to->views()[i], n, get(got.views()[i], n));
  }
  run_backward(wide, dout64.view(), truth, o);
  there.scores.put();
  const OnDevice ddout(dout.view());
  for (const AllGradients* to : {&got, &again}) {
    const OnDevice dq(to->dq.view()), dk(to->dk.view()), dgates(to->dgates.view()),
        dscores(to->dscores.view());
    const WeightsOnDevice dweights(to->dweights);
    backward(there.plan, there.inputs(), there.scores.view(), ddout.view(),
             {dq.view(), dk.view(), dgates.view(), dscores.view()}, dweights.views(), on_device);
    dq.fetch(), dk.fetch(), dgates.fetch(), dscores.fetch(), dweights.fetch();
  }
  EXPECT_EQ(got.all(), again.all());
  const auto bounds = gradient_bounds(t, compute, 1);
  for (size_t i = 0; i < bounds.size(); ++i) {
    SCOPED_TRACE(i);
    expect_near(got.views()[i], truth.views()[i], bounds[i]);
  }
}

void expect_alike(const Content& scheme, DType dtype, const Case& c, Placement placement) {
  SCOPED_TRACE(std::string(alternative_name(scheme)) + " " + std::string(to_string(dtype)));
  Random random(17);
  Stand t(scheme, dtype, c.sizes, random, placement), wide(scheme, DType::f64, c.sizes, random);
  copy_numbers(t, wide);
  StandOnDevice there(t);
  const OptionsOnDevice on_device(c.options);
  expect_scores(t, there, wide, c.options, on_device.options);
  expect_gradients(t, there, wide, c.options, on_device.options, placement, random);
}

TEST_F(CudaContent, EverySchemeTypeViewAndPlace) {
  const Ids ids;
  size_t n = 0;
  for (const Content& scheme : all_schemes())
    for (const Case& c : ids.cases(scheme))
      for (const DType dtype : float_types)
        expect_alike(scheme, dtype, c, all_placements[n++ % std::size(all_placements)]);
}

// Memory for a call that holds few numbers: work is done a line at a time.
class FewNumbers {
 public:
  explicit FewNumbers(int64_t count) : before_(std::exchange(cuda::most_numbers, count)) {}
  FewNumbers(const FewNumbers&) = delete;
  ~FewNumbers() { cuda::most_numbers = before_; }

 private:
  int64_t before_;
};

TEST_F(CudaContent, SomeLinesAfterOthers) {
  const Ids ids;
  for (const int64_t count : {1, 100})
    for (const Content& scheme : all_schemes()) {
      const FewNumbers few(count);
      expect_alike(scheme, DType::f32, ids.cases(scheme)[0], Placement::dense);
    }
}

// Sums over so many lines that several threads share them, or so many keys that each takes some.
TEST_F(CudaContent, LongSums) {
  for (const Content& scheme : all_schemes()) {
    const bool along_keys = reads_of(scheme).scores || sums_keys(scheme);
    const Sizes lines{20, 1, 15, 15}, keys{1, 1, 7, 140};
    expect_alike(scheme, DType::f32, {along_keys ? keys : lines, {.first_head = 2, .scale = 0.5}},
                 Placement::padded);
  }
}

TEST_F(CudaContent, WhatIsNotWantedIsNotNeeded) {
  Random random(23);
  for (const Content& scheme : all_schemes()) {
    const Stand t(scheme, DType::f32, {2, 3, 9, 9}, random);
    const StandOnDevice there(t);
    const AllGradients all(t, DType::f32), some(t, DType::f32);
    run_backward(t, t.scores.view(), all, {.first_head = 0});
    const OnDevice dq(some.dq.view());
    backward(there.plan, there.inputs(), there.scores.view(), there.scores.view(),
             {.dq = dq.view()}, {}, {.first_head = 0});
    backward(there.plan, there.inputs(), there.scores.view(), there.scores.view(), {}, {},
             {.first_head = 0});
    dq.fetch();
    expect_near(some.dq.view(), all.dq.view(), 2 * gradient_bounds(t)[0]);
  }
}

// What prepare() copied to the device is all that the first calls need: they can be captured.
TEST_F(CudaContent, KeptFromTheStart) {
  Random random(31);
  for (const Content& scheme : all_schemes())
    for (const DType dtype : {DType::f64, DType::bf16}) {
      SCOPED_TRACE(std::string(alternative_name(scheme)) + " " + std::string(to_string(dtype)));
      const Stand t(scheme, dtype, {2, 3, 9, 9}, random);
      const auto make = [&] {
        return prepare(scheme, {.weights = t.weights.views(), .cuda_device = 0});
      };
      expect_captured({&t.q, &t.k, &t.gates, &t.scores}, make,
                      [](const ContentPlan& p, Views x, Stream s) {
                        add(p, {x[0], x[1], x[2]}, x[3], {.first_head = 0, .causal = true}, s);
                      });
      const AllGradients to(t, compute_type(dtype));
      std::vector<std::unique_ptr<Guarded>> sums;
      std::vector<const Guarded*> all{&t.q,   &t.k,   &t.gates,   &t.scores,
                                      &to.dq, &to.dk, &to.dgates, &to.dscores};
      for (const Weight& w : weights(scheme)) {
        sums.push_back(std::make_unique<Guarded>(compute_type(dtype), w.shape));
        randomize(sums.back()->view(), random);
        all.push_back(sums.back().get());
      }
      expect_captured(all, make, [](const ContentPlan& p, Views x, Stream s) {
        backward(p, {x[0], x[1], x[2]}, x[3], x[3], {x[4], x[5], x[6], x[7]}, x.subspan(8),
                 {.first_head = 0}, s);
      });
      if (!std::holds_alternative<Shaw>(scheme)) continue;
      expect_captured({&t.scores, &t.q}, make, [](const ContentPlan& p, Views x, Stream s) {
        add_to_outputs(p, x[0], x[1], {}, s);
      });
      expect_captured({&t.scores, &t.q, &to.dscores, all.back()}, make,
                      [](const ContentPlan& p, Views x, Stream s) {
                        outputs_backward(p, x[0], x[1], x[2], x.subspan(3), {}, s);
                      });
    }
  EXPECT_THROW(prepare(Shaw{}, {.cuda_device = 1000}), Error);
}

TEST_F(CudaContent, WhatCannotBeDoneIsSaid) {
  Random random(29);
  const TransformerXl legacy{.dim = 5, .heads = 3, .sinusoids = {.dim = 6}, .legacy = true};
  const Stand t(legacy, DType::f32, {2, 3, 9, 9}, random);
  const StandOnDevice there(t);
  const TestPlaces ids(DType::i64, {9}, random, 0, 9);
  const PlacesOnDevice places(ids.at());
  const auto adding = [&](const ContentInputs& in, const Positions& queries) {
    return message(
        [&] { add(there.plan, in, there.scores.view(), there.out.view(), {.queries = queries}); });
  };
  EXPECT_EQ(
      adding(there.inputs(), places.at()),
      "[transformer-xl] expected ranges of positions for the legacy form, got ids on a device");
  EXPECT_EQ(adding(t.inputs(), range(0)),
            "[add] expected out and q on one device, got cuda:0 and the CPU");
}

}  // namespace
}  // namespace posenc::content_test
