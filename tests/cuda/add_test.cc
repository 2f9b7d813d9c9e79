// add_test.cc: rows on a device against the same on the CPU, whatever the scheme, type and view.
#include "tests/cuda/device.h"

namespace posenc::add_test {
namespace {

using CudaAdd = Cuda;

// Every absolute scheme as it starts, of a size that leaves no whole packs, and of one that does.
std::vector<Absolute> small_absolutes() {
  std::vector<Absolute> out{
      Sinusoidal{.dim = 35}, Sinusoidal{.dim = 64}, Sinusoidal{.dim = 24, .normalize_rows = 9},
      Sinusoidal{.dim = 7, .normalize_rows = 9}, Perceiver{.bands = 3, .order = BandOrder::bands}};
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
  const bool is_table = !plan.parts().has_waves();
  const int64_t axes = plan.axes(), far = is_table              ? 13
                                          : waves.lines.empty() ? 2'000'000'000
                                                                : 10'000;
  const int64_t least = is_table ? 0 : -far;
  if (axes == 1) out.emplace_back(is_table ? 3 : far / 2 + 7);
  for (const int64_t batch : {int64_t{1}, rows}) {
    const std::vector<int64_t> shape{axes, batch, tokens};
    out.emplace_back(DType::i32, shape, random, least, far);
    out.emplace_back(DType::i64, shape, random, least, far, Placement::spaced);
    if (!is_table) out.emplace_back(DType::f64, shape, random, least, far);
  }
  return out;
}

double size_of_row(double row) { return std::max(1.0, std::abs(row)); }
double allowed_row(DType dtype, double row) {
  return device_row_error(dtype, row, size_of_row(row)) +
         row_error(DType::f64, row, size_of_row(row));
}

// A row within its error and a number make a sum that is rounded in the compute type and to the
// type. The truth has the error of a row in f64 and its own roundings: of 3 times a number below 1,
// and of the sum.
double allowed_sum(DType dtype, double row, double sum) {
  const DType compute = compute_type(dtype);
  double off = device_row_error(compute, row, size_of_row(row));
  off += half_ulp(compute, std::abs(sum) + off);
  if (dtype != compute) off += half_ulp(dtype, std::abs(sum) + off);
  return off + row_error(DType::f64, row, size_of_row(row)) + half_ulp(DType::f64, 3) +
         half_ulp(DType::f64, sum);
}

// The same verb on both.
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
      const double row = get(truth.view(), n), added = get(x.view(), n) + row;
      ASSERT_NEAR(get(filled.view(), n), row, allowed_row(dtype, row)) << n;
      ASSERT_NEAR(get(sum.view(), n), added, allowed_sum(dtype, row, added)) << n;
      const int64_t id = static_cast<int64_t>(get(ids.view(), n / dim));
      const double token = 3 * get(e.view(), id * dim + n % dim) + row;
      ASSERT_NEAR(get(embedded.view(), n), token, allowed_sum(dtype, row, token)) << n;
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

// Rows in packs, and such that are not: apart, a column late, or of an odd size.
TEST_F(CudaAdd, TrainedTablesOfAnyTypeAndView) {
  Random random(8);
  const int64_t batch = 5, tokens = 21, rows = 40;
  for (const DType type : float_types)
    for (const Placement placement : {Placement::dense, Placement::padded, Placement::spaced})
      for (const int64_t dim : {24, 7}) {
        const Learned scheme{.dim = dim, .rows = rows, .offset = 2, .scale = 0.375};
        for (const int64_t late : {0, 1}) {
          Guarded wide_table(type, {rows, dim + late}, placement);
          randomize(wide_table.view(), random);
          const OnDevice on_device(wide_table.view());
          const auto weights = [&](Tensor t) {
            t.data = static_cast<char*>(t.data) + late * t.step(1) * size_of(type);
            t.shape[1] = dim;
            return t;
          };
          const Tensor here[] = {weights(wide_table.view())}, there[] = {weights(on_device.view())};
          const AbsolutePlan host = prepare(scheme, {.weights = here}),
                             plan = prepare(scheme, {.weights = there});
          for (const DType dtype : {DType::f32, DType::bf16}) {
            SCOPED_TRACE(testing::Message() << to_string(type) << to_string(dtype) << dim << late);
            Guarded x(dtype, {batch, tokens, dim}), sum(dtype, {batch, tokens, dim});
            randomize(x.view(), random);
            const TestPlaces at(DType::i64, {batch, tokens}, random, -2, rows - 3);
            const PlacesOnDevice places(at.at());
            const OnDevice dx(x.view()), dsum(sum.view());
            add(plan, dx.view(), dsum.view(), places.at());
            add(plan, dsum.view(), range(3));
            add(host, x.view(), x.view(), at.at()), add(host, x.view(), range(3));
            dsum.fetch();
            // Numbers of f64 are rounded to f32 before the scale there, and after it here.
            const double off = type == DType::f64 ? 4 * half_ulp(dtype, 4) : 0;
            for (int64_t n = 0; n < x.view().elements(); ++n)
              ASSERT_NEAR(get(sum.view(), n), get(x.view(), n), off) << n;
          }
        }
      }
}

// Sines beside cosines or not, which are ahead or behind.
std::vector<Sinusoidal> long_tables() {
  return {{.dim = 24},
          {.dim = 24, .first = First::cosine, .offset = 3},
          {.dim = 16, .order = Order::halves, .position_scale = 0.3, .scale = 0.5},
          {.dim = 16, .order = Order::halves, .first = First::cosine, .offset = -2}};
}

// A thread makes a run of rows, by sums of f64 or, where these are slow, one by one.
TEST_F(CudaAdd, LongTables) {
  for (int device = 0; device < std::min(cuda::state().devices, 2); ++device)
    for (const Sinusoidal& scheme : long_tables())
      for (const DType dtype : float_types)
        for (const int64_t first : {int64_t{0}, int64_t{-150}, int64_t{2'000'000'000}}) {
          SCOPED_TRACE(std::to_string(device) + " " + std::string(to_string(dtype)));
          const AbsolutePlan plan = prepare(scheme);
          const std::vector<int64_t> shape{300, scheme.dim};
          Guarded table(dtype, shape), truth(DType::f64, shape);
          const OnDevice there(table.view(), device);
          fill(plan, there.view(), range(first)), fill(plan, truth.view(), range(first));
          there.fetch();
          ASSERT_TRUE(table.intact());
          for (int64_t n = 0; n < table.view().elements(); ++n) {
            const double row = get(truth.view(), n);
            ASSERT_NEAR(get(table.view(), n), row, allowed_row(dtype, row)) << n;
          }
        }
}

// A thread takes five batch rows, or four, which share the row that it makes.
TEST_F(CudaAdd, ManyTokensInManyBatchRows) {
  Random random(4);
  const int64_t rows = 9;
  const AbsolutePlan plan = prepare(Sinusoidal{.dim = 16});
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const std::vector<int64_t> shape{rows, dtype == DType::f32 ? 4100 : 8200, 16};
    Guarded x(dtype, shape), sum(dtype, shape), truth(DType::f64, {shape[1], shape[2]});
    randomize(x.view(), random);
    const OnDevice from(x.view()), to(sum.view());
    add(plan, from.view(), to.view(), range(7)), fill(plan, truth.view(), range(7));
    to.fetch();
    ASSERT_TRUE(sum.intact());
    for (int64_t n = 0; n < sum.view().elements(); ++n) {
      const double row = get(truth.view(), n % truth.view().elements());
      const double added = get(x.view(), n) + row;
      ASSERT_NEAR(get(sum.view(), n), added, allowed_sum(dtype, row, added)) << n;
    }
  }
}

}  // namespace
}  // namespace posenc::add_test
