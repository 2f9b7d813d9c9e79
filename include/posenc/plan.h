// plan.h: common parts of all plans.
#pragma once

#include <span>
#include <utility>

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

// Options of prepare() for any scheme; each scheme reads those that concern it.
struct PlanOptions {
  // One tensor for each entry of the scheme's weights(), in that order. prepare() reads them,
  // except learned tables, which must outlive the plan.
  std::span<const Tensor> weights{};
  // The length of the text in tokens, required by length rules such as dynamic and longrope.
  int64_t length = 0;
  // Rows for positions 0 .. keep - 1 are computed now and cached.
  int64_t keep = 0;
  // Copies the plan's data to this CUDA device now, instead of at the first call with tensors on
  // that device; -1: none.
  int cuda_device = -1;
};

namespace detail {

struct Counted {
  virtual ~Counted() = default;
  int64_t owners = 1;  // only changed by own() and disown(), from any thread
};
void own(Counted* shared);  // null is ignored
void disown(Counted* shared);

// Data that all copies of a plan share; the last copy frees it.
template <class Parts>
class Shared {
 public:
  Shared() = default;
  template <class... Parameters>
  static Shared make(Parameters&&... parameters) {
    struct Block : Counted {
      Parts parts;
      explicit Block(Parameters&&... p) : parts{std::forward<Parameters>(p)...} {}
    };
    auto* block = new Block(std::forward<Parameters>(parameters)...);
    Shared out;
    out.block_ = block, out.parts_ = &block->parts;
    return out;
  }
  Shared(const Shared& other) : block_(other.block_), parts_(other.parts_) { own(block_); }
  Shared(Shared&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        parts_(std::exchange(other.parts_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(block_, other.block_);
    std::swap(parts_, other.parts_);
    return *this;
  }
  ~Shared() { disown(block_); }
  Parts* get() const { return parts_; }

 private:
  Counted* block_ = nullptr;
  Parts* parts_ = nullptr;
};

}  // namespace detail

// The data of a plan; an Error if it has none: default-constructed, or moved from.
template <class Parts>
const Parts& plan_parts(const detail::Shared<Parts>& shared) {
  if (!shared.get()) fail("plan", "expected a plan that prepare() made, got an empty or moved one");
  return *shared.get();
}

}  // namespace posenc
