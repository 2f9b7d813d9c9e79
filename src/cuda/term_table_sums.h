// term_table_sums.h: sums that scores leave behind, and how they reach the gradients of weights.
#pragma once

#include "cuda/products.h"
#include "cuda/term_lookup.h"

namespace posenc::cuda {

// Sums that scores leave behind: of the weights, and of the rows that are made of one.
template <class C>
struct TableSums {
  const DeviceStream& stream;
  const TermLookups<C>& t;
  const TermSource& source;
  WeightSums weights;
  bool has_rows = weights && t.rows;
  int64_t row_numbers = has_rows ? t.heads * t.parts[0].rows * t.dim : 0;
  Temporary<double> rows{stream, row_numbers};
  Temporary<double> resized{stream, resized_before(t.count)};  // tables as they are read

  TableSums(const DeviceStream& p, const TermLookups<C>& lookups, const TermSource& s,
            std::span<const Tensor> dweights)
      : stream(p), t(lookups), source(s), weights(p, dweights) {
    clear(stream, rows, row_numbers);
    clear(stream, resized, resized_before(t.count));
  }

  // How many numbers the resized tables of the first parts have.
  int64_t resized_before(int part) const {
    int64_t sum = 0;
    for (int p = 0; p < part; ++p)
      if (weights && t.parts[p].trained > 0) sum += t.parts[p].rows * t.parts[p].dim;
    return sum;
  }
  // Where the sums of a part's table are.
  double* sums_of(const DeviceLookupPart<C>& part) const {
    if (part.weight < 0) return rows.data();
    if (part.trained > 0) return resized.data() + resized_before(part.weight);
    return weights.of(static_cast<size_t>(part.weight)) + source.first_head * part.head_step;
  }

  bool takes(const DeviceLookupPart<C>& part) const {
    return weights && (part.weight >= 0 || has_rows);
  }
  // The gradient of a part's table, from x and the shares of its rows, [lines, heads, rows].
  void add_table(const LineLookups<C>& call, const C* shares, const C* x) const {
    const DeviceLookupPart<C>& part = call.part;
    const int64_t heads = t.heads;
    double* to = sums_of(part);
    if (part.head_step == 0) {
      multiply<C, C, double>(stream, {1, part.rows, part.dim, call.lines * heads},
                             {shares, 0, 1, part.rows}, {x, 0, part.dim, 1}, {to, 0, part.dim, 1},
                             true);
    } else {
      multiply<C, C, double>(stream, {heads, part.rows, part.dim, call.lines},
                             {shares, part.rows, 1, heads * part.rows},
                             {x, part.dim, heads * part.dim, 1},
                             {to, part.head_step, part.row_step, 1}, true);
    }
  }

  // The gradient of the bias of queries, from theirs.
  void add_bias(const C* dx, int64_t lines) const {
    multiply<C, C, double>(stream, {t.heads, 1, t.dim, lines}, {}, {dx, t.dim, t.heads * t.dim, 1},
                           {weights.of(t.bias_weight) + source.first_head * t.dim, t.dim, 0, 1},
                           true);
  }
  // The gradient of the projection: from queries and that of what they became, or from that of the
  // rows, once all is summed.
  double* projection() const {
    return weights.of(t.projection_weight) + source.first_head * t.dim * t.inputs;
  }
  void add_projection(const C* x, const C* dx, int64_t lines) const {
    multiply<C, C, double>(stream, {t.heads, t.dim, t.inputs, lines},
                           {x, t.dim, 1, t.heads * t.dim}, {dx, t.inputs, t.heads * t.inputs, 1},
                           {projection(), t.dim * t.inputs, t.inputs, 1}, true);
  }
  // The gradients of what makes gates, from x and the gradients of both sums and of the scale.
  void add_gate(const C* x, const C* dsums, int64_t lines) const {
    const int64_t all = lines * t.heads;
    multiply<C, C, double>(stream, {2, gate_rows, t.dim, all}, {dsums, 1, 0, 3}, {x, 0, t.dim, 1},
                           {weights.of(t.gate.first_weight), gate_rows * t.dim, t.dim, 1}, true);
    multiply<C, C, double>(stream, {2, gate_rows, 1, all}, {}, {dsums, 1, 3, 0},
                           {weights.of(t.gate.first_weight + 1), gate_rows, 1, 1}, true);
    multiply<C, C, double>(stream, {t.heads, 1, 1, lines}, {}, {dsums + 2, 3, 3 * t.heads, 1},
                           {weights.of(t.gate.first_weight + 2) + source.first_head, 1, 0, 0},
                           true);
  }
  // From a resized table to the one that was trained.
  void add_resized(int p) const {
    const DeviceLookupPart<C>& part = t.parts[p];
    const auto on_device = [&](double* data, int64_t count) {
      Tensor out = tensor(data, {count, part.dim});
      out.device = Device::cuda, out.device_index = stream.device();
      return out;
    };
    ResizeOrder order{on_device(sums_of(part), part.rows),
                      on_device(weights.of(static_cast<size_t>(part.weight)), part.trained),
                      {1, {part.trained}, {part.rows}},
                      Resize::linear,
                      0,
                      true,
                      stream.handle()};
    run(order);
  }
  void finish() const {
    for (int p = 0; weights && p < t.count; ++p)
      if (t.parts[p].trained > 0) add_resized(p);
    const int64_t count = t.parts[0].rows;
    if (has_rows)
      multiply<double, C, double>(stream, {t.heads, t.dim, t.inputs, count},
                                  {rows.data(), count * t.dim, 1, t.dim},
                                  {t.sinusoid_rows->data(), 0, t.inputs, 1},
                                  {projection(), t.dim * t.inputs, t.inputs, 1}, true);
    weights.add();
  }
};

}  // namespace posenc::cuda
