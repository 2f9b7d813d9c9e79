// limit.cc: fill, x += c and copy, with the vectors of every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limit.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstring>

#include "base/parallel.h"
#include "limit.h"
#include "warm.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// n is a multiple of piece_floats, so of four vectors.
template <class Body>
HWY_INLINE void ForFour(size_t n, const Body& body) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  for (size_t i = 0; i < n; i += 4 * lanes)
    for (size_t k = 0; k < 4; ++k) body(i + k * lanes);
}

void Fill(float* to, size_t n) {
  const hn::ScalableTag<float> d;
  const auto value = hn::Set(d, 0.5f);
  ForFour(n, [&](size_t i) HWY_ATTR { hn::Store(value, d, to + i); });
}

void AddConstant(float* to, size_t n) {
  const hn::ScalableTag<float> d;
  const auto value = hn::Set(d, 0.5f);
  ForFour(n, [&](size_t i) HWY_ATTR { hn::Store(hn::Add(hn::Load(d, to + i), value), d, to + i); });
}

}  // namespace posenc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::bench {
namespace {

HWY_EXPORT(Fill);
HWY_EXPORT(AddConstant);

constexpr int64_t piece_floats = 4096;

// Calls f(first, count) for pieces of n floats; the last may be shorter.
template <class F>
void for_pieces(int64_t n, const F& f) {
  parallel_for((n + piece_floats - 1) / piece_floats, n * 4, [&](int64_t i) {
    f(i * piece_floats, std::min(piece_floats, n - i * piece_floats));
  });
}

// A contender that works on pieces of one warm buffer, rounded up so that vectors fit.
template <class F>
Contender over_buffer(const char* name, int64_t floats, F f) {
  const int64_t n = (floats + 255) / 256 * 256;
  const auto buffer = warm<float>(n, 0.0f);
  return {name, timed([=] {
            for_pieces(n, [&](int64_t first, int64_t count) {
              f(buffer.get() + first, static_cast<size_t>(count));
            });
          })};
}

Contender copy(int64_t floats) {
  const auto from = warm<float>(floats, 1.0f), to = warm<float>(floats, 0.0f);
  return {"memcpy", timed([=] {
            for_pieces(floats, [&](int64_t first, int64_t count) {
              std::memcpy(to.get() + first, from.get() + first, static_cast<size_t>(count) * 4);
            });
          })};
}

}  // namespace

std::string_view name_of(Traffic traffic) {
  constexpr std::string_view names[] = {"", "fill", "x += c", "memcpy"};
  return names[static_cast<size_t>(traffic)];
}

std::vector<Contender> limits(Traffic traffic, int64_t bytes) {
  const int64_t floats = bytes / 4;
  switch (traffic) {
    case Traffic::write:
      return {over_buffer("fill", floats,
                          [](float* p, size_t n) {
                            HWY_DYNAMIC_DISPATCH(Fill)
                            (p, n);
                          }),
              over_buffer("memset", floats, [](float* p, size_t n) { std::memset(p, 0, n * 4); })};
    case Traffic::rewrite:
      return {over_buffer("x += c", floats / 2, [](float* p, size_t n) {
        HWY_DYNAMIC_DISPATCH(AddConstant)(p, n);
      })};
    case Traffic::copy:
      return {copy(floats / 2)};
    case Traffic::none:
      break;
  }
  return {};
}

}  // namespace posenc::bench
#endif  // HWY_ONCE
