// points.h: biases of queries and keys that stand on several axes.
//
// Their at() is given arrays, a number for each of the `axes`.
#pragma once

#include "relative/forms/table.h"

namespace posenc::forms {

template <class Form>
constexpr int count_axes() {
  if constexpr (requires { Form::axes; }) {
    return Form::axes;
  } else {
    return 1;
  }
}
template <class Form>
inline constexpr int axes_of = count_axes<Form>();

// What the biases of a query and a key depend on; both have a number for each axis of the form.
template <class Form>
POSENC_BOTH auto inputs_of_points(const Form& form, const double* query, const double* key,
                                  double* work) {
  if constexpr (axes_of<Form> == 1) {
    return form.at(*query, *key, work);
  } else {
    return form.at(query, key, work);
  }
}

// The sum of three tables, read by the token's, the horizontal and the vertical distance, or of the
// last two, where text has no buckets. They come first in the block, one after the other.
struct LayoutTables {
  static constexpr int axes = 3;
  Buckets text{}, box{};
  int64_t heads = 0, x = 0, y = 0;  // where the second and the third table begin
  double box_scale = 1, scale = 1;
  const double* block = nullptr;

  struct Inputs {
    int64_t row[3];
  };
  // Models that scale distances do so in f32, which decides what is cut off. No bucket begins
  // beyond 2^31, so that farther ones need not be told apart.
  POSENC_BOTH int64_t box_distance(double query, double key) const {
    if (box_scale == 1) return static_cast<int64_t>(key - query);
    const float r = static_cast<float>(key) - static_cast<float>(query);
    const float scaled = r * static_cast<float>(box_scale), limit = 0x1p40F;
    return static_cast<int64_t>(scaled > limit ? limit : scaled < -limit ? -limit : scaled);
  }
  POSENC_BOTH Inputs at(const double* query, const double* key, double*) const {
    const int64_t r = static_cast<int64_t>(key[0] - query[0]);
    return {{heads * text.row(block, r), x + heads * box.row(block, box_distance(query[1], key[1])),
             y + heads * box.row(block, box_distance(query[2], key[2]))}};
  }
  POSENC_BOTH double bias(int64_t head, const Inputs& p) const {
    const double boxes = block[p.row[1] + head] + block[p.row[2] + head];
    return scale * (text.count > 0 ? block[p.row[0] + head] + boxes : boxes);
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange some, const Inputs& p, const double* g,
                            const Add& add) const {
    each_head(some, g, [&](int64_t head, double gh) {
      for (int i = text.count > 0 ? 0 : 1; i < 3; ++i) add(p.row[i] + head, scale * gh);
    });
  }
};

// Rows of a table: buckets of the distance, then one for each pair of different segments.
struct SegmentTable {
  static constexpr int axes = 2;
  Buckets buckets{};
  int64_t heads = 0, first = 0, segments = 0;  // first: the row of segments 0 and 0
  const double* block = nullptr;

  POSENC_BOTH bool has(double segment) const {
    return segment >= 0 && segment < static_cast<double>(segments);
  }
  // Where the row begins, or -1: there is none.
  POSENC_BOTH int64_t at(const double* query, const double* key, double*) const {
    if (!has(query[1]) || !has(key[1])) return -1;
    const auto q = static_cast<int64_t>(query[1]), k = static_cast<int64_t>(key[1]);
    const auto r = static_cast<int64_t>(key[0] - query[0]);
    return heads * (q == k ? buckets.row(block, r) : first + q * segments + k);
  }
  POSENC_BOTH double bias(int64_t head, int64_t row) const {
    return row < 0 ? static_cast<double>(NAN) : block[row + head];
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange some, int64_t row, const double* g, const Add& add) const {
    if (row < 0) return;
    each_head(some, g, [&](int64_t head, double gh) { add(row + head, gh); });
  }
};

// A linear map of sines and cosines of four numbers. weight [heads, 4, 2, waves] and bias [heads]
// come first in the block, then the frequencies.
struct BoxWaves {
  static constexpr int axes = 4;
  int64_t heads = 0, waves = 0;
  double eps = 0;
  const double* block = nullptr;

  struct Inputs {
    double z[4];
  };
  POSENC_BOTH int64_t features() const { return 8 * waves; }
  POSENC_BOTH double size(double s) const { return (s > 0 ? s : 0) + eps; }
  POSENC_BOTH Inputs at(const double* query, const double* key, double*) const {
    const double w = size(query[2]), h = size(query[3]);
    return {{std::log1p(std::abs(query[0] - key[0]) / w),
             std::log1p(std::abs(query[1] - key[1]) / h), std::log(w / size(key[2])),
             std::log(h / size(key[3]))}};
  }
  // Calls f(feature, its value).
  template <class F>
  POSENC_BOTH void each_feature(const Inputs& p, const F& f) const {
    const double* frequencies = block + heads * (features() + 1);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t k = 0; k < waves; ++k) {
        const double angle = p.z[i] * frequencies[k];
        f(2 * i * waves + k, std::sin(angle));
        f((2 * i + 1) * waves + k, std::cos(angle));
      }
  }
  POSENC_BOTH double bias(int64_t head, const Inputs& p) const {
    const double* w = block + head * features();
    double sum = block[heads * features() + head];
    each_feature(p, [&](int64_t n, double x) { sum += w[n] * x; });
    return sum;
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange some, const Inputs& p, const double* g,
                            const Add& add) const {
    each_head(some, g, [&](int64_t head, double gh) {
      each_feature(p, [&](int64_t n, double x) { add(head * features() + n, gh * x); });
      add(heads * features() + head, gh);
    });
  }
};

}  // namespace posenc::forms
