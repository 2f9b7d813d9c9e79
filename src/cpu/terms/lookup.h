// lookup.h: terms q . table[row] and k . table[row], where the places of query and key say which
// row. Each query meets each row once; its products are then handed out to the keys.
#pragma once

#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

// Which row every query reads for every key of a block. Rows are counted from the first that is
// read; row 0 stands for none.
class Lookup {
 public:
  // Keys [first_key, first_key + keys). row_of(key - query): a row of the table, or -1.
  template <class RowOf>
  Lookup(const ScorePlaces& at, int64_t first_key, int64_t keys, const RowOf& row_of)
      : queries_(at.queries.tokens), keys_(keys) {
    const bool runs = at.queries.is_run(0) && at.keys.part(0, first_key, keys).is_run(0);
    step_ = runs ? -1 : keys, start_ = runs ? queries_ - 1 : 0;
    rows_ = Scratch<int64_t>(runs ? queries_ + keys - 1 : queries_ * keys);
    const auto distance = [&](int64_t i, int64_t j) {
      return at.keys.integer(0, 0, first_key + j) - at.queries.integer(0, 0, i);
    };
    if (runs) {
      const int64_t first = distance(queries_ - 1, 0);
      for (int64_t n = 0; n < rows_.size(); ++n) rows_[n] = row_of(first + n);
    } else {
      for (int64_t i = 0; i < queries_; ++i)
        for (int64_t j = 0; j < keys; ++j) rows_[i * keys + j] = row_of(distance(i, j));
    }
    count_from_first();
  }
  template <class RowOf>
  Lookup(const ScorePlaces& at, const RowOf& row_of) : Lookup(at, 0, at.keys.tokens, row_of) {}

  // row_of(query, key), where it is not the distance alone that counts.
  template <class RowOf>
  static Lookup of_pairs(const ScorePlaces& at, const RowOf& row_of) {
    Lookup out(at.queries.tokens, at.keys.tokens);
    for (int64_t i = 0; i < out.queries_; ++i) {
      const int64_t query = at.queries.integer(0, 0, i);
      for (int64_t j = 0; j < out.keys_; ++j)
        out.rows_[i * out.keys_ + j] = row_of(query, at.keys.integer(0, 0, j));
    }
    out.count_from_first();
    return out;
  }

  int64_t queries() const { return queries_; }
  int64_t keys() const { return keys_; }
  int64_t first() const { return first_; }
  int64_t count() const { return count_; }
  // The rows of a query, key after key.
  const int64_t* of(int64_t query) const { return rows_.data() + start_ + query * step_; }

 private:
  Lookup(int64_t queries, int64_t keys)
      : queries_(queries), keys_(keys), rows_(queries * keys), step_(keys) {}

  void count_from_first() {
    int64_t last = -1;
    for (const int64_t r : rows_)
      if (r >= 0) first_ = last < 0 ? r : std::min(first_, r), last = std::max(last, r);
    count_ = last < 0 ? 0 : last - first_ + 1;
    for (int64_t& r : rows_) r = r < 0 ? 0 : r - first_ + 1;
  }

  int64_t queries_, keys_;
  Scratch<int64_t> rows_;
  int64_t first_ = 0, count_ = 0, start_ = 0, step_ = 0;
};

// scores[i, j] += x . table[row of i and j], where x is q[i] or k[j].
enum class Reader : uint8_t { query, key };

template <Reader kReader, class C>
struct RowProducts {
  const Lookup& lookup;
  int64_t dim;
  const C* x;      // [queries or keys, dim]
  const C* table;  // [rows, dim]
  int64_t ld;      // from the scores of a query to those of the next

  int64_t tokens() const { return kReader == Reader::query ? lookup.queries() : lookup.keys(); }
  int64_t width() const { return lookup.count() + 1; }
  const C* rows() const { return table + lookup.first() * dim; }

  // f(product of token and row, score), for every query and key.
  template <class S, class F>
  void each(C* products, S* scores, const F& f) const {
    for (int64_t i = 0; i < lookup.queries(); ++i) {
      const int64_t* row = lookup.of(i);
      for (int64_t j = 0; j < lookup.keys(); ++j)
        f(products[(kReader == Reader::query ? i : j) * width() + row[j]], scores[i * ld + j]);
    }
  }

  void add(C* scores) const {
    if (lookup.count() == 0) return;
    Scratch<C> products(tokens() * width());
    for (int64_t t = 0; t < tokens(); ++t) products[t * width()] = 0;
    dot_rows<C>(tokens(), lookup.count(), dim, {x, dim}, {rows(), dim},
                {products.data() + 1, width()});
    each(products.data(), scores, [](const C& product, C& score) { score += product; });
  }

  void backward(const C* dscores, C* dx, double* dtable) const {
    if (lookup.count() == 0) return;
    const int64_t count = lookup.count();
    Scratch<C> d(tokens() * width(), 0), drows(count * dim, 0);
    each(d.data(), dscores, [](C& product, const C& g) { product += g; });
    const C* dproducts = d.data() + 1;
    mix_rows<C>(tokens(), dim, count, {dproducts, width()}, {rows(), dim}, {dx, dim});
    mix_rows<C>(count, dim, tokens(), {dproducts, 1, width()}, {x, dim}, {drows.data(), dim});
    for (int64_t n = 0; n < drows.size(); ++n) dtable[lookup.first() * dim + n] += drows[n];
  }
};

template <class C>
using QueryProducts = RowProducts<Reader::query, C>;
template <class C>
using KeyProducts = RowProducts<Reader::key, C>;

}  // namespace posenc::cpu
