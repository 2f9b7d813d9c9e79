// cache_places.h: where in a cache of keys and values each token goes.
#pragma once

#include "base/places.h"

namespace posenc {

// Slots of a cache [pages, page_size, ...], said in one of the ways of posenc::Cache; what belongs
// to another way is of rank 0.
struct CachePlaces {
  int64_t pages = 0, page_size = 1;
  Tensor slots{};        // i32 or i64 [rows, tokens]
  Tensor block_table{};  // i32 or i64 [sequences, most pages]
  Tensor sequences{};    // i32 or i64 [rows, tokens]; without them, batch rows
  Places at{};           // whole ones, without slots

  // Whether the host may read all of them.
  bool on_host() const {
    const auto here = [](const Tensor& t) { return t.rank == 0 || t.device == Device::cpu; };
    return here(slots) && here(block_table) && here(sequences) && at.on_host();
  }

  // page * page_size + index in the page; negative where the token is not stored. It trusts its
  // tensors.
  int64_t slot(int64_t row, int64_t token) const {
    if (slots.rank > 0) return integer(slots, row, token);
    const int64_t index = at.integer(0, row, token), of = sequence(row, token);
    if (index < 0 || of < 0) return -1;
    return page(of, index) * page_size + index % page_size;
  }

  int64_t sequence(int64_t row, int64_t token) const {
    return sequences.rank > 0 ? integer(sequences, row, token) : row;
  }
  // How many there are, and how many tokens each may have.
  int64_t sequence_count() const { return block_table.rank > 0 ? block_table.size(0) : pages; }
  int64_t capacity() const {
    return block_table.rank > 0 ? block_table.size(1) * page_size : page_size;
  }
  // The page that holds an index of a sequence.
  int64_t page(int64_t of, int64_t index) const {
    return block_table.rank > 0 ? integer(block_table, of, index / page_size) : of;
  }

 private:
  static int64_t integer(const Tensor& t, int64_t i, int64_t j) {
    const int64_t n = i * t.step(0) + j * t.step(1);
    return t.dtype == DType::i32 ? static_cast<const int32_t*>(t.data)[n]
                                 : static_cast<const int64_t*>(t.data)[n];
  }
};

}  // namespace posenc
