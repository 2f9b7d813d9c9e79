// cases.h: what rotate_into() makes of a head, as plainly as it can be said, and calls to try.
#pragma once

#include <map>
#include <optional>

#include "tests/support/rotation.h"

namespace posenc {

// Where a token goes, a page and a place in it; nothing where it is not stored.
using Slot = std::optional<std::pair<int64_t, int64_t>>;

// A head before the turn, and how far from it a normed one may be, relative to each feature.
struct NormedHead {
  std::vector<double> x;
  double error = 0;
};

// x * (plus + w) / sqrt(mean(x^2) + epsilon), where there are weights. In the compute type, with
// roundings u: each of n squares and their sums, (n + 1) u, the mean and epsilon, 3 u, of which the
// root leaves half; the root, its inverse, the weight (twice, where it is rounded before something
// is added), and two products: 6 u.
inline NormedHead plain_norm(DType dtype, const std::vector<double>& x,
                             const std::vector<double>& weights, const HeadNorm& norm) {
  if (weights.empty()) return {x};
  NormedHead out{x};
  long double squares = 0;
  for (const double f : x) squares += static_cast<long double>(f) * f;
  const auto n = static_cast<double>(x.size());
  const long double root = sqrtl(squares / n + norm.epsilon);
  for (size_t f = 0; f < x.size(); ++f)
    out.x[f] = static_cast<double>(x[f] * ((norm.one_plus ? 1.0L : 0.0L) + weights[f]) / root);
  out.error = 1.01 * ((n + 4) / 2 + 6) * unit(dtype);
  return out;
}

// The same turned, and how far each feature of a result in type `to` may be from it: the matrix and
// the norm are off, the turn takes two products and a sum in the compute type of `dtype`, and there
// is one rounding to `to`. What is only copied is exact.
inline void expect_head(const HeadMatrix& m, const NormedHead& head, DType dtype, DType to,
                        const std::vector<double>& found, const std::string& where) {
  const auto truth = m.times(head.x);
  for (int64_t i = 0; i < m.dim; ++i) {
    double off = 0, size = 0;
    for (int64_t j = 0; j < m.dim; ++j) {
      const double x = std::abs(head.x[static_cast<size_t>(j)]);
      off += x * m.error[m.index(i, j)], size += x * std::abs(m.at(i, j));
    }
    const double y = std::abs(truth[static_cast<size_t>(i)]);
    const bool copies = off == 0 && m.at(i, i) == 1;
    off += (head.error + (copies ? 0 : 2.01 * unit(dtype))) * size;
    if (off > 0 || to != dtype)
      if (to != compute_type(dtype) && to != DType::f64) off += half_ulp(to, y + off);
    ASSERT_NEAR(found[static_cast<size_t>(i)], truth[static_cast<size_t>(i)], off)
        << where << " feature " << i;
  }
}

// How slots are told.
enum class Told { slots, paged, ragged, contiguous };
inline constexpr Told all_told[] = {Told::slots, Told::paged, Told::ragged, Told::contiguous};

// A call, to be varied.
struct RotateIntoCase {
  std::vector<int64_t> batch{2};
  int64_t tokens = 11, q_heads = 6, k_heads = 2, v_heads = 2, value_dim = 10;
  bool q = true, k = true, v = true, k_out = true, in_place = false, hnd = false;
  bool norm_q = true, norm_k = true, one_plus = false;
  double epsilon = 1e-6;
  DType cache = DType::f16, weights = DType::f32, ids = DType::i64;
  Placement in = Placement::dense, out = Placement::dense, pages = Placement::dense;
  Told told = Told::slots;
  int64_t page_size = 4;

  int64_t rows() const {
    int64_t n = 1;
    for (const int64_t size : batch) n *= size;
    return n;
  }
  std::vector<int64_t> shape(int64_t heads, int64_t dim) const {
    auto s = batch;
    s.insert(s.end(), {tokens, heads, dim});
    return s;
  }
};

inline void shuffle(std::vector<int64_t>& list, Random& random) {
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<size_t>(random.integer(0, std::ssize(list) - 1)) % i]);
}
inline std::vector<int64_t> shuffled(int64_t count, Random& random) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), int64_t{0});
  shuffle(out, random);
  return out;
}

// Slots told in one of the ways, and where each token is to be found. Tokens of a row, or of three
// sequences in turn where they are ragged, stand one after the other from place 3 on; every fifth
// token is padding.
class TestSlots {
 public:
  int64_t pages, page_size;

  TestSlots(const RotateIntoCase& s, Random& random)
      : pages(s.told == Told::contiguous ? s.rows() + 1 : s.rows() * (s.tokens + 9)),
        page_size(s.told == Told::contiguous ? s.tokens + 5 : s.page_size),
        s_(s),
        each_(s.ids, {s.rows(), s.tokens}, Placement::spaced),
        at_(s.ids, {s.rows(), s.tokens}),
        table_(s.ids, {std::max<int64_t>(3, s.rows()), most_pages(s)}, Placement::padded) {
    s.told == Told::slots ? tell_slots(random) : tell_places(random);
  }

  std::vector<Slot> slots;  // [rows * tokens]

  void tell(Cache& cache) const {
    Tensor each = each_.view();
    if (s_.batch.empty())  // [tokens] will do
      each.rank = 1, each.shape = {s_.tokens}, each.stride = {each_.view().step(1)};
    if (s_.told == Told::slots) return void(cache.slots = each);
    cache.at = positions(at_.view());
    if (s_.told != Told::contiguous) cache.block_table = table_.view();
    if (s_.told == Told::ragged) cache.sequences = each;
  }

 private:
  static int64_t most_pages(const RotateIntoCase& s) {
    return (s.rows() * s.tokens + 3) / s.page_size + 2;
  }
  static bool is_padding(int64_t n) { return n % 5 == 3; }
  void tell_slots(Random& random) {
    const auto free = shuffled(pages * page_size, random);
    for (int64_t n = 0; n < s_.rows() * s_.tokens; ++n) {
      const int64_t slot = free[static_cast<size_t>(n)];
      set(each_.view(), n, static_cast<double>(is_padding(n) ? random.integer(-9, -1) : slot));
      slots.push_back(is_padding(n) ? Slot{} : Slot{{slot / page_size, slot % page_size}});
    }
  }

  void tell_places(Random& random) {
    const auto free = shuffled(pages, random);
    randomize_ids(table_.view(), random, -9, -1);
    size_t used = 0;
    std::map<int64_t, int64_t> next;
    for (int64_t row = 0; row < s_.rows(); ++row)
      for (int64_t t = 0; t < s_.tokens; ++t) {
        const int64_t n = row * s_.tokens + t, of = s_.told == Told::ragged ? n % 3 : row;
        const int64_t place = 3 + next[of]++, entry = of * most_pages(s_) + place / page_size;
        const bool pad = is_padding(n);
        set(each_.view(), n, static_cast<double>(pad && s_.told == Told::ragged ? -2 : of));
        set(at_.view(), n, static_cast<double>(pad && s_.told != Told::ragged ? -1 : place));
        if (s_.told != Told::contiguous && get(table_.view(), entry) < 0)
          set(table_.view(), entry, static_cast<double>(free[used++]));
        const auto page =
            s_.told == Told::contiguous ? of : static_cast<int64_t>(get(table_.view(), entry));
        slots.push_back(pad ? Slot{} : Slot{{page, place % page_size}});
      }
  }

  const RotateIntoCase& s_;
  Guarded each_, at_, table_;
};

}  // namespace posenc
