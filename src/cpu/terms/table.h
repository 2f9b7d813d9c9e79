// table.h: a table of vectors, of which the distance says which one.
#pragma once

#include "cpu/terms/lookup.h"
#include "posenc/content/shaw.h"

namespace posenc::cpu {

// scores += q . table[row]; and, with the table of values, outputs += P table[row].
template <class C>
class TableTerm : public Term<C> {
 public:
  TableTerm(const Shaw& s, const std::vector<C>& weights)
      : s_(s), size_(s.rows() * s.dim), weights_(weights) {}

  void add(const TermBlock<C>& b, C* scores) const override;
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override;
  int64_t sums(const TermCall<C>&) const override { return size_; }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override;

  // Where the table of a head begins in the weight.
  int64_t table_at(int64_t head) const { return s_.heads > 0 ? head * size_ : 0; }
  // sums [queries, dim] += p [queries, keys], whose rows are ld apart, times the vectors.
  void add_to_outputs(const TermBlock<C>& b, const C* p, int64_t ld, C* sums) const;
  // Adds the gradient of the table to dtable and, unless it is null, that of p to dp [queries,
  // keys].
  void outputs_backward(const TermBlock<C>& b, const C* p, const C* dout, double* dtable,
                        C* dp) const;

 private:
  Lookup rows_of(const TermBlock<C>& b) const {
    return Lookup(b.at, [this](int64_t distance) { return s_.row(distance); });
  }
  QueryProducts<C> products(const TermBlock<C>& b, const Lookup& lookup, const C* x) const {
    return {lookup, s_.dim, x, weights_.data() + table_at(b.head), b.keys()};
  }

  Shaw s_;
  int64_t size_;  // of the table of a head
  const std::vector<C>& weights_;
};

}  // namespace posenc::cpu
