// scatter.h: rows of tokens added to the rows of a table that they read.
#pragma once

#include "cuda/lookups.h"
#include "cuda/sums.h"

namespace posenc::cuda {

// The row that each token reads; `rows` where it reads none.
struct RowKeys {
  bool by_place = false;
  View ids;                              // each token's own, or
  DevicePlaces at;                       // a place, plus an offset, or
  const DeviceLookup* lookup = nullptr;  // what this finds there
  int64_t tokens = 1, offset = 0, skipped = -1;
  int64_t count = 0;  // of all tokens
  int64_t rows = 0;

  __device__ uint32_t operator()(int64_t n) const {
    int64_t key;
    if (by_place) {
      const Divided item = divided(n, tokens);
      key = lookup ? lookup->at(at, item.quotient, item.rest).row
                   : at.integer(0, item.quotient, item.rest) + offset;
    } else {
      const int64_t where = ids.offset(n);
      key = ids.dtype == DType::i32 ? reinterpret_cast<const int32_t*>(ids.data)[where]
                                    : reinterpret_cast<const int64_t*>(ids.data)[where];
    }
    return static_cast<uint32_t>(key >= 0 && key < rows && key != skipped ? key : rows);
  }
};

// sums[key] += factor * row of dout [..., dim], for all tokens in a fixed order.
void scatter(const DeviceStream& stream, const RowKeys& keys, const Tensor& dout,
             const SumRows& sums);

// keys and order, of count each: the tokens by their key, those of one key as they were.
void sort_tokens(const DeviceStream& stream, const RowKeys& of, uint32_t* keys, uint32_t* order);

}  // namespace posenc::cuda
