// slots.h: caches of keys and values, and where in them tokens go, as kernels see them.
#pragma once

#include "base/cache_places.h"
#include "cuda/views.h"

namespace posenc::cuda {

// An i32 or i64 tensor of two axes.
struct DeviceIntegers {
  const void* data = nullptr;
  bool given = false, is_i32 = false;
  int64_t rows = 0, columns = 0, row = 0, column = 0;  // sizes, and steps

  DeviceIntegers() = default;
  explicit DeviceIntegers(const Tensor& t) : data(t.data), given(t.rank > 0) {
    if (given)
      is_i32 = t.dtype == DType::i32, rows = t.size(0), columns = t.size(1), row = t.step(0),
      column = t.step(1);
  }
  __device__ int64_t at(int64_t i, int64_t j) const {
    return read_integer(data, is_i32, i * row + j * column);
  }
};

struct Slot {
  int64_t page = 0, index = 0;
};

// base/cache_places.h on a device, where nobody has looked at the numbers before.
struct DeviceSlots {
  int64_t pages = 0;
  Divider by_page;  // slots by pages
  DeviceIntegers slots, table, sequences;
  DevicePlaces at;

  DeviceSlots() = default;
  explicit DeviceSlots(const CachePlaces& p)
      : pages(p.page_size > 0 ? p.pages : 0),
        by_page(std::max<int64_t>(p.page_size, 1)),
        slots(p.slots),
        table(p.block_table),
        sequences(p.sequences),
        at(p.at) {}

  // A token's slot, or where it stands: to be asked for early, as it takes its time.
  __device__ int64_t read(int64_t r, int64_t t) const {
    return slots.given ? slots.at(r, t) : at.integer(0, r, t);
  }
  // What that says; false where a token is not stored: padding, and whatever is not in the cache.
  __device__ bool find(int64_t said, int64_t r, int64_t t, Slot& out) const {
    const Divided slot = by_page(max(said, int64_t{0}));
    out = {slot.quotient, slot.rest};
    if (!slots.given) {
      const int64_t of = sequences.given ? sequences.at(r, t) : r;
      if (of < 0 || of >= (table.given ? table.rows : pages) ||
          out.page >= (table.given ? table.columns : 1))
        return false;
      out.page = table.given ? table.at(of, out.page) : of;
    }
    return said >= 0 && out.page >= 0 && out.page < pages;
  }
};

// [pages, page_size, heads, features] of any strides.
struct DeviceCache {
  char* data = nullptr;
  DType dtype = DType::f32;
  bool given = false;
  int64_t size = 4;  // of an element, in bytes
  int64_t page = 0, index = 0, head = 0, feature = 0;

  DeviceCache() = default;
  explicit DeviceCache(const Tensor& t)
      : data(static_cast<char*>(t.data)),
        dtype(t.dtype),
        given(t.rank > 0),
        size(size_of(t.dtype)) {
    if (given) page = t.step(0), index = t.step(1), head = t.step(2), feature = t.step(3);
  }
  // Where a head of a slot begins, in elements.
  __device__ int64_t at(const Slot& slot, int64_t h) const {
    return slot.page * page + slot.index * index + h * head;
  }
  // Whether every `count` features, of which there are whole ones, move together.
  bool holds(int count) const {
    const int64_t bytes = std::min<int64_t>(count * size, 16);
    return !given || (feature == 1 && reinterpret_cast<uintptr_t>(data) % bytes == 0 &&
                      ((page | index | head) * size) % bytes == 0);
  }
};

}  // namespace posenc::cuda
