// rotate_into.cc: heads normalised, rotated and stored, some of a token at a time, which stay in
// the first cache from their first reading to their last writing.
#include <cstring>

#include "base/dispatch.h"
#include "base/half.h"
#include "cpu/kernels/heads.h"
#include "cpu/rotate.h"

namespace posenc::cpu {
namespace {

constexpr int64_t heads_together = 8;

// The weights of a norm in the compute type; `plus` is added to each.
class NormWeights {
 public:
  NormWeights(const Tensor& w, DType computed, double plus)
      : given_(w.rank > 0), memory_(given_ ? w.size(0) * size_of(computed) : 0) {
    if (!given_) return;
    dispatch_compute(computed, [&]<class C>() {
      auto* to = reinterpret_cast<C*>(memory_.data());
      dispatch(w.dtype, [&]<class T>() {
        for (int64_t f = 0; f < w.size(0); ++f)
          to[f] = static_cast<C>(plus) +
                  static_cast<C>(as_double(static_cast<const T*>(w.data)[f * w.step(0)]));
      });
    });
  }
  const void* data() const { return given_ ? memory_.data() : nullptr; }

 private:
  bool given_;
  Scratch<char> memory_;
};

// The heads of a slot of a cache, from one of them on.
Heads slot_at(const Tensor& cache, int64_t slot, int64_t head) {
  const int64_t page = slot / cache.size(1), index = slot % cache.size(1);
  const int64_t at = page * cache.step(0) + index * cache.step(1) + head * cache.step(2);
  return {static_cast<char*>(cache.data) + at * size_of(cache.dtype), 0, cache.step(2),
          cache.step(3)};
}

// Elements as they are.
void copy_heads(const Heads& from, const Heads& to, DType dtype, int64_t heads, int64_t dim) {
  dispatch(dtype, [&]<class T>() {
    for (int64_t h = 0; h < heads; ++h) {
      const T* x = static_cast<const T*>(from.data) + h * from.head;
      T* y = static_cast<T*>(to.data) + h * to.head;
      if (from.feature == 1 && to.feature == 1) {
        std::memcpy(y, x, static_cast<size_t>(dim) * sizeof(T));
      } else {
        for (int64_t f = 0; f < dim; ++f) y[f * to.feature] = x[f * from.feature];
      }
    }
  });
}

// A token of a batch row, and where in the cache it goes.
struct CacheEntry {
  int64_t row, token, slot;
};

struct RotateIntoDriver : RotaryDriver {
  const RotateIntoOrder& into;
  RotateKernel kernel = rotate_kernel(computed, span.layout);
  NormWeights weights[2] = {{into.norm.q, computed, into.norm.one_plus ? 1.0 : 0.0},
                            {into.norm.k, computed, into.norm.one_plus ? 1.0 : 0.0}};

  // What heads that are worked on together need.
  int64_t buffer_bytes(int64_t dim) const { return heads_together * dim * size_of(computed); }

  CacheEntry stored(const Side& side, int64_t row, int64_t token) const {
    const bool stores = !side.is_query && into.k_cache.rank > 0;
    return {row, token, stores ? into.places.slot(row, token) : -1};
  }

  // Heads [head, head + count) of a token; by: of the token, null where they do not rotate. They
  // are worked on in the output, where that is of the compute type, or else in the buffer.
  void rotate_heads(const Side& side, const CacheEntry& at, int64_t head, int64_t count,
                    const Angles* by, char* buffer) const {
    const RmsNorm norm{weights[side.is_query ? 0 : 1].data(), into.norm.epsilon};
    const bool writes = side.out.t.rank > 0;
    const bool inside = writes && dtype == computed && side.out.t.step(-1) == 1;
    for (const int64_t end = head + count; head < end; head += heads_together) {
      const int64_t heads = std::min(heads_together, end - head);
      const Heads in = heads_at(side.in, at.row, at.token, head, 0);
      const Heads out = writes ? heads_at(side.out, at.row, at.token, head, 0) : Heads{};
      const Heads here = inside ? out : Heads{buffer, 0, span.dim, 1};
      read_heads(dtype, in, heads, span.dim, norm, here);
      if (by) kernel(span, here, here, 1, heads, *by, false);
      warm(side, at, by != nullptr, heads, here);
      if (writes && !inside) write_heads(computed, here, heads, span.dim, dtype, out);
      if (at.slot >= 0)
        write_heads(computed, here, heads, span.dim, into.k_cache.dtype,
                    slot_at(into.k_cache, at.slot, head));
    }
  }

  // The temperature on queries, which the rows of rotated features hold already.
  void warm(const Side& side, const CacheEntry& at, bool rotated, int64_t heads,
            const Heads& x) const {
    if (!side.is_query || !order.magnitudes.temperature) return;
    const double factor = order.magnitudes.query(place(at.row, at.token));
    dispatch_compute(computed, [&]<class C>() {
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t f = 0; f < span.dim; ++f)
          if (!rotated || f < span.first || f >= span.first + order.row())
            static_cast<C*>(x.data)[h * x.head + f] *= static_cast<C>(factor);
    });
  }

  void rotate_tile(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                   char* memory) const {
    const Angles shared = angles(side, piece, tiles, memory);
    const int64_t head = first_head(side, piece), heads = head_count(side);
    for (int64_t row = piece.first; row < piece.end; ++row)
      for (int64_t t = 0; t < tiles.count(); ++t) {
        Angles by = shared;
        by.cosines = static_cast<const char*>(by.cosines) + t * shared.token * size_of(computed);
        rotate_heads(side, stored(side, row, tiles.token() + t), head, heads, &by,
                     memory + memory_bytes());
      }
  }

  // Heads that are not rotated are normalised and stored.
  void pass_rest(const Side& side) const {
    const int64_t heads = side.in.t.size(-2), tokens = order.at.tokens;
    const int64_t first = order.row() > 0 ? side.first : heads;
    const int64_t end = order.row() > 0 ? side.first + side.count : heads;
    if (first == 0 && end == heads) return;
    parallel_for_with(buffer_bytes(span.dim), side.in.rows * tokens, bytes,
                      [&](int64_t i, char* buffer) {
                        const CacheEntry at = stored(side, i / tokens, i % tokens);
                        rotate_heads(side, at, 0, first, nullptr, buffer);
                        rotate_heads(side, at, end, heads - end, nullptr, buffer);
                      });
  }

  void store_values() const {
    const Batch v(into.v, 3);
    const int64_t tokens = order.at.tokens;
    parallel_for_with(buffer_bytes(v.t.size(-1)), v.rows * tokens, v.t.elements() * size_of(dtype),
                      [&](int64_t i, char* buffer) {
                        const int64_t row = i / tokens, token = i % tokens;
                        const int64_t slot = into.places.slot(row, token);
                        if (slot >= 0) store_token(v, {row, token, slot}, buffer);
                      });
  }

  void store_token(const Batch& v, const CacheEntry& at, char* buffer) const {
    const Tensor& to = into.v_cache;
    const int64_t heads = v.t.size(-2), dim = v.t.size(-1);
    const Heads here{buffer, 0, dim, 1};
    for (int64_t h = 0; h < heads; h += heads_together) {
      const int64_t count = std::min(heads_together, heads - h);
      const Heads from = heads_at(v, at.row, at.token, h, 0), entry = slot_at(to, at.slot, h);
      if (dtype == to.dtype) {
        copy_heads(from, entry, dtype, count, dim);
      } else {
        read_heads(dtype, from, count, dim, {}, here);
        write_heads(computed, here, count, dim, to.dtype, entry);
      }
    }
  }
};

}  // namespace

void run(const RotateIntoOrder& order) {
  const RotateIntoDriver driver{{order.rotation}, order};
  const int64_t rows = driver.memory_bytes(), buffer = driver.buffer_bytes(order.rotation.span.dim);
  parallel_for_with(rows + buffer, driver.piece_count(), driver.bytes,
                    [&](int64_t i, char* memory) {
                      const Pieces::Piece piece = driver.cut[i];
                      for (RowTiles tiles = driver.tiles(piece, memory); tiles.next();)
                        for (const Side& side : driver.sides)
                          if (side.given() && side.count > 0)
                            driver.rotate_tile(side, piece, tiles, memory);
                    });
  for (const Side& side : driver.sides)
    if (side.given()) driver.pass_rest(side);
  if (order.v.rank > 0) driver.store_values();
}

}  // namespace posenc::cpu
