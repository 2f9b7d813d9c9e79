// decomposed.cc: queries meet the rows of two tables, one for each side of a grid.
#include "content/decomposed.h"
#include "cpu/terms/lookup.h"
#include "orders/taps.h"

namespace posenc::cpu {
namespace {

template <class C>
class DecomposedTerm : public Term<C> {
 public:
  DecomposedTerm(const Decomposed& s, const WeightLists<C>& weights)
      : dim_(s.dim), sides_(sides_of(s)) {
    for (size_t n = 0; n < sides_.size(); ++n) {
      const auto rows = resized_rows(sides_[n], dim_, {weights[n].begin(), weights[n].end()});
      tables_[n].assign(rows.begin(), rows.end());
    }
  }

  void add(const TermBlock<C>& b, C* scores) const override {
    each(b, [&](const QueryProducts<C>& t, int64_t) { t.add(scores); });
  }
  // The sums are those of the tables as they are read.
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    each(b,
         [&](const QueryProducts<C>& t, int64_t at) { t.backward(dscores, to.dq, to.dsums + at); });
  }

  int64_t sums(const TermCall<C>&) const override {
    return (sides_[0].rows + sides_[1].rows) * dim_;
  }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    for (int64_t h = 0; h < call.heads; ++h)
      for (size_t n = 0; n < sides_.size(); ++n) {
        add_back(sides_[n], dsums, dweights[n].data());
        dsums += sides_[n].rows * dim_;
      }
  }

 private:
  // f(products, where the sums of their table begin) for both sides.
  template <class F>
  void each(const TermBlock<C>& b, const F& f) const {
    int64_t at = 0;
    for (size_t n = 0; n < sides_.size(); ++n) {
      const GridSide& cells = sides_[n].cells;
      const Lookup lookup =
          Lookup::of_pairs(b.at, [&](int64_t query, int64_t key) { return cells.row(query, key); });
      f(QueryProducts<C>{lookup, dim_, b.q, tables_[n].data(), b.keys()}, at);
      at += sides_[n].rows * dim_;
    }
  }

  // From the table as it is read to the one that was trained.
  void add_back(const TableSide& side, const double* rows, double* trained) const {
    if (side.rows == side.trained) return add_numbers(rows, side.rows * dim_, trained);
    for (int64_t r = 0; r < side.rows; ++r) {
      const Taps taps = taps_of(Resize::linear, r, side.trained, side.rows);
      for (int64_t i = 0; i < taps.count; ++i)
        for (int64_t f = 0; f < dim_; ++f)
          trained[taps.row(i) * dim_ + f] += taps.weight(i) * rows[r * dim_ + f];
    }
  }

  int64_t dim_;
  std::array<TableSide, 2> sides_;
  std::vector<C> tables_[2];
};

}  // namespace

template <>
TermPointer<float> make_term(const Decomposed& s, const WeightLists<float>& weights) {
  return std::make_shared<DecomposedTerm<float>>(s, weights);
}
template <>
TermPointer<double> make_term(const Decomposed& s, const WeightLists<double>& weights) {
  return std::make_shared<DecomposedTerm<double>>(s, weights);
}

}  // namespace posenc::cpu
