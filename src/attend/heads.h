// attend_heads.h: queries, keys or values as the products read them.
#pragma once

#include <memory>

#include "base/batch.h"
#include "base/parallel.h"

namespace posenc {

// [..., tokens, heads, dim] as C, features side by side: the tensor itself where it lies so,
// otherwise a copy of it.
template <class C>
class HeadRows {
 public:
  HeadRows(const Tensor& t, bool own) : from_(t, 3) {
    if (!own && t.dtype == dtype_of<C> && (t.step(-1) == 1 || t.size(-1) == 1)) return;
    copy_ = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(t.elements()));
    const int64_t tokens = t.size(-3), heads = t.size(-2), dim = t.size(-1);
    Tensor to = tensor(copy_.get(), {from_.rows, tokens, heads, dim});
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
      const auto* x = static_cast<const char*>(from_.at(row, token));
      C* y = static_cast<C*>(out.at(row, token));
      for (int64_t h = 0; h < t.size(-2); ++h) {
        auto* head = const_cast<char*>(x + h * t.step(-2) * size_of(t.dtype));
        cpu::scale_row(t.dtype, {head, 0, t.step(-1)}, 1, dtype_of<C>, y + h * to.step(-2),
                       t.size(-1));
      }
    });
  }

  Batch from_;
  std::unique_ptr<C[]> copy_;
};

}  // namespace posenc
