// cache.cc: checks of caches, and of where in them tokens go.
#include "rotary/cache.h"

#include "base/batch.h"
#include "base/check.h"

namespace posenc {
namespace {

// For heads of x, [..., tokens, heads, dim].
void check_pages(const char* verb, const char* what, const Tensor& cache, const char* whose,
                 const Tensor& x) {
  if (x.rank == 0)
    fail(ErrorKind::tensor, verb, "expected ", whose, " where there is a ", what, ", got none");
  if (cache.rank != 4 || !is_float(cache.dtype) || cache.size(1) < 1 ||
      cache.size(2) != x.size(-2) || cache.size(3) != x.size(-1))
    fail(ErrorKind::tensor, verb, "expected ", what,
         " as f32, f64, f16 or bf16 [pages, page_size, ", x.size(-2), ", ", x.size(-1), "] for ",
         whose, " ", describe(x), ", got ", describe(cache));
  check_memory(verb, what, cache);
  check_output(verb, cache);
}

void check_caches(const char* verb, const Tensor& k, const Tensor& v,
                  const RotateIntoOrder& order) {
  if (k.rank != 0) check_pages(verb, "cache.k", k, "k", order.rotation.k.in);
  if (v.rank != 0) check_pages(verb, "cache.v", v, "v", order.v);
  if (k.rank > 0 && v.rank > 0 &&
      (k.dtype != v.dtype || k.size(0) != v.size(0) || k.size(1) != v.size(1)))
    fail(ErrorKind::tensor, verb,
         "expected cache.k and cache.v of one type, with the same pages, got ", describe(k),
         " and ", describe(v));
}

// Integers for each token, as [rows, tokens].
Tensor check_each(const char* verb, const char* what, Tensor t, int64_t rows, int64_t tokens) {
  const bool one = t.rank == 1 && rows == 1, all = t.rank == 2 && t.size(0) == rows;
  if (!is_integer(t.dtype) || (!one && !all) || t.size(-1) != tokens)
    fail(ErrorKind::tensor, verb, "expected ", what, " as i32 or i64 ",
         rows == 1 ? "[tokens] or " : "", "[", rows, ", ", tokens, "], got ", describe(t));
  check_memory(verb, what, t);
  if (one) t.rank = 2, t.shape = {1, tokens}, t.stride = {0, t.stride[0]};
  return t;
}

void check_table(const char* verb, const Tensor& table) {
  if (table.rank != 2 || !is_integer(table.dtype))
    fail(ErrorKind::tensor, verb,
         "expected cache.block_table as i32 or i64 [sequences, most pages], got ", describe(table));
  check_memory(verb, "cache.block_table", table);
}

// Places in the sequences: given, or where the tokens stand for the rotation.
Places check_at(const char* verb, const Cache& cache, const Places& rotation, int64_t rows) {
  const Places at{cache.at.value_or(rotation.at), rotation.tokens};
  if (at.at.is_range()) {
    if (at.at.first > (int64_t{1} << 62) - at.tokens)
      fail(verb, "expected places within 2^62, got ", at.at.first, " and ", at.tokens, " tokens");
    return at;
  }
  const Tensor& ids = at.at.ids;
  if (!cache.at && (!at.whole() || at.axes() > 1))
    fail(verb, "expected cache.at or cache.slots where positions are not whole or have several ",
         "axes, got neither");
  if (!is_integer(ids.dtype) || ids.rank != 3 || ids.size(0) != 1 ||
      (ids.size(1) != 1 && ids.size(1) != rows) || ids.size(2) != at.tokens)
    fail(ErrorKind::tensor, verb, "expected cache.at as i32 or i64 [1, 1 or ", rows, ", ",
         at.tokens, "], got ", describe(ids));
  check_memory(verb, "cache.at", ids);
  return at;
}

// What one token's slot is made of.
void check_slot(const char* verb, const CachePlaces& places, int64_t row, int64_t token) {
  if (places.slots.rank > 0) {
    if (const int64_t slot = places.slot(row, token); slot >= places.pages * places.page_size)
      fail(verb, "expected slots below ", places.pages * places.page_size, ", got ", slot,
           " at token ", token);
    return;
  }
  const int64_t of = places.sequence(row, token), place = places.at.integer(0, row, token);
  if (of < 0 || place < 0) return;
  if (of >= places.sequence_count())
    fail(verb, "expected tokens of ", places.sequence_count(), " sequences, got sequence ", of,
         " at token ", token);
  if (place >= places.capacity())
    fail(verb, "expected places below ", places.capacity(),
         ", which the cache has for a sequence, ", "got ", place, " at token ", token);
  if (const int64_t page = places.page(of, place); page < 0 || page >= places.pages)
    fail(verb, "expected pages from 0 to ", places.pages - 1, " in cache.block_table, got ", page,
         " for place ", place, " of sequence ", of);
}

// The one place where the host reads slots and tables; what it cannot read, it does not check.
void check_slots(const char* verb, const CachePlaces& places, int64_t rows, int64_t tokens) {
  if (!places.on_host()) return;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t token = 0; token < tokens; ++token) check_slot(verb, places, row, token);
}

void check_ways(const char* verb, const Cache& cache) {
  const bool others = cache.block_table.rank != 0 || cache.sequences.rank != 0 || cache.at;
  if (cache.slots.rank != 0 && others)
    fail(verb, "expected cache.slots alone, got block_table, sequences or at as well");
  if (cache.k.rank == 0 && cache.v.rank == 0 && (cache.slots.rank != 0 || others))
    fail(verb, "expected cache.k, cache.v or both where it is said what goes there, got neither");
}

}  // namespace

void check_cache(const char* verb, const Cache& cache, RotateIntoOrder& order) {
  check_ways(verb, cache);
  check_caches(verb, cache.k, cache.v, order);
  if (order.v.rank > 0 && cache.v.rank == 0)
    fail(ErrorKind::tensor, verb, "expected cache.v where there is v, got none");
  if (cache.k.rank == 0 && cache.v.rank == 0) return;
  const Tensor& some = cache.k.rank != 0 ? cache.k : cache.v;
  const int64_t rows = Batch(order.rotation.any(), 3).rows, tokens = order.rotation.at.tokens;
  CachePlaces& places = order.places;
  places.pages = some.size(0), places.page_size = some.size(1);
  if (cache.slots.rank != 0) {
    places.slots = check_each(verb, "cache.slots", cache.slots, rows, tokens);
  } else {
    if (cache.block_table.rank != 0)
      check_table(verb, cache.block_table), places.block_table = cache.block_table;
    if (cache.sequences.rank != 0)
      places.sequences = check_each(verb, "cache.sequences", cache.sequences, rows, tokens);
    else if (rows > places.sequence_count())
      fail(ErrorKind::tensor, verb, "expected a cache of at least ", rows,
           " sequences, one for each batch row, got ", places.sequence_count());
    places.at = check_at(verb, cache, order.rotation.at, rows);
  }
  check_slots(verb, places, rows, tokens);
  order.k_cache = cache.k, order.v_cache = cache.v;
}

}  // namespace posenc
