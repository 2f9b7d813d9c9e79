// rotate_test.cc: turns on a device against those of the CPU.
#include "tests/cuda/device.h"

#include <cstring>

#include "posenc/rotary.h"
#include "tests/support/message.h"

namespace posenc::rotate_test {
namespace {

using CudaRotate = Cuda;

struct Ropes {
  std::string name;
  Rope rope;
  int64_t length = 0;
};

// Every preset, with fewer features, and what presets do not have.
std::vector<Ropes> ropes() {
  std::vector<Ropes> out;
  for (const auto& preset : Rope::presets()) {
    Rope rope = preset.value;
    if (!rope.layout) rope.layout = Layout::half;
    rope.dim = std::min<int64_t>(rope.dim, 64);
    if (rope.rotary_dim) rope.rotary_dim = std::min<int64_t>(*rope.rotary_dim, rope.dim);
    try {
      rope.check();
    } catch (const Error&) {  // its axes and lists are for its own size
      rope = preset.value, rope.layout = rope.layout.value_or(Layout::half);
    }
    if (auto* learned = std::get_if<LearnedFrequencies>(&rope.frequencies))
      learned->heads = std::min<int64_t>(learned->heads, 3);
    out.push_back({std::string(preset.name), rope, 5000});
  }
  using enum Layout;
  for (Layout layout : {half, interleaved, interleaved_in_half_out}) {
    const std::string name(enum_name(layout));
    out.push_back({name + " 96", {.dim = 96, .layout = layout}});
    out.push_back({name + " of a part", {.dim = 80, .layout = layout, .rotary_dim = 48}});
    out.push_back(
        {name + " odd", {.dim = 13, .layout = layout, .rotary_dim = 10, .rotary_offset = 2}});
    out.push_back({name + " of nothing", {.dim = 24, .layout = layout, .rotary_dim = 0}});
    out.push_back({name + " blocks", {.dim = 64, .layout = layout, .blocks = 2}});
    out.push_back({name + " the other way",
                   {.dim = 32, .layout = layout, .sign = Sign::negative, .offset = 7}});
    out.push_back({name + " xpos", {.dim = 32, .layout = layout, .decay = XPos{}}});
    out.push_back(
        {name + " temperature",
         {.dim = 32, .layout = layout, .rotary_dim = 16, .temperature = LogTemperature{}}});
    out.push_back(
        {name + " some heads", {.dim = 32, .layout = layout, .rotary_heads = 1, .first_head = 1}});
    out.push_back({name + " phases", {.dim = 32, .layout = layout, .phases = LearnedPhases{}}});
    out.push_back({name + " phases of heads",
                   {.dim = 32, .layout = layout, .phases = LearnedPhases{.heads = 2}}});
    out.push_back(
        {name + " torch", {.dim = 32, .layout = layout, .numerics = Numerics::torch_f32}});
  }
  return out;
}

struct Tensors {
  Guarded q, k, q_out, k_out;
  Tensors(DType dtype, const std::vector<int64_t>& q_shape, const std::vector<int64_t>& k_shape,
          Placement placement)
      : q(dtype, q_shape, placement),
        k(dtype, k_shape, placement),
        q_out(dtype, q_shape),
        k_out(dtype, k_shape) {}
};

// Both differ from the truth by the errors of cosines and sines on both numbers of a pair, and by
// the roundings on the way; size: the largest number of the head.
double allowed(DType dtype, double size) {
  const DType c = compute_type(dtype);
  const double angle = 2 * (row_error(c, 1) + device_row_error(c, 1));
  return 1.5 * size * angle + 6 * half_ulp(c, size) + 2 * half_ulp(dtype, size);
}

void expect_near(const Tensor& got, const Tensor& wanted) {
  const int64_t dim = wanted.size(-1);
  for (int64_t head = 0; head < wanted.elements(); head += dim) {
    double size = 0;
    for (int64_t f = 0; f < dim; ++f) size = std::max(size, std::abs(get(wanted, head + f)));
    for (int64_t f = 0; f < dim; ++f)
      ASSERT_NEAR(get(got, head + f), get(wanted, head + f), allowed(wanted.dtype, size))
          << head / dim << ", " << f;
  }
}

using Verb = void (*)(const RotaryPlan&, const QueriesKeys&, const QueriesKeys&, const Positions&,
                      Stream);

using Given = void (*)(const CosSin&, Layout, const QueriesKeys&, const QueriesKeys&,
                       const Positions&, Stream);

void expect_alike(const Ropes& r, DType dtype, Placement placement, int64_t keep = 0,
                  int64_t tokens = 21) {
  Random random(3);
  const int64_t rows = 2;
  SCOPED_TRACE(r.name + " " + std::string(to_string(dtype)) + " x " + std::to_string(tokens));
  const Weights weights = random_weights(r.rope.weights(), random);
  const WeightsOnDevice device_weights(weights);
  const auto views = weights.views();
  const RotaryPlan plan = prepare(r.rope, {views, r.length, keep}),
                   there = prepare(r.rope, {device_weights.views(), r.length, keep});
  const auto* learned = std::get_if<LearnedFrequencies>(&r.rope.frequencies);
  const bool own = learned && learned->heads > 1;  // each head has frequencies
  const std::vector<int64_t> q_shape{rows, tokens, own ? learned->heads : 5, r.rope.dim},
      k_shape{rows, tokens, own ? learned->heads : 2, r.rope.dim};
  const int64_t axes = plan.axes(), far = keep ? 24 : 4000;
  std::vector<TestPlaces> places{TestPlaces(keep ? 2 : 100)};
  for (const int64_t batch : {int64_t{1}, rows})
    places.emplace_back(DType::i32, std::vector{axes, batch, tokens}, random, 0, far);
  places.emplace_back(DType::f64, std::vector{axes, rows, tokens}, random, 0, far);
  for (const TestPlaces& at : places) {
    SCOPED_TRACE(at.name());
    const PlacesOnDevice device_at(at.at());
    for (Verb verb : {Verb(rotate), Verb(rotate_adjoint), Verb(rotate_inverse)}) {
      Tensors x(dtype, q_shape, k_shape, placement);
      randomize(x.q.view(), random), randomize(x.k.view(), random);
      Guarded wanted_q(dtype, q_shape), wanted_k(dtype, k_shape);
      verb(plan, {x.q.view(), x.k.view()}, {wanted_q.view(), wanted_k.view()}, at.at(), {});
      const OnDevice q(x.q.view()), k(x.k.view()), q_out(x.q_out.view()), k_out(x.k_out.view());
      verb(there, {q.view(), k.view()}, {q_out.view(), k_out.view()}, device_at.at(), {});
      verb(there, {q.view(), k.view()}, {q.view(), k.view()}, device_at.at(), {});  // in place
      q_out.fetch(), k_out.fetch();
      const auto pairs = {std::pair{&wanted_q, &x.q_out}, std::pair{&wanted_k, &x.k_out}};
      for (const auto& [wanted, got] : pairs) expect_near(got->view(), wanted->view());
      q.fetch(), k.fetch();
      for (int64_t n = 0; n < wanted_q.view().elements(); ++n)
        ASSERT_EQ(get(x.q.view(), n), get(x.q_out.view(), n)) << n;
      for (int64_t n = 0; n < wanted_k.view().elements(); ++n)
        ASSERT_EQ(get(x.k.view(), n), get(x.k_out.view(), n)) << n;
      EXPECT_TRUE(x.q.intact() && x.k.intact() && x.q_out.intact() && x.k_out.intact());
    }
  }
}

TEST_F(CudaRotate, EveryRopeIsThatOfTheCpu) {
  for (const Ropes& r : ropes())
    for (DType dtype : {DType::f32, DType::bf16}) expect_alike(r, dtype, Placement::dense);
}

TEST_F(CudaRotate, EveryTypeAndView) {
  for (Placement placement : all_placements)
    for (DType dtype : float_types)
      for (Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out})
        expect_alike({"", {.dim = 32, .layout = layout}}, dtype, placement);
}

// Some of them, with positions beyond those; heads by lines and by packs.
TEST_F(CudaRotate, KeptRows) {
  for (DType dtype : float_types)
    for (Layout layout : {Layout::half, Layout::interleaved})
      for (Sign sign : {Sign::positive, Sign::negative})
        for (int64_t dim : {32, 128})
          expect_alike({std::to_string(dim), {.dim = dim, .layout = layout, .sign = sign}}, dtype,
                       Placement::dense, 13);
}

// So few that a thread takes one head of a token, and so many that it takes two or four.
TEST_F(CudaRotate, ManyTokens) {
  for (int64_t tokens : {5, 13, 40})
    for (DType dtype : {DType::f32, DType::bf16}) {
      for (Layout layout : {Layout::half, Layout::interleaved})
        for (int64_t dim : {64, 128})
          expect_alike({"", {.dim = dim, .layout = layout}}, dtype, Placement::dense, 0, tokens);
      expect_alike({"blocks", {.dim = 128, .layout = Layout::half, .blocks = 2}}, dtype,
                   Placement::dense, 0, tokens);
    }
}

// So many that lines of memory are moved whole: the same bits as for the parts that are too few.
TEST_F(CudaRotate, ManyTokensAreAsTheirParts) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  for (const int64_t dim : {128, 192, 256}) {
    const int64_t heads = 11, many = int64_t{processors} * 65536 / (heads * dim / 8) + 1;
    const RotaryPlan plan = prepare(Rope{.dim = dim, .layout = Layout::half}, {.keep = many / 2});
    Random random(dim);
    Guarded x(DType::bf16, {many, heads, dim}), parts(DType::bf16, {many, heads, dim});
    randomize(x.view(), random);
    const auto bytes = static_cast<size_t>(many * heads * dim * 2);
    std::memcpy(parts.view().data, x.view().data, bytes);
    const OnDevice all(x.view()), some(parts.view());
    rotate(plan, {.q = all.view()});
    for (int64_t first = 0, count = many / 9 + 1; first < many; first += count) {
      Tensor part = some.view();
      part.shape[0] = std::min(count, many - first);
      part.data = static_cast<char*>(part.data) + first * heads * dim * 2;
      rotate(plan, {.q = part}, range(first));
    }
    all.fetch(), some.fetch();
    EXPECT_EQ(std::memcmp(parts.view().data, x.view().data, bytes), 0) << dim;
  }
}

// Rows as models keep them, of any type, with as much beside them; those whose lines are no whole
// packs are read otherwise.
TEST_F(CudaRotate, TablesOfEveryType) {
  Random random(9);
  for (const DType kept : float_types)
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      for (const Layout layout : {Layout::half, Layout::interleaved})
        for (const int64_t dim : {64, 128, 192})
          for (const int64_t width : {dim, dim + 3}) {
            SCOPED_TRACE(std::string(to_string(kept)) + " for " + std::string(to_string(dtype)) +
                         ", " + std::to_string(width));
            const Guarded rows(kept, {2, 50, width});
            randomize(rows.view(), random);
            const auto table = [&](const Tensor& all) {
              CosSin out{all, all};
              for (Tensor* t : {&out.cos, &out.sin})
                t->rank = 2, t->shape = {50, dim / 2}, t->stride = {width, 1};
              out.sin.data = static_cast<char*>(all.data) + 50 * width * size_of(kept);
              return out;
            };
            const OnDevice there(rows.view());
            const TestPlaces ids(DType::i64, {2, 21}, random, 0, 49);
            const PlacesOnDevice device_ids(ids.at());
            for (const bool forward : {true, false}) {
              const auto verb = forward ? Given(rotate) : Given(rotate_adjoint);
              const Guarded q(dtype, {2, 21, 5, dim}), k(dtype, {2, 21, 2, dim}),
                  wanted_q(dtype, {2, 21, 5, dim}), wanted_k(dtype, {2, 21, 2, dim});
              randomize(q.view(), random), randomize(k.view(), random);
              verb(table(rows.view()), layout, {q.view(), k.view()},
                   {wanted_q.view(), wanted_k.view()}, forward ? range(7) : ids.at(), {});
              const OnDevice dq(q.view()), dk(k.view());
              const QueriesKeys x{dq.view(), dk.view()};
              verb(table(there.view()), layout, x, x, forward ? range(7) : device_ids.at(), {});
              dq.fetch(), dk.fetch();
              expect_near(q.view(), wanted_q.view()), expect_near(k.view(), wanted_k.view());
            }
          }
}

TEST_F(CudaRotate, PositionsWithoutARowAreNaN) {
  const Rope rope{.dim = 16, .layout = Layout::half, .scaling = DynamicNtk{}};
  const RotaryPlan plan = prepare(rope, {.length = 100});
  const int64_t ids[] = {0, plan.max_length(), 5};
  Random random(1);
  Guarded q(DType::f32, {3, 1, 16});
  randomize(q.view(), random);
  const OnDevice there(q.view()), at(tensor(ids, {3}));
  rotate(plan, {there.view(), {}}, positions(at.view()));
  there.fetch();
  for (int64_t n = 0; n < 48; ++n) EXPECT_EQ(std::isnan(get(q.view(), n)), n / 16 == 1) << n;
}

TEST_F(CudaRotate, TensorsOfDifferentDevicesAreRefused) {
  const RotaryPlan plan = prepare(Rope{.dim = 16, .layout = Layout::half});
  Guarded q(DType::f32, {3, 2, 16}), k(DType::f32, {3, 1, 16});
  const int64_t ids[] = {0, 1, 2};
  const OnDevice there(q.view());
  EXPECT_EQ(message([&] {
              rotate(plan, {there.view(), k.view()});
            }),
            "[rotate] expected q and k on one device, got cuda:0 and the CPU");
  EXPECT_EQ(message([&] {
              rotate(plan, {there.view(), {}}, positions(tensor(ids, {3})));
            }),
            "[rotate] expected the output and the positions on one device, got cuda:0 and the CPU");
  Tensor far = there.view();
  far.device_index = 99;
  EXPECT_NE(message([&] {
              rotate(plan, {far, {}});
            }).find("on a CUDA device from 0 to"),
            std::string::npos);
}

}  // namespace
}  // namespace posenc::rotate_test
