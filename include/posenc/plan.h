// plan.h: what all plans have in common.
#pragma once

#include <span>
#include <utility>

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

// What prepare() may be told about any scheme; each reads what concerns it.
struct PlanOptions {
  // One tensor for each entry of the scheme's weights(), in that order. They are read now, except
  // learned tables, which must outlive the plan.
  std::span<const Tensor> weights{};
  // Tokens of the text: length rules such as dynamic and longrope ask for it.
  int64_t length = 0;
  // What positions 0 .. keep - 1 need is made now and kept.
  int64_t keep = 0;
  // What this CUDA device needs is copied there now, rather than at the first call that finds its
  // tensors there; -1: none.
  int cuda_device = -1;
};

namespace detail {

struct Counted {
  virtual ~Counted() = default;
  int64_t owners = 1;  // own() and disown() alone touch it, from any thread
};
void own(Counted* shared);  // null is ignored
void disown(Counted* shared);

// What all copies of a plan share, and the last one frees.
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

// What a plan holds; an Error where that is nothing: no prepare() made it, or it was moved from.
template <class Parts>
const Parts& plan_parts(const detail::Shared<Parts>& shared) {
  if (!shared.get()) fail("plan", "expected a plan that prepare() made, got an empty or moved one");
  return *shared.get();
}

}  // namespace posenc
