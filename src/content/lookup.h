// lookup.h: terms q . table[row] and k . table[row], where the distance of query and key says which
// row. Each query meets each row once; its products are then handed out to the keys.
#pragma once

#include <algorithm>
#include <vector>

#include "content/term.h"
#include "cpu/kernels/products.h"

namespace posenc {

// Which row every query reads for every key. Rows are counted from the first that is read; row 0
// stands for none.
class Lookup {
 public:
  // row_of(key - query): a row of the table, or -1.
  template <class RowOf>
  Lookup(const double* query_at, int64_t queries, const double* key_at, int64_t keys,
         const RowOf& row_of) {
    const bool runs = is_run(query_at, queries) && is_run(key_at, keys);
    step_ = runs ? -1 : keys;
    start_ = runs ? queries - 1 : 0;
    const auto read = [&](int64_t i, int64_t j) {
      rows_.push_back(row_of(static_cast<int64_t>(key_at[j] - query_at[i])));
    };
    if (runs) {
      for (int64_t i = queries - 1; i > 0; --i) read(i, 0);
      for (int64_t j = 0; j < keys; ++j) read(0, j);
    } else {
      for (int64_t i = 0; i < queries; ++i)
        for (int64_t j = 0; j < keys; ++j) read(i, j);
    }
    count_from_first();
  }

  int64_t first() const { return first_; }
  int64_t count() const { return count_; }
  // The rows of a query, key after key.
  const int64_t* of(int64_t query) const { return rows_.data() + start_ + query * step_; }

 private:
  static bool is_run(const double* at, int64_t n) {
    for (int64_t t = 1; t < n; ++t)
      if (at[t] != at[0] + static_cast<double>(t)) return false;
    return true;
  }
  void count_from_first() {
    int64_t last = -1;
    for (const int64_t r : rows_)
      if (r >= 0) first_ = last < 0 ? r : std::min(first_, r), last = std::max(last, r);
    count_ = last < 0 ? 0 : last - first_ + 1;
    for (int64_t& r : rows_) r = r < 0 ? 0 : r - first_ + 1;
  }

  std::vector<int64_t> rows_;
  int64_t first_ = 0, count_ = 0, start_ = 0, step_ = 0;
};

// scores[i, j] += x . table[row of i and j], where x is q[i] or k[j].
enum class Reader : uint8_t { query, key };

template <Reader kReader, class C>
struct TableTerm {
  const Lookup& lookup;
  int64_t queries, keys, dim;
  const C* x;      // [queries or keys, dim]
  const C* table;  // [rows, dim]
  int64_t ld;      // from the scores of a query to those of the next

  int64_t tokens() const { return kReader == Reader::query ? queries : keys; }
  int64_t width() const { return lookup.count() + 1; }
  const C* rows() const { return table + lookup.first() * dim; }

  // f(product of token and row, score), for every query and key.
  template <class S, class F>
  void each(C* products, S* scores, const F& f) const {
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t* row = lookup.of(i);
      for (int64_t j = 0; j < keys; ++j)
        f(products[(kReader == Reader::query ? i : j) * width() + row[j]], scores[i * ld + j]);
    }
  }

  void add(C* scores) const {
    if (lookup.count() == 0) return;
    std::vector<C> products(static_cast<size_t>(tokens() * width()));
    cpu::dot_rows<C>(tokens(), lookup.count(), dim, {x, dim}, {rows(), dim},
                     {products.data() + 1, width()});
    each(products.data(), scores, [](const C& product, C& score) { score += product; });
  }

  void backward(const C* dscores, C* dx, double* dtable) const {
    if (lookup.count() == 0) return;
    const int64_t count = lookup.count();
    std::vector<C> d(static_cast<size_t>(tokens() * width()));
    each(d.data(), dscores, [](C& product, const C& g) { product += g; });
    const C* dproducts = d.data() + 1;
    cpu::mix_rows<C>(tokens(), dim, count, {dproducts, width()}, {rows(), dim}, {dx, dim});
    std::vector<C> drows(static_cast<size_t>(count * dim));
    cpu::mix_rows<C>(count, dim, tokens(), {dproducts, 1, width()}, {x, dim}, {drows.data(), dim});
    for (size_t n = 0; n < drows.size(); ++n)
      dtable[lookup.first() * dim + static_cast<int64_t>(n)] += drows[n];
  }
};

template <class C>
using QueryTerm = TableTerm<Reader::query, C>;
template <class C>
using KeyTerm = TableTerm<Reader::key, C>;

// Where the table of a head begins in a weight [tables, rows, dim]; tables 0: all heads share one.
inline int64_t table_of(int64_t tables, int64_t head, int64_t size) {
  return tables > 0 ? head * size : 0;
}

// sum[at ...] += x.
inline void add_table(const std::vector<double>& x, int64_t at, std::vector<double>& sum) {
  for (size_t n = 0; n < x.size(); ++n) sum[static_cast<size_t>(at) + n] += x[n];
}

// The term of a scheme that is one table read by queries. row_of: from key - query to a row or -1.
template <class C, class RowOf>
Term<C> table_term(int64_t tables, const std::vector<C>& table, const TermCall& call, int64_t size,
                   const RowOf& row_of) {
  Term<C> out;
  const auto visit = [=, &table](const TermBlock<C>& b, const auto& f) {
    const Lookup lookup(b.query_at, b.queries, b.key_at, b.keys, row_of);
    f(QueryTerm<C>{lookup, b.queries, b.keys, b.dim, b.q,
                   table.data() + table_of(tables, b.head, size), b.keys});
  };
  out.add = [=](const TermBlock<C>& b, C* scores) {
    visit(b, [&](const QueryTerm<C>& t) { t.add(scores); });
  };
  out.backward = [=](const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) {
    visit(b, [&](const QueryTerm<C>& t) { t.backward(dscores, to.dq, to.dsums[0].data()); });
  };
  out.sums = {size};
  out.finish = [=](const std::vector<WeightValues>& dsums, WeightValues& dweights) {
    for (size_t h = 0; h < dsums.size(); ++h)
      add_table(dsums[h][0], table_of(tables, call.first_head + static_cast<int64_t>(h), size),
                dweights[0]);
  };
  return out;
}

}  // namespace posenc
