// gradient_test.cc: what absolute schemes learn, on a device against the CPU.
#include "tests/cuda/sums.h"

namespace posenc::gradient_test {
namespace {

using CudaGradient = Cuda;

// Small ones; and, of all schemes, those that learn as they start.
std::vector<Absolute> learning() {
  return {Learned{.dim = 5, .rows = 60},
          Learned{.dim = 16, .rows = 60, .offset = 2, .padding = 9, .scale = 0.5},
          Learned{.dim = 16, .rows = 60, .offset = 1, .scale = 2, .learned_scale = true},
          Learned{.dim = 7, .rows = 60, .padding = 8, .learned_scale = true},
          Axial{.dim = 12, .rows = {14, 20}, .shares = {5, 7}, .block_axes = {1, 0}},
          Axial{.dim = 8, .rows = {14, 20}, .combine = Combine::sum, .block_tables = {0, 1, 0}},
          LearnedGrid{.dim = 8, .between = Between::linear},
          Sinusoidal{.dim = 24, .learned_scale = true},
          Sinusoidal{.dim = 15, .offset = 3, .padding = 4, .learned_scale = true},
          Time2Vec{.dim = 9},
          Gaussian{.coordinates = 1, .features = 5},
          Gaussian{.coordinates = 3, .features = 4},
          Gaussian{.coordinates = 2, .features = 6, .form = FourierForm::phases},
          Learned{.dim = 8, .rows = 60, .learned_scale = true, .gate = Gate::rest}};
}
std::vector<Absolute> learning_by_default() {
  std::vector<Absolute> out;
  for (size_t i = 0; i < std::variant_size_v<Absolute>; ++i) {
    const auto add = [&]<size_t... n>(std::index_sequence<n...>) {
      ((n == i ? out.push_back(Absolute(std::in_place_index<n>)) : void()), ...);
    };
    add(std::make_index_sequence<std::variant_size_v<Absolute>>());
  }
  std::erase_if(out, [](const Absolute& s) { return weights(s).empty(); });
  return out;
}

// What the error of every row, as a part of its amplitude, comes to in each sum.
Weights sizes_of_terms(const AbsolutePlan& plan, const Absolute& scheme, const Tensor& dout,
                       const TestPlaces& at) {
  const Weights out = zero_weights(scheme, DType::f64);
  const int64_t dim = dout.size(-1), tokens = dout.size(-2);
  const Waves& waves = plan.parts().waves;
  const auto add = [&](const Link& link, double size) {
    if (link.weight < 0) return;
    const Tensor to = out.arrays[static_cast<size_t>(link.weight)].view();
    set(to, link.entry, get(to, link.entry) + std::abs(link.factor) * size);
  };
  for (int64_t n = 0; n < dout.elements(); ++n) {
    const Wave& wave = waves.columns[static_cast<size_t>(n % dim)];
    const auto place = at.place(plan.axes(), n / dim / tokens, n / dim % tokens);
    const double g = std::abs(get(dout, n));
    const double slope = wave.kind == Wave::Kind::line ? 1 : 2 * M_PI * std::abs(wave.amplitude);
    for (size_t a = 0; a < wave.rate_link.size(); ++a)
      add(wave.rate_link[a],
          g * slope * std::abs(place[a] + static_cast<double>(waves.shift_whole)));
    add(wave.offset_link, g * slope), add(wave.amplitude_link, g);
  }
  return out;
}

struct Gradient {
  Absolute scheme;
  DType dtype;
  Placement placement;
  int64_t rows = 3, tokens = 19;
};

void expect_alike(const Gradient& g, const TestPlaces& at) {
  Random random(9);
  const Prepared host = prepare_random(g.scheme, random);
  const WeightsOnDevice device_weights(host.weights);
  const AbsolutePlan plan = prepare(g.scheme, {.weights = device_weights.views()});
  const PlacesOnDevice there(at.at());
  Guarded dout(g.dtype, {g.rows, g.tokens, plan.dim()}, g.placement);
  randomize(dout.view(), random);
  const OnDevice device_dout(dout.view());
  std::vector<std::unique_ptr<Guarded>> sums;
  std::vector<const Guarded*> list;
  Weights truth, sizes, ones;
  for (const Weight& w : weights(g.scheme)) {
    sums.push_back(std::make_unique<Guarded>(compute_type(g.dtype), w.shape, g.placement));
    randomize(sums.back()->view(), random);
    list.push_back(sums.back().get());
    truth.arrays.push_back(widened(sums.back()->view()));
    sizes.arrays.push_back(sizes_of(sums.back()->view()));
  }
  backward(host.plan, widened(dout.view()).view(), truth.views(), at.at());
  const bool is_table = !plan.parts().has_waves();
  const Weights terms = is_table ? zero_weights(g.scheme, DType::f64)
                                 : sizes_of_terms(host.plan, g.scheme, dout.view(), at);
  if (is_table) backward(host.plan, sizes_of(dout.view()).view(), sizes.views(), at.at());
  run_twice(list, [&](std::span<const Tensor> to) {
    backward(plan, device_dout.view(), to, there.at());
  });
  const double n = static_cast<double>(dout.view().elements());
  const size_t tables = plan.parts().table ? 1 : plan.parts().lookups.tables.size();
  for (size_t i = 0; i < tables; ++i)  // a row is read by all tokens at most, by up to 16 lookups;
    expect_sums(sums[i]->view(), truth.arrays[i].view(), sizes.arrays[i].view(),  // factors are > 0
                static_cast<double>(g.rows * g.tokens) * (plan.parts().table ? 1 : 16));
  for (size_t i = tables; i < sums.size(); ++i)
    for (int64_t e = 0; e < sums[i]->view().elements(); ++e) {
      // Products and their sum, in f64 on both, of rows within their errors; then two roundings.
      const DType c = compute_type(g.dtype);
      const double wanted = get(truth.arrays[i].view(), e), size = is_table ? 2 * n : 0;
      const double error = device_row_error(c, 1) + row_error(DType::f64, 1) + 4 * n * 0x1p-53;
      const double roundings = 2 * half_ulp(c, std::abs(wanted) + 2);
      ASSERT_NEAR(get(sums[i]->view(), e), wanted,
                  error * get(terms.arrays[i].view(), e) + 4 * n * 0x1p-53 * size + roundings)
          << "weight " << i << " entry " << e;
    }
}

std::vector<TestPlaces> places_of(const Absolute& scheme, int64_t rows, int64_t tokens) {
  Random random(8);
  std::vector<TestPlaces> out;
  const int64_t axes = std::visit([](const auto& s) { return s.axes(); }, scheme);
  const bool is_table = std::visit(
      [](const auto& s) {
        return !requires { s.waves({}); };
      },
      scheme);
  const int64_t far = !is_table ? 100'000 : axes == 1 ? 30 : 13;
  if (axes == 1) out.emplace_back(int64_t{3});
  for (const int64_t batch : {int64_t{1}, rows}) {
    const std::vector<int64_t> shape{axes, batch, tokens};
    out.emplace_back(DType::i32, shape, random, 0, far);
    out.emplace_back(DType::i64, shape, random, 0, 9, Placement::spaced);
    if (!is_table) out.emplace_back(DType::f64, shape, random, -far, far);
  }
  return out;
}

TEST_F(CudaGradient, EverythingThatIsLearned) {
  for (const Absolute& scheme : learning())
    for (const DType dtype : float_types)
      for (const TestPlaces& at : places_of(scheme, 3, 19)) {
        SCOPED_TRACE(std::string(alternative_name(scheme)) + " " + std::string(to_string(dtype)) +
                     " " + at.name());
        expect_alike({scheme, dtype, Placement::dense}, at);
      }
}

TEST_F(CudaGradient, EverySchemeAsItStarts) {
  for (const Absolute& scheme : learning_by_default()) {
    SCOPED_TRACE(alternative_name(scheme));
    expect_alike({scheme, DType::bf16, Placement::dense}, places_of(scheme, 3, 19).back());
  }
}

TEST_F(CudaGradient, ViewsOfAnyStrides) {
  for (const Absolute& scheme : {Absolute(Learned{.dim = 8, .rows = 40, .learned_scale = true}),
                                 Absolute(Time2Vec{.dim = 8})})
    for (const Placement placement : all_placements)
      for (const DType dtype : {DType::f64, DType::bf16}) {
        const auto places = places_of(scheme, 2, 9);
        for (const TestPlaces& at : {places[0], places[1], places.back()})
          expect_alike({scheme, dtype, placement, 2, 9}, at);
      }
}

// Batch rows and places that are cut into several sums.
TEST_F(CudaGradient, ManyRows) {
  for (const Absolute& scheme : {Absolute(Learned{.dim = 8, .rows = 40, .learned_scale = true}),
                                 Absolute(Sinusoidal{.dim = 8, .learned_scale = true}),
                                 Absolute(Gaussian{.coordinates = 1, .features = 3})})
    for (const auto& [rows, tokens] : {std::pair{300, 2}, std::pair{40, 31}})
      for (const TestPlaces& at : places_of(scheme, rows, tokens))
        expect_alike({scheme, DType::f32, Placement::dense, rows, tokens}, at);
}

// Places that are none say nothing: as if their gradients were 0, at some place that is one.
TEST_F(CudaGradient, PlacesThatAreNone) {
  Random random(5);
  for (const Absolute& scheme :
       {Absolute(Learned{.dim = 8, .rows = 40, .offset = 1, .learned_scale = true}),
        Absolute(Time2Vec{.dim = 6})}) {
    const bool is_table = std::holds_alternative<Learned>(scheme);
    const Prepared host = prepare_random(scheme, random);
    const WeightsOnDevice device_weights(host.weights);
    const AbsolutePlan plan = prepare(scheme, {.weights = device_weights.views()});
    Guarded ids(is_table ? DType::i32 : DType::f64, {2, 30}), dout(DType::f64, {2, 30, plan.dim()});
    randomize(dout.view(), random), randomize_ids(ids.view(), random, 0, 38);
    const OnDevice device_dout(dout.view());
    const double nowhere[] = {is_table ? -2 : NAN, is_table ? 39 : INFINITY};
    for (int64_t n = 0; n < 60; n += 7) set(ids.view(), n, nowhere[n % 2]);
    const OnDevice device_ids(ids.view());
    for (int64_t n = 0; n < 60; n += 7) {
      set(ids.view(), n, 5);
      for (int64_t c = 0; c < plan.dim(); ++c) set(dout.view(), n * plan.dim() + c, 0);
    }
    const Weights wanted = zero_weights(scheme, DType::f64), got = wanted;
    const WeightsOnDevice sums(got);
    backward(host.plan, dout.view(), wanted.views(), positions(ids.view()));
    backward(plan, device_dout.view(), sums.views(), positions(device_ids.view()));
    sums.fetch();
    for (size_t i = 0; i < got.arrays.size(); ++i)  // 60 terms a column below 2 pi times 38
      for (int64_t e = 0; e < got.arrays[i].view().elements(); ++e)
        EXPECT_NEAR(get(got.arrays[i].view(), e), get(wanted.arrays[i].view(), e),
                    60 * 8 * 240 * (4e-16 + 480 * 0x1p-53));
  }
}

}  // namespace
}  // namespace posenc::gradient_test
