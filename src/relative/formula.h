// formula.h: what a score bias is made of.
#pragma once

#include <span>
#include <vector>

#include "base/on_devices.h"
#include "posenc/relative/reads.h"
#include "relative/forms.h"
#include "relative/offsets.h"

namespace posenc {

// Positions are doubles that hold whole numbers, or any numbers where `whole` is false.
struct BiasFormula {
  Reads reads = Reads::distance;
  bool whole = false;
  BiasForm form{};
  std::vector<double> block{};           // what the form reads; weights() come first
  WindowEntries window{};                // where reads is entry: queries and keys are its tokens
  std::shared_ptr<OnDevices> copies{};   // of the block and of profiles, in a plan
  int64_t last_axis_end = 0;             // the last axis runs from 0 to before it; 0: it is free
  bool blank = false;                    // made for weights that come later
  std::vector<Tensor> device_weights{};  // which each call reads, in the place of the block's

  // How many numbers say where a token stands.
  int64_t axes() const {
    return std::visit([]<class F>(const F&) { return int64_t{forms::axes_of<F>}; }, form);
  }

  // Calls f with the form, reading this copy of the block.
  template <class F>
  void visit(const double* copy, const F& f) const {
    std::visit(
        [&](auto reading) {
          reading.block = copy;
          f(reading);
        },
        form);
  }

  // out [keys, heads]: the biases of a query [axes] and each of the keys [keys, axes]; of 0 and
  // each distance, key or entry where that is all the scheme reads. out may be keys where there is
  // one head.
  void biases(HeadRange heads, const double* query, std::span<const double> keys,
              double* out) const;
  // Adds to dweights, the gradients of all weights one after the other, what g [keys, heads] says
  // about them.
  void backward(HeadRange heads, const double* query, std::span<const double> keys, const double* g,
                double* dweights) const;
};

}  // namespace posenc
