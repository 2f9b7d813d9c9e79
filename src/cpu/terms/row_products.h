// row_products.h: products q . table[row] and k . table[row], where the places of query and key say
// which row. Each query meets each row once; its products are then handed out to the keys.
#pragma once

#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

// Which row every query reads for every key of a block. Rows are counted from the first that is
// read; row 0 stands for none.
class RowIndex {
 public:
  // Keys [first_key, first_key + keys).
  RowIndex(const ScorePlaces& at, int64_t first_key, int64_t keys, const RowRule& rule)
      : queries_(at.queries.tokens), keys_(keys) {
    const bool runs = rule.kind == RowKind::distance && at.queries.is_run(0) &&
                      at.keys.part(0, first_key, keys).is_run(0);
    step_ = runs ? -1 : keys, start_ = runs ? queries_ - 1 : 0;
    rows_ = Scratch<int64_t>(runs ? queries_ + keys - 1 : queries_ * keys);
    const auto query_at = [&](int64_t i) { return at.queries.integer(0, 0, i); };
    const auto key_at = [&](int64_t j) { return at.keys.integer(0, 0, first_key + j); };
    if (runs) {
      const int64_t query = query_at(queries_ - 1), key = key_at(0);
      for (int64_t n = 0; n < rows_.size(); ++n) rows_[n] = rule.distance.row(query, key + n);
    } else if (rule.kind == RowKind::distance) {
      fill(rule.distance, query_at, key_at);
    } else if (rule.kind == RowKind::grid) {
      fill(rule.grid, query_at, key_at);
    } else {
      fill(rule.segments, query_at, key_at);
    }
    count_from_first();
  }
  RowIndex(const ScorePlaces& at, const RowRule& rule) : RowIndex(at, 0, at.keys.tokens, rule) {}

  int64_t queries() const { return queries_; }
  int64_t keys() const { return keys_; }
  int64_t first() const { return first_; }
  int64_t count() const { return count_; }
  // The rows of a query, key after key.
  const int64_t* of(int64_t query) const { return rows_.data() + start_ + query * step_; }

 private:
  template <class Rows, class QueryAt, class KeyAt>
  void fill(Rows rows, const QueryAt& query_at, const KeyAt& key_at) {
    for (int64_t i = 0; i < queries_; ++i) {
      const int64_t query = query_at(i);
      for (int64_t j = 0; j < keys_; ++j) rows_[i * keys_ + j] = rows.row(query, key_at(j));
    }
  }

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
  const RowIndex& lookup;
  int64_t dim;
  const C* x;      // [queries or keys, dim]
  const C* table;  // [rows, dim]
  int64_t step;    // from a row of it to the next
  int64_t ld;      // from the scores of a query to those of the next

  int64_t tokens() const { return kReader == Reader::query ? lookup.queries() : lookup.keys(); }
  int64_t width() const { return lookup.count() + 1; }
  const C* rows() const { return table + lookup.first() * step; }

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
    dot_rows<C>(tokens(), lookup.count(), dim, {x, dim}, {rows(), step},
                {products.data() + 1, width()});
    each(products.data(), scores, [](const C& product, C& score) { score += product; });
  }

  void backward(const C* dscores, C* dx, double* dtable) const {
    if (lookup.count() == 0) return;
    const int64_t count = lookup.count();
    Scratch<C> d(tokens() * width(), 0), drows(count * dim, 0);
    each(d.data(), dscores, [](C& product, const C& g) { product += g; });
    const C* dproducts = d.data() + 1;
    mix_rows<C>(tokens(), dim, count, {dproducts, width()}, {rows(), step}, {dx, dim});
    mix_rows<C>(count, dim, tokens(), {dproducts, 1, width()}, {x, dim}, {drows.data(), dim});
    for (int64_t n = 0; n < drows.size(); ++n) dtable[lookup.first() * dim + n] += drows[n];
  }
};

template <class C>
using QueryProducts = RowProducts<Reader::query, C>;
template <class C>
using KeyProducts = RowProducts<Reader::key, C>;

}  // namespace posenc::cpu
