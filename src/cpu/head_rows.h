// head_rows.h: queries, keys or values as the products read them.
#pragma once

#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/score_rows.h"

namespace posenc::cpu {

// [..., tokens, heads, dim] as C, features side by side: the tensor itself where it lies so,
// otherwise a copy of it.
template <class C>
class HeadRows {
 public:
  HeadRows(const Tensor& t, bool own) : from_(t, 3) {
    if (!own && t.dtype == dtype_of<C> && (t.step(-1) == 1 || t.size(-1) == 1)) return;
    copy_ = Scratch<C>(t.elements());
    const int64_t tokens = t.size(-3), heads = t.size(-2), dim = t.size(-1);
    Tensor to = tensor(copy_.data(), {from_.rows, tokens, heads, dim});
    to.stride = {heads * tokens * dim, dim, tokens * dim, 1};
    fill(to);
    from_ = Batch(to, 3);
  }

  // Token `token` of a head; the next one is ld() further.
  const C* at(int64_t row, int64_t head, int64_t token) const {
    return static_cast<const C*>(from_.at(row, token)) + head * from_.t.step(-2);
  }
  int64_t ld() const { return from_.t.step(-3); }
  const Tensor& view() const { return from_.t; }

 private:
  void fill(const Tensor& to) const {
    const Tensor& t = from_.t;
    const Batch out(to, 3);
    parallel_for(from_.rows * t.size(-3), t.elements() * size_of(t.dtype), [&](int64_t n) {
      const int64_t row = n / t.size(-3), token = n % t.size(-3);
      for (int64_t h = 0; h < t.size(-2); ++h)
        read_rows(t.dtype, head_at(from_, row, token, h), 1,
                  static_cast<C*>(head_at(out, row, token, h).data), 1, t.size(-1));
    });
  }

  Batch from_;
  Scratch<C> copy_;
};

}  // namespace posenc::cpu
