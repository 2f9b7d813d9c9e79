// term_lookup_add.cu: scores with the term of a scheme that looks up rows by distance.
#include "cuda/products.h"
#include "cuda/term_lookup.h"

namespace posenc::cuda {
namespace {

// Lines of queries as the parts meet them: through the projection or the gate, where there is one.
template <class C>
struct QueryLines {
  Temporary<C> plain, changed;

  QueryLines(const DeviceStream& stream, const TermLookups<C>& t, const Tensor& q, int64_t first,
             int64_t count)
      : plain(stream, count * t.heads * t.dim),
        changed(stream, t.changes_queries() ? count * t.heads * t.features() : 0) {
    if (t.reads(false)) gather(stream, q, first, count, t.bias, plain.data());
    if (t.projects_queries)
      multiply<C, C, C>(stream, {t.heads, count, t.inputs, t.dim},
                        {plain.data(), t.dim, t.heads * t.dim, 1},
                        {t.projection, t.dim * t.inputs, t.inputs, 1},
                        {changed.data(), t.inputs, t.heads * t.inputs, 1});
    if (t.gate) make_gates(stream, t.gate, plain.data(), count, changed.data());
  }
  const C* met(const TermLookups<C>& t) const {
    return t.changes_queries() ? changed.data() : plain.data();
  }
};

}  // namespace

template <class C>
void add_parts(const DeviceStream& stream, const TermLookups<C>& t, const ScoreGrid& grid,
               const Tensor& q, const Tensor& k, const Scaled<C>& scores, const Tensor& out,
               double after) {
  const bool reads_keys = t.reads(true);
  const int64_t key_lines = grid.rows * grid.keys, lines = grid.rows * grid.queries;
  const Temporary<C> keys(stream, reads_keys ? key_lines * t.heads * t.dim : 0);
  if (reads_keys) gather<C>(stream, k, 0, key_lines, nullptr, keys.data());
  AddLookups<C> call{grid};
  call.scores = scores, call.out = Scaled<C>(out, 1), call.after = static_cast<C>(after);
  call.keys = keys.data(), call.count = t.count, call.sinusoids = t.sinusoids;
  std::copy_n(t.parts, t.count, call.parts);
  each_piece(lines, t.width(), [&](int64_t first, int64_t count) {
    const QueryLines<C> x(stream, t, q, first, std::min(count + 1, lines - first));
    call.first = first, call.lines = count, call.queries = x.met(t);
    launch_add(stream, call);
  });
}

template <class C>
void add_term(const DeviceStream& stream, const RowLookups& form, const AddTermOrder& order) {
  const TermSource& s = order.term;
  add_parts<C>(stream, TermLookups<C>(stream, form, s, order.at), ScoreGrid(order.at, s.heads), s.q,
               s.k, {order.scores, s.before}, order.out, s.after);
}

#define POSENC_LOOKUPS(C)                                                                   \
  template void add_parts<C>(const DeviceStream&, const TermLookups<C>&, const ScoreGrid&,  \
                             const Tensor&, const Tensor&, const Scaled<C>&, const Tensor&, \
                             double);                                                       \
  template void add_term<C>(const DeviceStream&, const RowLookups&, const AddTermOrder&);
POSENC_LOOKUPS(float)
POSENC_LOOKUPS(double)
#undef POSENC_LOOKUPS

}  // namespace posenc::cuda
