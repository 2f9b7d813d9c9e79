// check.cc: the checks and their sentences.
#include "base/check.h"

#include <algorithm>

#include "base/batch.h"
#include "base/bits.h"

namespace posenc {
namespace {

constexpr int64_t far = int64_t{1} << 62;  // positions beyond have no exact phase

std::string strides_of(const Tensor& t) {
  std::vector<std::string> steps;
  for (int i = 0; i < t.rank; ++i) steps.push_back(std::to_string(t.step(i)));
  return "strides [" + join(steps, ", ") + "] of " + describe(t);
}

// Rows from `end` on are those of a longer text.
void check_end(const char* verb, const AbsolutePlan::Source& source, auto position) {
  if (position >= static_cast<decltype(position)>(source.end))
    fail(verb, "expected positions below ", source.end,
         " of this plan, whose frequencies depend on the length of the text, got ", position);
}

void check_range(const char* verb, const AbsolutePlan::Source& source, const Positions& at,
                 int64_t tokens) {
  if (source.axes != 1 && !source.range_on_all_axes)
    fail(verb, "expected explicit positions for ", source.axes, " axes, got a range");
  if (at.first < -far || at.first > far - tokens)
    fail(verb, "expected positions within 2^62, got ", at.first, " and ", tokens, " tokens");
  if (tokens == 0) return;
  const int64_t last = at.first + tokens - 1;
  check_end(verb, source, last);
  if (!source.table) return;
  const int64_t rows = source.table->rows.size(0), offset = source.table->offset;
  if (at.first + offset < 0 || last + offset >= rows)
    fail(verb, "expected positions from ", -offset, " to ", rows - 1 - offset, ", got ", at.first,
         " to ", last);
}

void check_id(const char* verb, const AbsolutePlan::Source& source, int64_t position) {
  if (position < -far || position > far)
    fail(verb, "expected positions within 2^62, got ", position);
  check_end(verb, source, position);
  if (!source.table) return;
  const int64_t rows = source.table->rows.size(0), offset = source.table->offset;
  if (position + offset < 0 || position + offset >= rows)
    fail(verb, "expected positions from ", -offset, " to ", rows - 1 - offset, ", got ", position);
}

void check_real(const char* verb, const AbsolutePlan::Source& source, double position) {
  if (source.table)
    fail(verb, "expected whole positions (i32 or i64) for a learned table, got f64");
  if (!is_finite(position) || position < -0x1p62 || position > 0x1p62)
    fail(verb, "expected finite positions within 2^62, got ", position);
  check_end(verb, source, position);
}

}  // namespace

bool is_near(const Tensor& t) {
  constexpr int64_t most = int64_t{1} << 57;
  int64_t reach = 0;
  for (int i = 0; i < t.rank; ++i) {
    int64_t n;
    if (__builtin_mul_overflow(t.step(i), t.size(i) - 1, &n) || n < -most || n > most) return false;
    reach += n < 0 ? -n : n;
  }
  return reach <= most;
}

void refuse_memory(std::string_view verb, std::string_view what, const Tensor& t) {
  if (t.device != Device::cpu)
    fail(verb, "expected ", what, " on the CPU (this build has no CUDA), got a CUDA tensor");
  if (t.dtype > DType::i64)
    fail(verb, "expected ", what, " of a known element type, got number ",
         static_cast<int>(t.dtype));
  if (counted(t) < 0)
    fail(verb, "expected ", what, " of a size that fits 64 bits, got ", describe(t));
  if (t.data) fail(verb, "expected ", what, " within 2^60 bytes, got ", strides_of(t));
  fail(verb, "expected ", what, " with data, got a null pointer");
}

void check_weights(std::string_view name, const std::vector<Weight>& wanted,
                   std::span<const Tensor> given) {
  if (wanted.size() != given.size())
    fail(name, "expected ", wanted.size(), " weights, got ", given.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor like = tensor(nullptr, DType::f32, wanted[i].shape);
    if (!same_shape(like, given[i]) || !is_float(given[i].dtype))
      fail(name, "expected weight '", wanted[i].name, "' as ", describe(like),
           " (or f64, f16, bf16), got ", describe(given[i]));
    check_memory(name, "weight '" + wanted[i].name + "'", given[i]);
  }
}

void check_rows(const char* verb, const char* what, const Tensor& t, int64_t dim) {
  if (t.rank < 2 || t.rank > max_rank || !is_float(t.dtype) || t.size(-1) != dim)
    fail(verb, "expected ", what, " as f32, f64, f16 or bf16 [..., tokens, ", dim, "], got ",
         describe(t));
  check_memory(verb, what, t);
}

void check_same(const char* verb, const char* what, const Tensor& t, const Tensor& like) {
  if (t.dtype != like.dtype || !same_shape(t, like))
    fail(verb, "expected ", what, " as ", describe(like), " like the input, got ", describe(t));
  check_memory(verb, what, t);
}

void check_output(const char* verb, const Tensor& t) {
  if (repeats(t))
    fail(verb, "expected an output whose elements lie apart, got ", strides_of(t),
         ", by which some share memory");
}

void check_overlap(const char* verb, const Tensor& in, const Tensor& out) {
  if (!same_view(in, out) && overlap(in, out))
    fail(verb, "expected the output to be the input or apart from it, got memory that overlaps");
}

void check_apart(const char* verb, const char* what, const Tensor& a, const char* other,
                 const Tensor& b) {
  if (a.rank > 0 && b.rank > 0 && overlap(a, b))
    fail(verb, "expected ", what, " apart from ", other, ", got memory that overlaps");
}

void check_vocabulary(const char* verb, const char* what, const Tensor& t, DType dtype,
                      int64_t dim) {
  if (t.rank != 2 || t.dtype != dtype || t.size(1) != dim)
    fail(verb, "expected ", what, " as ", to_string(dtype), " [vocabulary, ", dim, "], got ",
         describe(t));
  check_memory(verb, what, t);
}

void check_ids(const char* verb, const Tensor& ids, const Tensor& rows, int64_t limit) {
  if (!is_integer(ids.dtype) || ids.rank != rows.rank - 1 ||
      !std::equal(ids.shape.begin(), ids.shape.begin() + ids.rank, rows.shape.begin()))
    fail(verb, "expected ids as i32 or i64 [..., tokens] for ", describe(rows), ", got ",
         describe(ids));
  check_memory(verb, "ids", ids);
  const Batch batch(ids, 1);
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t token = 0; token < batch.tokens(); ++token)
      if (const int64_t id = integer(ids.dtype, batch.at(row, token)); id < 0 || id >= limit)
        fail(verb, "expected ids from 0 to ", limit - 1, ", got ", id, " at token ", token);
}

void check_positions(const char* verb, const AbsolutePlan::Source& source, const Positions& at,
                     int64_t rows, int64_t tokens) {
  if (at.is_range()) return check_range(verb, source, at, tokens);
  const Tensor& ids = at.ids;
  const bool typed = is_integer(ids.dtype) || ids.dtype == DType::f64;
  if (!typed || ids.rank != 3 || ids.size(0) != source.axes ||
      (ids.size(1) != 1 && ids.size(1) != rows) || ids.size(2) != tokens)
    fail(verb, "expected positions as i32, i64 or f64 [", source.axes, ", 1 or ", rows, ", ",
         tokens, "], got ", describe(ids));
  check_memory(verb, "positions", ids);
  for (int64_t axis = 0; axis < ids.size(0); ++axis)
    for (int64_t row = 0; row < ids.size(1); ++row)
      for (int64_t token = 0; token < tokens; ++token) {
        const int64_t n = axis * ids.step(0) + row * ids.step(1) + token * ids.step(2);
        const void* id = static_cast<const char*>(ids.data) + n * size_of(ids.dtype);
        if (ids.dtype == DType::f64) {
          check_real(verb, source, *static_cast<const double*>(id));
        } else {
          check_id(verb, source, integer(ids.dtype, id));
        }
      }
}

}  // namespace posenc
