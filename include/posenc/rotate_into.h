// rotate_into.h: norm, rotation and KV cache writes of a serving step in one pass.
//
//   posenc::rotate_into(plan, {q, k}, {.q = q},                  // k only to the cache
//                       {.norm = {.q = q_norm, .k = k_norm},     // Qwen3
//                        .v = v,
//                        .cache = {.k = k_pages, .v = v_pages, .slots = slots}},
//                       posenc::positions(ids));
//
// A head is normalised, rotated and stored without intermediate rounding: arithmetic is f64 for f64
// and f32 otherwise, and each output is rounded once, to its own type. (Transformers rounds to the
// activations' type after the norm, and for Qwen3 also before its weights.) Nothing is
// written when an Error is thrown.
#pragma once

#include <optional>

#include "posenc/rotary.h"
#include "posenc/rotary/head_norm.h"

namespace POSENC_PUBLIC posenc {

// The cache of keys and values. It may be f32, f64, f16 or bf16, with any type of k and v:
//
//   k  [pages, page_size, k heads, dim]      v  [pages, page_size, v heads, value_dim]
//
// with any strides, so pages [heads, page_size, dim] ("HND") are permuted(k, {0, 2, 1, 3}) and both
// may be parts of one tensor. They have the same type, and either may be left out. A token's slot,
// page * page_size + index in the page, is given in one of three ways:
//
//   slots         the slots themselves, as in vLLM's slot_mapping
//   block_table   index p of sequence s is in page block_table[s][p / page_size], at p % page_size
//   neither       the cache is contiguous, [sequences, capacity, heads, dim]: page s is sequence s
//
// A token whose slot, index or sequence is negative is padding: it is rotated but not stored. On
// CUDA, where slots are read on the device, the same holds for a slot outside the cache. The slots
// of a call should differ; which of several tokens remains in a slot is not specified.
struct Cache {
  Tensor k{}, v{};
  Tensor slots{};                 // i32 or i64 [rows, tokens], or [tokens] for one row
  Tensor block_table{};           // i32 or i64 [sequences, most pages]
  Tensor sequences{};             // like slots: the sequence of each token; default: its row
  std::optional<Positions> at{};  // indices in the sequences; default: the positions
};

struct RotateIntoOptions {
  HeadNorm norm{};
  Tensor v{};  // of the type of q and k, [..., tokens, v heads, value_dim], for cache.v
  Cache cache{};
};

// out = in, normalised and rotated; keys and values go to the cache. As with rotate(), q or k may
// be left out and each output is its input or does not overlap it; with a cache for k, out.k may be
// left out. The cache must not overlap any other tensor.
void rotate_into(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                 const RotateIntoOptions& options, const Positions& at = range(),
                 Stream stream = {});
// The same with given cosines and sines.
void rotate_into(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
                 const RotateIntoOptions& options, const Positions& at = range(),
                 Stream stream = {});

}  // namespace posenc
