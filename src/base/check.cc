// check.cc: the checks and their sentences.
#include "base/check.h"

#include <algorithm>

#include "base/batch.h"
#include "base/cuda_state.h"
#include "posenc/field.h"

namespace posenc {
namespace {

std::string strides_of(const Tensor& t) {
  std::vector<std::string> steps;
  steps.reserve(static_cast<size_t>(t.rank));
  for (int i = 0; i < t.rank; ++i) steps.push_back(std::to_string(t.step(i)));
  return "strides [" + join(steps, ", ") + "] of " + describe(t);
}

}  // namespace

bool fits_offset_range(const Tensor& t) {
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
  if (t.dtype > DType::i64)
    fail(ErrorKind::tensor, verb, "expected ", what, " of a known element type, got number ",
         static_cast<int>(t.dtype));
  if (counted(t) < 0)
    fail(ErrorKind::tensor, verb, "expected ", what, " of a size that fits 64 bits, got ",
         describe(t));
  if (t.data)
    fail(ErrorKind::tensor, verb, "expected ", what, " within 2^60 bytes, got ", strides_of(t));
  fail(ErrorKind::tensor, verb, "expected ", what, " with data, got a null pointer");
}

void check_device(std::string_view verb, std::string_view what, const Tensor& t) {
  if (t.device != Device::cuda)
    fail(ErrorKind::tensor, verb, "expected ", what, " on the CPU or on CUDA, got device number ",
         static_cast<int>(t.device));
  const cuda::CudaState& cuda = cuda::state();
  if (cuda.devices == 0)
    fail(ErrorKind::tensor, verb, "expected ", what, " on the CPU (", cuda.missing,
         "), got a CUDA tensor");
  if (t.device_index < 0 || t.device_index >= cuda.devices)
    fail(ErrorKind::tensor, verb, "expected ", what, " on a CUDA device from 0 to ",
         cuda.devices - 1, ", got ", t.device_index);
}

void refuse_device(std::string_view verb, std::string_view what) {
  fail(ErrorKind::tensor, verb, "expected ", what,
       " on the CPU, which does this, got a CUDA tensor");
}

void refuse_devices(const char* verb, const char* what, const Tensor& a, const char* other,
                    const Tensor& b) {
  const auto name = [](const Tensor& t) {
    return t.device == Device::cpu ? "the CPU" : "cuda:" + std::to_string(t.device_index);
  };
  fail(ErrorKind::tensor, verb, "expected ", what, " and ", other, " on one device, got ", name(a),
       " and ", name(b));
}

void check_weights(std::string_view name, const std::vector<Weight>& wanted,
                   std::span<const Tensor> given) {
  if (wanted.size() != given.size())
    fail(ErrorKind::tensor, name, "expected ", wanted.size(), " weights, got ", given.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor like = tensor(nullptr, DType::f32, wanted[i].shape);
    if (!same_shape(like, given[i]) || !is_float(given[i].dtype))
      fail(ErrorKind::tensor, name, "expected weight '", wanted[i].name, "' as ", describe(like),
           " (or f64, f16, bf16), got ", describe(given[i]));
    check_memory(name, "weight '" + wanted[i].name + "'", given[i]);
  }
}

void check_rows(const char* verb, const char* what, const Tensor& t, int64_t dim) {
  if (t.rank < 2 || t.rank > max_rank || !is_float(t.dtype) || t.size(-1) != dim)
    fail(ErrorKind::tensor, verb, "expected ", what, " as f32, f64, f16 or bf16 [..., tokens, ",
         dim, "], got ", describe(t));
  check_memory(verb, what, t);
}

void check_same(const char* verb, const char* what, const Tensor& t, const Tensor& like) {
  if (t.dtype != like.dtype || !same_shape(t, like))
    fail(ErrorKind::tensor, verb, "expected ", what, " as ", describe(like),
         " like the input, got ", describe(t));
  check_memory(verb, what, t);
  if (like.data) check_same_device(verb, what, t, "the input", like);
}

void check_output(const char* verb, const Tensor& t) {
  if (t.read_only)
    fail(ErrorKind::tensor, verb, "expected an output that may be written, got read-only ",
         describe(t));
  if (repeats(t))
    fail(ErrorKind::tensor, verb, "expected an output whose elements lie apart, got ",
         strides_of(t), ", by which some share memory");
}

void check_overlap(const char* verb, const Tensor& in, const Tensor& out) {
  check_same_device(verb, "the input", in, "the output", out);
  if (!same_view(in, out) && overlap(in, out))
    fail(ErrorKind::tensor, verb,
         "expected the output to be the input or apart from it, got memory that overlaps");
}

void check_apart(const char* verb, const char* what, const Tensor& a, const char* other,
                 const Tensor& b) {
  check_same_device(verb, what, a, other, b);
  if (a.rank > 0 && b.rank > 0 && overlap(a, b))
    fail(ErrorKind::tensor, verb, "expected ", what, " apart from ", other,
         ", got memory that overlaps");
}

void check_vocabulary(const char* verb, const char* what, const Tensor& t, DType dtype,
                      int64_t dim) {
  if (t.rank != 2 || t.dtype != dtype || t.size(1) != dim)
    fail(ErrorKind::tensor, verb, "expected ", what, " as ", to_string(dtype), " [vocabulary, ",
         dim, "], got ", describe(t));
  check_memory(verb, what, t);
}

void check_ids(const char* verb, const Tensor& ids, const Tensor& rows, int64_t limit) {
  if (!is_integer(ids.dtype) || ids.rank != rows.rank - 1 ||
      !std::equal(ids.shape.begin(), ids.shape.begin() + ids.rank, rows.shape.begin()))
    fail(ErrorKind::tensor, verb, "expected ids as i32 or i64 [..., tokens] for ", describe(rows),
         ", got ", describe(ids));
  check_memory(verb, "ids", ids);
  if (ids.device != Device::cpu) return;
  const Batch batch(ids, 1);
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t token = 0; token < batch.tokens(); ++token)
      if (const int64_t id = integer(ids.dtype, batch.at(row, token)); id < 0 || id >= limit)
        fail(verb, "expected ids from 0 to ", limit - 1, ", got ", id, " at token ", token);
}

}  // namespace posenc
