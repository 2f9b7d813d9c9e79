// serve.h: what serving a model does around the rotation, in the same pass over queries and keys.
//
//   posenc::rotate_into(plan, {q, k}, {.q = q},                  // k goes to the cache alone
//                       {.norm = {.q = q_norm, .k = k_norm},     // Qwen3
//                        .v = v,
//                        .cache = {.k = k_pages, .v = v_pages, .slots = slots}},
//                       posenc::positions(ids));
//
// A head is normed, rotated and stored without a rounding in between: all of it is f64 for f64 and
// f32 otherwise, and each place it is written to rounds once, to the type there. (Transformers
// rounds to the activations' type after the norm, and Qwen3's also before its weights.) Nothing is
// written when an Error is thrown.
#pragma once

#include <optional>

#include "posenc/rotary.h"
#include "posenc/rotary/head_norm.h"

namespace POSENC_PUBLIC posenc {

// Where keys and values are kept, f32, f64, f16 or bf16, whatever the type of k and v:
//
//   k  [pages, page_size, k heads, dim]      v  [pages, page_size, v heads, value_dim]
//
// with any strides, so that pages [heads, page_size, dim] ("HND") are permuted(k, {0, 2, 1, 3}) and
// both may be parts of one tensor. They are of one type, and one of the two may be left out. A
// token's slot, which is page * page_size + place in the page, is said in one of three ways:
//
//   slots         vLLM's slot_mapping: the slots themselves
//   block_table   place p of sequence s is in page block_table[s][p / page_size], at p % page_size
//   neither       the cache is contiguous, [sequences, capacity, heads, dim]: page s is sequence s
//
// A token whose slot, place or sequence is negative is padding: rotated, but not stored; on CUDA,
// where they are read only when the work is done, so is one whose slot is not in the cache. Slots
// of a call should differ; which one of several tokens stays in a slot is not said.
struct Cache {
  Tensor k{}, v{};
  Tensor slots{};        // i32 or i64 [rows, tokens], a row for each of the batch; one: [tokens]
  Tensor block_table{};  // i32 or i64 [sequences, most pages]
  Tensor sequences{};    // as slots: the sequence of each token; its batch row unless given
  std::optional<Positions> at{};  // places in the sequences; the positions of the call unless given
};

struct ServeOptions {
  HeadNorm norm{};
  Tensor v{};  // of the type of q and k, [..., tokens, v heads, value_dim], for cache.v
  Cache cache{};
};

// out = in, normed and rotated; keys and values to the cache. As with rotate(), q or k may be left
// out and each output is its input or apart from it; where k goes to a cache, out.k may be left
// out. The cache is apart from all else.
void rotate_into(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                 const ServeOptions& options, const Positions& at = range(), Stream stream = {});
// The same with cosines and sines that someone else made.
void rotate_into(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
                 const ServeOptions& options, const Positions& at = range(), Stream stream = {});

}  // namespace posenc
