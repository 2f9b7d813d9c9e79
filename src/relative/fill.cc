// fill.cc: biases alone, as a matrix or as the line they lie on.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/dispatch.h"
#include "relative/walk.h"

namespace posenc {
namespace {

// The lines as elements of the output, so that a row of biases is a copy of a part of one.
template <class T>
std::vector<T> as_elements(const BiasRows<Compute<T>>& rows, int64_t heads) {
  std::vector<T> out(static_cast<size_t>(heads * rows.length()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = rounded_to<T>(rows.line(0)[i]);
  return out;
}

template <class T>
struct Filler {
  using C = Compute<T>;
  const BiasCall& call;
  const BiasRows<C>& rows;
  const std::vector<T>& lines;
  Batch to;
  bool causal;

  // Queries [first, last) whose rows slide along the line. Nothing else is stored between the rows,
  // or the processor stops to stream: half the time.
  void slide(int64_t row, int64_t head, int64_t first, int64_t last) const {
    const int64_t step = call.formula.reads == Reads::key ? 0 : 1;
    const auto block = rows_at(to, row, head, first);
    const T* from = lines.data() + head * rows.length() + rows.entry(row, first, 0);
    T* data = static_cast<T*>(block.data);
    const auto bytes = static_cast<size_t>(call.keys.tokens) * sizeof(T);
    for (int64_t q = first; q < last; ++q, data += block.row, from -= step)
      std::memcpy(data, from, bytes);
  }

  // Queries [first, last) of batch rows [row, end), which share positions.
  void queries(int64_t row, int64_t end, int64_t head, int64_t first, int64_t last) const {
    const bool slides = rows.sliding() && to.t.step(-1) == 1 && !causal;
    if (slides && call.keys.is_run(row) && call.queries.is_run(row)) {
      for (int64_t r = row; r < end; ++r) slide(r, head, first, last);
    } else {
      for (int64_t q = first; q < last; ++q) query(row, end, head, q);
    }
  }

  // One query of batch rows [row, end), which share positions.
  void query(int64_t row, int64_t end, int64_t head, int64_t query) const {
    const int64_t keys = call.keys.tokens;
    std::vector<C> buffer;
    const C* from = nullptr;
    for (int64_t r = row; r < end; ++r) {
      const bool run = call.keys.is_run(r);
      const auto block = rows_at(to, r, head, query);
      T* data = static_cast<T*>(block.data);
      if (rows.sliding() && run && block.column == 1) {
        std::copy_n(lines.data() + head * rows.length() + rows.entry(r, query, 0), keys, data);
      } else {
        buffer.resize(static_cast<size_t>(keys));
        if (r == row) from = rows.row(r, head, query, run, buffer.data());
        for (int64_t k = 0; k < keys; ++k) data[k * block.column] = rounded_to<T>(from[k]);
      }
      if (causal) mask(call, r, query, run, data, block.column);
    }
  }
};

template <class T>
void fill_all(const BiasCall& call, const Tensor& out, bool causal) {
  const BiasRows<Compute<T>> rows(call);
  const auto lines = as_elements<T>(rows, rows.sliding() ? call.heads : 0);
  const Filler<T> filler{call, rows, lines, Batch(out, 3), causal};
  const int64_t queries = call.queries.tokens, heads = call.heads;
  const int64_t groups = row_groups(call, rows, out);
  constexpr int64_t block = 64;
  const int64_t blocks = (queries + block - 1) / block;
  parallel_for(groups * heads * blocks, out.elements() * size_of(out.dtype), [&](int64_t n) {
    const int64_t group = n / blocks / heads, first = n % blocks * block;
    filler.queries(group * call.rows / groups, (group + 1) * call.rows / groups, n / blocks % heads,
                   first, std::min(first + block, queries));
  });
}

void fill_checked(const BiasCall& call, const Tensor& out, bool causal) {
  check_output("fill", out);
  if (out.elements() == 0) return;
  dispatch(out.dtype, [&]<class T>() { fill_all<T>(call, out, causal); });
}

}  // namespace

void fill_profile(const BiasPlan& plan, const Tensor& profile, int64_t first, int64_t first_head) {
  if (plan.reads() == Reads::both)
    fail("fill_profile", "expected a scheme that reads the distance, the key or an entry, got one ",
         "that reads query and key");
  if (profile.rank != 2 || !is_float(profile.dtype))
    fail("fill_profile", "expected a profile as f32, f64, f16 or bf16 [heads, any], got ",
         describe(profile));
  BiasFormula line = plan.parts().formula;
  if (line.reads == Reads::entry) {
    if (first < 0 || first > line.entries || profile.size(1) > line.entries - first)
      fail("fill_profile", "expected entries from 0 to ", line.entries - 1, ", got ",
           profile.size(1), " from ", first, " on");
    line.reads = Reads::key, line.tokens = 0;
  }
  Tensor scores = profile;  // of one query at 0
  scores.rank = 3;
  scores.shape = {profile.size(0), 1, profile.size(1)};
  scores.stride = {profile.step(0), 0, profile.step(1)};
  const ScoreOptions options{.keys = range(first), .first_head = first_head};
  fill_checked(check_call("fill_profile", line, plan.heads(), scores, options), scores, false);
}

void fill(const BiasPlan& plan, const Tensor& out, const ScoreOptions& options) {
  const BiasCall call = check_call("fill", plan, out, options);
  check_apart("fill", out, options);
  fill_checked(call, out, options.causal);
}

void fill(const Bias& scheme, const Tensor& out, const ScoreOptions& options,
          const PlanOptions& plan) {
  fill(prepare(scheme, plan), out, options);
}

}  // namespace posenc
