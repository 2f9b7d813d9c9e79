// tables.h: tables made by loops as people write them, for identify to explain.
#pragma once

#include <cmath>
#include <functional>

#include "model/array.h"
#include "posenc/model/identify.h"
#include "tests/support/elements.h"

namespace posenc {

using model::Match, model::Mistake, model::identify, model::mistakes;

// One element: at row p, column c of d.
using Element = std::function<double(double p, int64_t c, int64_t d)>;

inline Array make_table(int64_t rows, int64_t dim, const Element& f, DType dtype = DType::f32) {
  Array out = make_array(dtype, {rows, dim});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < dim; ++c)
      set(out.view(), r * dim + c, f(static_cast<double>(r), c, dim));
  return out;
}

// 10000^-x, and a sine in even columns, a cosine in odd ones.
inline double power(double x, double base = 10000) { return std::pow(base, -x); }
inline double wave(int64_t c, double angle) {
  return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
}
// 2k/d for the pair k of an interleaved column.
inline double paper_exponent(int64_t c, int64_t d) {
  return 2 * static_cast<double>(c / 2) / static_cast<double>(d);
}
inline double paper(double p, int64_t c, int64_t d, double base = 10000) {
  return wave(c, p * power(paper_exponent(c, d), base));
}

inline Match identified(int64_t rows, int64_t dim, const Element& f, DType dtype = DType::f32) {
  const Array table = make_table(rows, dim, f, dtype);
  return identify(table.view());
}

inline bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace posenc
