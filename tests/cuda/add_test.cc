// add_test.cc: rows on a device against the same on the CPU, whatever the scheme, type and view.
#include "tests/cuda/device.h"

namespace posenc {
namespace {

using CudaAdd = Cuda;

// Every absolute scheme as it starts, of a size that leaves no whole packs, and of one that does.
std::vector<Absolute> small_absolutes() {
  std::vector<Absolute> out{Sinusoidal{.dim = 35}, Sinusoidal{.dim = 64}};
  for (size_t i = 0; i < std::variant_size_v<Absolute>; ++i) {
    const auto add = [&]<size_t... n>(std::index_sequence<n...>) {
      ((n == i ? out.push_back(Absolute(std::in_place_index<n>)) : void()), ...);
    };
    add(std::make_index_sequence<std::variant_size_v<Absolute>>());
  }
  return out;
}

std::vector<TestPlaces> places_of(const AbsolutePlan& plan, int64_t rows, int64_t tokens,
                                  Random& random) {
  std::vector<TestPlaces> out;
  const Waves& waves = plan.parts().waves;  // a line leaves f16 soon
  const int64_t axes = plan.axes(), far = plan.parts().table    ? 20
                                          : waves.lines.empty() ? 2'000'000'000
                                                                : 10'000;
  const int64_t least = plan.parts().table ? 0 : -far;
  if (axes == 1) out.emplace_back(plan.parts().table ? 3 : far / 2 + 7);
  for (const int64_t batch : {int64_t{1}, rows}) {
    const std::vector<int64_t> shape{axes, batch, tokens};
    out.emplace_back(DType::i32, shape, random, least, far);
    out.emplace_back(DType::i64, shape, random, least, far, Placement::spaced);
    if (!plan.parts().table) out.emplace_back(DType::f64, shape, random, least, far);
  }
  return out;
}

// The same verb on both; they may differ by what the two contracts allow together.
void expect_alike(const Absolute& scheme, DType dtype, Placement placement) {
  Random random(7);
  const int64_t rows = 3, tokens = 19;
  const Prepared host = prepare_random(scheme, random);
  const WeightsOnDevice weights(host.weights);
  const AbsolutePlan plan = prepare(scheme, {.weights = weights.views()});
  const int64_t dim = plan.dim();
  for (const TestPlaces& at : places_of(plan, rows, tokens, random)) {
    SCOPED_TRACE(at.name() + " " + std::string(to_string(dtype)));
    const PlacesOnDevice there(at.at());
    Guarded x(dtype, {rows, tokens, dim}, placement), e(dtype, {50, dim});
    Guarded ids(DType::i32, {rows, tokens});
    randomize(x.view(), random), randomize(e.view(), random);
    randomize_ids(ids.view(), random, 0, 49);
    const OnDevice dx(x.view()), de(e.view()), dids(ids.view());
    Guarded filled(dtype, {rows, tokens, dim}, placement), sum(dtype, {rows, tokens, dim}),
        embedded(dtype, {rows, tokens, dim});
    const OnDevice dfilled(filled.view()), dsum(sum.view()), dembedded(embedded.view());
    fill(plan, dfilled.view(), there.at());
    add(plan, dx.view(), dsum.view(), there.at());
    embed(plan, dids.view(), de.view(), dembedded.view(), {.scale = 3, .at = there.at()});
    Guarded truth(DType::f64, {rows, tokens, dim});
    fill(host.plan, truth.view(), at.at());
    dfilled.fetch(), dsum.fetch(), dembedded.fetch();
    EXPECT_TRUE(filled.intact());
    for (int64_t n = 0; n < truth.view().elements(); ++n) {
      const double row = get(truth.view(), n), size = std::max(1.0, std::abs(row));
      const double row_error = device_row_error(dtype, row, size);
      ASSERT_NEAR(get(filled.view(), n), row, row_error) << n;
      const double added = get(x.view(), n) + row;
      const double allowed = device_row_error(compute_type(dtype), row, size) +
                             2 * half_ulp(compute_type(dtype), 8 * size) +
                             half_ulp(dtype, std::abs(added) + 1e-6);
      ASSERT_NEAR(get(sum.view(), n), added, allowed) << n;
      const int64_t id = static_cast<int64_t>(get(ids.view(), n / dim));
      const double token = 3 * get(e.view(), id * dim + n % dim) + row;
      ASSERT_NEAR(get(embedded.view(), n), token, allowed + half_ulp(dtype, std::abs(token) + 1e-6))
          << n;
    }
  }
}

TEST_F(CudaAdd, EverySchemeIsThatOfTheCpu) {
  for (const Absolute& scheme : small_absolutes()) {
    SCOPED_TRACE(alternative_name(scheme));
    for (DType dtype : float_types) expect_alike(scheme, dtype, Placement::dense);
  }
}

TEST_F(CudaAdd, ViewsOfAnyStrides) {
  for (Placement placement : all_placements)
    for (DType dtype : float_types) expect_alike(Sinusoidal{.dim = 24}, dtype, placement);
}

}  // namespace
}  // namespace posenc
