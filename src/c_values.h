// c_values.h: what C hands over, as the values of the library, and errors as numbers.
#pragma once

#include <algorithm>
#include <new>

#include "posenc/posenc.h"
#include "posenc/posenc_c.h"

struct posenc_plan {
  posenc::Plan plan;
  std::string name, info;
};

namespace posenc::c {

// What went wrong last, stored without memory that might be lacking.
struct LastError {
  int status = POSENC_OK;
  char text[1024] = "";

  int set(int now, std::string_view sentence) {
    status = now;
    text[sentence.copy(text, sizeof text - 1)] = '\0';
    return now;
  }
};
inline thread_local LastError last_error;

constexpr int status_of(ErrorKind kind) { return POSENC_ARGUMENT + static_cast<int>(kind); }
static_assert(status_of(ErrorKind::option) == POSENC_OPTION &&
              status_of(ErrorKind::tensor) == POSENC_TENSOR &&
              status_of(ErrorKind::data) == POSENC_DATA);

// Calls f and lets nothing out.
template <class F>
int guarded(const F& f) noexcept {
  try {
    f();
    return POSENC_OK;
  } catch (const Error& error) {
    return last_error.set(status_of(error.kind), error.what());
  } catch (const std::bad_alloc&) {
    return last_error.set(POSENC_MEMORY, "[posenc] out of memory");
  } catch (const std::exception& error) {
    return last_error.set(POSENC_OTHER, error.what());
  } catch (...) {
    return last_error.set(POSENC_OTHER, "[posenc] expected no unknown error, got one");
  }
}

// Text that stays until this thread asks for another, or NULL.
template <class F>
const char* text_of_thread(const F& make) {
  thread_local std::string text;
  if (guarded([&] { text = make(); }) != POSENC_OK) return nullptr;
  return text.c_str();  // NOLINT(clang-analyzer-cplusplus.InnerPointer): until the next call
}

inline DType dtype_of_bits(int code, int bits, int lanes) {
  if (lanes == 1 && code == 2 && bits == 32) return DType::f32;
  if (lanes == 1 && code == 2 && bits == 64) return DType::f64;
  if (lanes == 1 && code == 2 && bits == 16) return DType::f16;
  if (lanes == 1 && code == 4 && bits == 16) return DType::bf16;
  if (lanes == 1 && code == 0 && bits == 32) return DType::i32;
  if (lanes == 1 && code == 0 && bits == 64) return DType::i64;
  fail(ErrorKind::tensor, "tensor", "expected f32, f64, f16, bf16, i32 or i64, got DLPack code ",
       code, " of ", bits, " bits and ", lanes, " lanes");
}

inline Device device_of(int type) {
  if (type == 1 || type == 3) return Device::cpu;
  if (type == 2) return Device::cuda;
  fail(ErrorKind::tensor, "tensor", "expected a tensor on the CPU or CUDA, got device ", type);
}

// A tensor that was not given has rank 0.
inline Tensor tensor_of(const posenc_tensor* given) {
  if (!given) return {};
  if (given->ndim < 1 || given->ndim > max_rank || !given->shape)
    fail(ErrorKind::tensor, "tensor", "expected 1 to ", max_rank, " axes, got ", given->ndim);
  const std::span shape(given->shape, static_cast<size_t>(given->ndim));
  Tensor t = tensor(given->data,
                    dtype_of_bits(given->dtype.code, given->dtype.bits, given->dtype.lanes), shape);
  if (given->strides) std::copy_n(given->strides, given->ndim, t.stride.begin());
  if (t.data) t.data = static_cast<char*>(t.data) + given->byte_offset;
  t.device = device_of(given->device.device_type);
  t.device_index = given->device.device_id;
  return t;
}

inline std::vector<Tensor> tensors_of(const posenc_tensor* given, int32_t count) {
  if (count < 0 || (count > 0 && !given))
    fail("tensors", "expected an array of weights, got ", count, " of none");
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) out.push_back(tensor_of(given + i));
  return out;
}

inline Positions positions_of(const posenc_positions* given) {
  if (!given) return range();
  return given->ids ? positions(tensor_of(given->ids)) : range(given->first);
}

inline ScoreOptions score_options_of(const posenc_score_options* given) {
  if (!given) return {};
  const int64_t first_head = given->first_head;
  return {.queries = positions_of(&given->queries),
          .keys = positions_of(&given->keys),
          .first_head = first_head == -1 ? std::nullopt : std::optional(first_head),
          .causal = given->causal != 0,
          .scale = given->scale,
          .scale_on = given->scale_sum ? ScaleOn::sum : ScaleOn::scores};
}

// The plan as one of a family.
template <class Family>
const Family& plan_of(const char* verb, const char* family, const posenc_plan* given) {
  if (!given) fail(verb, "expected a plan, got NULL");
  if (const auto* plan = std::get_if<Family>(&given->plan)) return *plan;
  fail(verb, "expected the plan of ", family, " scheme, got that of ", given->name);
}

}  // namespace posenc::c
