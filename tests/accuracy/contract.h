// contract.h: the promise about every number, and a comparison of rows with the truth.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "tests/accuracy/cases.h"
#include "tests/support/every_target.h"
#include "tests/support/nearest.h"

namespace posenc {

using reference::Column;
using reference::Point;
using reference::Real;

// How far a number of a column may be from the truth: nothing, an ulp, or what rows are promised.
inline double allowed_error(DType dtype, const Column& column, const Real& truth) {
  const double value = reference::nearest_f64(truth);
  return column.kind == Column::Kind::zero   ? 0
         : column.kind == Column::Kind::line ? 2 * half_ulp(dtype, value)
                                             : row_error(dtype, value, column.amplitude);
}

inline Real power_of_two(int n) { return ldexp(Real(1), n); }

inline Real turns_of(const Frequency& f) {
  return f.turns + Real(f.hi) * power_of_two(-64) + Real(f.lo) * power_of_two(-128);
}

// A frequency is cut at 2^-128 turns; the 192 bits it was made in add less than that again. Where a
// cut frequency is multiplied by a factor, so is the cut. At 1e-4 radians, the slowest of the
// paper's, that leaves 2^-16 / 2^-127: 111 good bits.
inline void expect_frequency(const Frequency& f, const Real& radians, double factor = 1) {
  const Real truth = radians / (2 * reference::pi()), error = abs(turns_of(f) - truth);
  EXPECT_LE(error, power_of_two(-127) * std::max(1.0, std::abs(factor))) << truth.str(30);
}

// One number of a table.
struct Spot {
  int64_t token, column;
};
using Spots = std::vector<Spot>;

// The first and last column and some others, of every token listed.
inline Spots some_columns(const std::vector<int64_t>& tokens, int64_t dim, int count) {
  Random random(tokens.size());
  Spots out;
  for (const int64_t token : tokens) {
    out.insert(out.end(), {{token, 0}, {token, dim - 1}});
    for (int i = 2; i < count; ++i) out.push_back({token, random.integer(0, dim - 1)});
  }
  return out;
}

// What the library must give at some spots, whatever its instruction set.
class Expected {
 public:
  using Where = std::function<Point(int64_t token)>;
  Expected(const std::vector<Column>& columns, Spots spots, const Where& point)
      : columns_(columns), spots_(std::move(spots)) {
    for (const Spot& p : spots_)
      truth_.push_back(columns_[static_cast<size_t>(p.column)].value(point(p.token)));
  }

  // T is float or double.
  template <class T>
  void expect_promise(Array& table) const {
    double worst_share = -1, worst_error = 0, worst_allowed = 0;
    size_t worst = 0;
    for (size_t i = 0; i < spots_.size(); ++i) {
      const double error = reference::error(at<T>(table, i), truth_[i]);
      const double allowed =
          allowed_error(dtype_of<T>, columns_[static_cast<size_t>(spots_[i].column)], truth_[i]);
      const double share = error / std::max(allowed, 1e-300);
      if (share > worst_share)
        worst_share = share, worst_error = error, worst_allowed = allowed, worst = i;
    }
    EXPECT_LE(worst_error, worst_allowed)
        << to_string(dtype_of<T>) << " at token " << spots_[worst].token << ", column "
        << spots_[worst].column << ", truth " << truth_[worst].str(30);
  }

  // T is F16 or BF16: the f32 row rounded to nearest even.
  template <class T>
  void expect_rounded(Array& table, Array& f32) const {
    for (size_t i = 0; i < spots_.size(); ++i)
      ASSERT_EQ(at<T>(table, i).bits, nearest<T>(at<float>(f32, i)).bits)
          << to_string(dtype_of<T>) << " of " << at<float>(f32, i) << " at token "
          << spots_[i].token << ", column " << spots_[i].column;
  }

 private:
  template <class T>
  T at(Array& table, size_t i) const {
    const auto dim = std::ssize(columns_);
    return table.values<T>()[static_cast<size_t>(spots_[i].token * dim + spots_[i].column)];
  }

  const std::vector<Column>& columns_;
  Spots spots_;
  std::vector<Real> truth_;
};

inline Array filled(const AbsolutePlan& plan, DType dtype, int64_t tokens, const Positions& at) {
  Array table = make_array(dtype, {tokens, plan.dim()});
  fill(plan, table.view(), at);
  return table;
}

// Fills a table in every dtype on every instruction set, and looks at what is expected of it.
inline void expect_contract(const Case& c, int64_t tokens, const Positions& at,
                            const Expected& expected) {
  for_every_target([&] {
    const AbsolutePlan plan = c.plan();
    Array f32 = filled(plan, DType::f32, tokens, at), f64 = filled(plan, DType::f64, tokens, at);
    Array f16 = filled(plan, DType::f16, tokens, at), bf16 = filled(plan, DType::bf16, tokens, at);
    expected.expect_promise<float>(f32);
    expected.expect_promise<double>(f64);
    expected.expect_rounded<F16>(f16, f32);
    expected.expect_rounded<BF16>(bf16, f32);
  });
}

}  // namespace posenc
