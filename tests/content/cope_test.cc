// cope_test.cc: positions counted by gates.
#include <gtest/gtest.h>

#include "tests/content/stand.h"

namespace posenc::cope_test {
namespace {

TEST(Cope, WorkedNumbers) {
  const double logits[] = {0.2, -0.4, 1.0}, one[] = {1}, table[] = {0, 1, 3, 6};
  double out[3];
  const Tensor w = tensor(table, {4, 1});
  add(prepare(Cope{.dim = 1, .positions = 4}, {.weights = {&w, 1}}), {.q = tensor(one, {1, 1, 1})},
      tensor(logits, {1, 1, 3}), tensor(out, {1, 1, 3}), {.queries = range(2), .causal = true});
  const double worked[] = {2.364410, 1.264742, 0.731059};  // to six places
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(out[j] - logits[j], worked[j], 5.1e-7);
}

// The term of a row of scores as the library is to see them, and how far it may be off.
struct Row {
  std::vector<double> term;
  double slope = 0;  // the largest step of z, by which a position counts
};
Row plain_row(const Cope& s, const Stand& t, int64_t row, int64_t head, int64_t query,
              const std::vector<double>& logits, double gate_scale, double query_at, bool causal) {
  std::vector<double> z;
  for (int64_t n = 0; n < s.positions; ++n) {
    double dot = 0;
    for (int64_t c = 0; c < s.dim; ++c)
      dot += t.q_at(row, query, head, c) * t.weight(0, n * s.dim + c);
    z.push_back(dot);
  }
  Row out;
  out.term.resize(logits.size());
  for (size_t n = 1; n < z.size(); ++n) out.slope = std::max(out.slope, std::abs(z[n] - z[n - 1]));
  for (size_t j = 0; j < logits.size(); ++j) {
    double p = 0;
    for (size_t k = j; k < logits.size(); ++k)
      if (!causal || static_cast<double>(k) <= query_at)
        p += 1 / (1 + std::exp(-gate_scale * logits[k]));
    p = std::min(p, static_cast<double>(s.positions - 1));
    const auto low = static_cast<size_t>(std::floor(p)), high = static_cast<size_t>(std::ceil(p));
    const double w = p - std::floor(p);
    out.term[j] = (1 - w) * z[low] + w * z[high];
  }
  return out;
}

// z is a dot of dim products of numbers below 1, within (dim + 2) u dim, and three roundings of the
// mixture come on top: (dim + 5) u dim. A score below 1 is rounded once as it is scaled, its gate
// moves by a quarter of that, and a position by all gates: keys u / 4, times the slope of z.
TEST(Cope, IsItsFormula) {
  Random random(71);
  for (const DType dtype : {DType::f32, DType::f64})
    for (const bool scaled : {false, true})
      for (const bool causal : {false, true})
        for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum}) {
          const Cope s{.dim = 12, .positions = 9, .scaled_gates = scaled};
          const Stand t(s, dtype, {2, 3, 37, 41}, random, Placement::spaced);
          const double scale = 0.3, factor = on == ScaleOn::sum ? scale : 1;
          const ScoreOptions o{
              .queries = range(3), .causal = causal, .scale = scale, .scale_on = on};
          add(t.plan, t.inputs(), t.scores.view(), t.out.view(), o);
          EXPECT_TRUE(t.out.intact());
          const double u = dtype == DType::f64 ? 0x1p-52 : 0x1p-24;
          for (int64_t n = 0; n < 2 * 3 * 37; ++n) {
            const int64_t query = n % 37, head = n / 37 % 3, row = n / 37 / 3;
            std::vector<double> logits;
            for (int64_t j = 0; j < 41; ++j) logits.push_back(get(t.scores.view(), n * 41 + j));
            const double gate_scale = on == ScaleOn::scores || scaled ? scale : 1;
            const Row plain = plain_row(s, t, row, head, query, logits, gate_scale,
                                        static_cast<double>(query + 3), causal);
            for (int64_t j = 0; j < 41; ++j) {
              if (causal && j > query + 3) continue;
              const double score = logits[static_cast<size_t>(j)];
              const double truth = scale * score + factor * plain.term[static_cast<size_t>(j)];
              const double off = (17 * 12 + 41 * plain.slope / 4 + 3 * std::abs(score)) * u;
              ASSERT_NEAR(get(t.out.view(), n * 41 + j), truth, off)
                  << "query " << query << " key " << j;
            }
          }
        }
}

// Everything add() reads, in one list: q, scores, table.
struct Everything {
  Stand t;
  std::vector<Tensor> parts() const {
    return {t.q.view(), t.scores.view(), t.weights.arrays[0].view()};
  }
};

double loss(const Everything& e, const Tensor& dout, const ScoreOptions& o) {
  const auto views = e.t.weights.views();
  add(prepare(e.t.scheme, {.weights = views}), e.t.inputs(), e.t.scores.view(), e.t.out.view(), o);
  double sum = 0;
  for (int64_t n = 0; n < dout.elements(); ++n) {
    const double y = get(e.t.out.view(), n);
    if (y > -1e300) sum += get(dout, n) * y;
  }
  return sum;
}

// <gradient, direction> against a central difference of step h = 1e-5 in f64. Along a direction
// below 1 a term is a product of z (two parts that move) and p (gates, whose derivatives stay below
// 1/4): its third derivative is below 10 keys dim < 1000, so the 90 terms of this loss are off by
// h^2 / 6 90 (1000) < 2e-6, and by 2^-53 90 (30) / h < 4e-8 from rounding. Soft rows of temperature
// 1 are smooth but where p meets one, and their third derivative by p is below 6: no more than
// that.
TEST(Cope, GradientIsThatOfTheForward) {
  Random random(72);
  for (const bool scaled : {false, true})
    for (const double soft : {0.0, 1.0})
      for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum}) {
        const Cope s{.dim = 6, .positions = 4, .scaled_gates = scaled, .soft = soft};
        Everything e{Stand(s, DType::f64, {1, 2, 5, 9}, random)};
        for (Array& a : e.t.weights.arrays) a = make_array(DType::f64, a.shape);
        randomize(e.parts()[2], random);
        const ScoreOptions o{.queries = range(4), .causal = true, .scale = 0.7, .scale_on = on};
        const Array dout = make_array(DType::f64, {1, 2, 5, 9});
        randomize(dout.view(), random);
        const Array dq = make_array(DType::f64, {1, 5, 2, 6});
        const Array dscores = make_array(DType::f64, {1, 2, 5, 9}),
                    dw = make_array(DType::f64, {4, 6});
        const Tensor dweights = dw.view();
        backward(prepare(s, {.weights = e.t.weights.views()}), e.t.inputs(), e.t.scores.view(),
                 dout.view(), {.dq = dq.view(), .dscores = dscores.view()}, {&dweights, 1}, o);
        const std::vector<Tensor> gradients{dq.view(), dscores.view(), dw.view()};
        for (size_t part = 0; part < 3; ++part) {
          const Tensor at = e.parts()[part];
          const auto start = numbers(at);
          std::vector<double> v;
          double product = 0;
          for (size_t n = 0; n < start.size(); ++n) {
            v.push_back(random.real());
            product += v[n] * get(gradients[part], static_cast<int64_t>(n));
          }
          const auto moved = [&](double h) {
            for (size_t n = 0; n < start.size(); ++n)
              set(at, static_cast<int64_t>(n), start[n] + h * v[n]);
            return loss(e, dout.view(), o);
          };
          const double h = 1e-5, found = (moved(h) - moved(-h)) / (2 * h);
          moved(0);
          const double allowed = 2.1e-6;
          EXPECT_NEAR(product, found, allowed) << "part " << part;
          EXPECT_GT(std::abs(found), 1000 * allowed);  // or it could not fail
        }
      }
}

// x-transformers: softmax over all rows of -|p - n| / temperature. p = .731059 of a table 0, 1, 3,
// 6 at temperature .05: shares e^(-14.621172), e^(-5.378828), ... of their sum.
TEST(Cope, SoftRows) {
  const double logit = 1, one = 1, table[] = {0, 1, 3, 6};
  double out = 0;
  const Tensor w = tensor(table, {4, 1});
  add(prepare(Cope{.dim = 1, .positions = 4, .soft = 0.05}, {.weights = {&w, 1}}),
      {.q = tensor(&one, {1, 1, 1})}, tensor(&logit, {1, 1, 1}), tensor(&out, {1, 1, 1}));
  const double p = 1 / (1 + std::exp(-1.0));
  double sum = 0, all = 0;
  for (int n = 0; n < 4; ++n) {
    const double share = std::exp(-std::abs(p - n) / 0.05);
    sum += share * table[n], all += share;
  }
  EXPECT_NEAR(out - logit, sum / all, 32 * 0x1p-52);
  EXPECT_NEAR(out - logit, 0.999903, 5.1e-7);
}

TEST(Cope, OptionsAreChecked) {
  EXPECT_THROW((Cope{.dim = 0}).check(), Error);
  EXPECT_THROW((Cope{.positions = 0}).check(), Error);
  EXPECT_THROW((Cope{.soft = -1}).check(), Error);
  EXPECT_THROW((Cope{.soft = 1e-31}).check(), Error);
  for (const auto& preset : Cope::presets()) EXPECT_NO_THROW(preset.value.check());
}

// A table of one row is a bias of the query alone.
TEST(Cope, OnePosition) {
  Random random(73);
  const Stand t(Cope{.dim = 4, .positions = 1}, DType::f64, {1, 1, 2, 3}, random);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view());
  for (int64_t n = 0; n < 6; ++n)
    EXPECT_NEAR(get(t.out.view(), n) - get(t.scores.view(), n),
                get(t.out.view(), n / 3 * 3) - get(t.scores.view(), n / 3 * 3), 4 * 0x1p-52 * 5);
}

}  // namespace
}  // namespace posenc::cope_test
