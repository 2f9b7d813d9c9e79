// lookups.h: queries, or keys, times rows of tables that the places of both name.
#pragma once

#include "cpu/terms/projection.h"
#include "cpu/terms/query_gates.h"
#include "cpu/terms/row_products.h"
#include "orders/taps.h"

namespace posenc::cpu {

inline constexpr int64_t key_tile = 64;  // keys that meet the rows of their distances together

template <class C>
class FormTerm<RowLookups, C> {
 public:
  FormTerm(const RowLookups& form, const TermCall<C>& call)
      : form_(form), call_(call), dim_(call.plan.reads.dim) {}

  void add(const TermBlock<C>& b, C* scores) const {
    const Scratch<C> changed = changed_queries(b);
    const C* x = changed.size() > 0 ? changed.data() : b.q;
    for (int p = 0; p < form_.count; ++p) {
      const LookupPart& part = form_.parts[p];
      if (is_of_keys(part)) {
        add_of_keys(b, part, scores);
      } else if (part.by_key) {
        by_key(b, part, [&](const KeyProducts<C>& t, int64_t key) { t.add(scores + key); });
      } else {
        by_query(b, part, x, [&](const QueryProducts<C>& t) { t.add(scores); });
      }
    }
  }

  void backward(const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) const {
    const Scratch<C> changed = changed_queries(b);
    Scratch<C> dchanged(changed.size(), 0);
    const bool changes = changed.size() > 0;
    const C* x = changes ? changed.data() : b.q;
    C* dx = changes ? dchanged.data() : to.dq;
    for (int p = 0; p < form_.count; ++p) {
      const LookupPart& part = form_.parts[p];
      double* dsums = to.dsums + sums_before(p);
      if (is_of_keys(part)) {
        of_keys_backward(b, part, dscores, to.dk, dsums);
      } else if (part.by_key) {
        by_key(b, part, [&](const KeyProducts<C>& t, int64_t key) {
          t.backward(dscores + key, to.dk + key * dim_, dsums);
        });
      } else {
        by_query(b, part, x, [&](const QueryProducts<C>& t) {
          t.backward(dscores, dx + part.ahead * part.dim, dsums);
        });
      }
    }
    double* rest = to.dsums + sums_before(form_.count);
    if (form_.gate >= 0) gates().backward(b, dx, to.dq, rest);
    if (form_.bias >= 0)
      for (int64_t n = 0; n < dchanged.size(); ++n) to.dq[n] += dx[n], rest[n % dim_] += dx[n];
  }

  // Those of the tables, then of the bias or of what makes gates.
  int64_t sums() const {
    return sums_before(form_.count) + (form_.bias >= 0 ? dim_ : 0) +
           (form_.gate >= 0 ? gates().sums() : 0);
  }
  void finish(const double* dsums, Gradients dweights) const {
    const auto of = [&](int weight) { return dweights[static_cast<size_t>(weight)].data(); };
    const int64_t each = sums();
    if (form_.projection >= 0)
      Projection<C>{form_, call_.plan}.finish(call_, dsums, each, of(form_.projection));
    for (int64_t h = 0; h < call_.heads; ++h, dsums += each) {
      const int64_t head = call_.first_head + h;
      for (int p = 0; p < form_.count; ++p) {
        const LookupPart& part = form_.parts[p];
        if (part.weight >= 0)
          add_table(part, dsums + sums_before(p), of(part.weight) + head * part.head_step);
      }
      const double* rest = dsums + sums_before(form_.count);
      if (form_.bias >= 0) add_numbers(rest, dim_, of(form_.bias) + head * dim_);
      if (form_.gate >= 0) gates().finish(rest, head, dweights);
    }
  }

  // The vectors of the first part, in the values.
  void add_vectors(const TermBlock<C>& b, const C* p, int64_t ld, C* sums) const {
    by_query(b, form_.parts[0], nullptr, [&](const QueryProducts<C>& t) {
      const Scratch<C> shares = shares_of(t.lookup, p, ld);
      mix_rows<C>(b.queries(), dim_, t.lookup.count(), {shares.data() + 1, t.width()},
                  {t.rows(), t.step}, {sums, dim_});
    });
  }
  void vectors_backward(const TermBlock<C>& b, const C* p, const C* dout, double* dtable,
                        C* dp) const {
    by_query(b, form_.parts[0], dout, [&](const QueryProducts<C>& t) {
      const int64_t count = t.lookup.count();
      const Scratch<C> shares = shares_of(t.lookup, p, b.keys());
      Scratch<C> drows(count * dim_, 0);
      mix_rows<C>(count, dim_, b.queries(), {shares.data() + 1, 1, t.width()}, {dout, dim_},
                  {drows.data(), dim_});
      for (int64_t n = 0; n < drows.size(); ++n) dtable[t.lookup.first() * dim_ + n] += drows[n];
      if (dp) t.add(dp);
    });
  }

 private:
  QueryGates<C> gates() const { return {form_, call_, dim_}; }

  // Queries as tables meet them, where that is not as they are.
  Scratch<C> changed_queries(const TermBlock<C>& b) const {
    if (form_.gate >= 0) return gates().values(b);
    if (form_.bias < 0) return {};
    const C* bias = call_.weight(form_.bias) + b.head * dim_;
    Scratch<C> out((b.queries() + b.ahead) * dim_);
    for (int64_t n = 0; n < out.size(); ++n) out[n] = b.q[n] + bias[n % dim_];
    return out;
  }

  // The rule for a block, the table of its head, and how many rows it has.
  RowRule rule_of(const TermBlock<C>& b, const LookupPart& part) const {
    RowRule rule = part.rule;
    rule.distance.rows = call_.plan.formula.rows.data();
    if (part.weight < 0)
      rule.distance.low = call_.range.first, rule.distance.high = call_.range.end() - 1;
    if (part.ahead > 0) rule.distance.shift = b.keys() + part.ahead;
    return rule;
  }
  const C* table_of(const LookupPart& part, int64_t head) const {
    if (part.weight >= 0) return call_.weight(part.weight) + head * part.head_step;
    const Range& held = call_.rows->range;
    return call_.rows->memory.data() +
           (head * held.count + call_.range.first - held.first) * part.dim;
  }
  int64_t rows_of(const LookupPart& part) const {
    return part.weight >= 0 ? part.rows : call_.range.count;
  }
  // Parts that follow one another may read the same table.
  int64_t sums_before(int part) const {
    int64_t sum = 0;
    for (int p = 0; p < part; ++p)
      if (p + 1 == form_.count || form_.parts[p + 1].weight != form_.parts[p].weight)
        sum += rows_of(form_.parts[p]) * form_.parts[p].dim;
    return sum;
  }

  // f(products) of queries and rows, over all keys.
  template <class F>
  void by_query(const TermBlock<C>& b, const LookupPart& part, const C* x, const F& f) const {
    const int64_t queries = b.queries() + (part.ahead > 0 ? b.ahead - part.ahead : 0);
    if (queries == 0) return;
    const RowIndex lookup(b.at.part(0, 0, queries, b.keys()), rule_of(b, part));
    f(QueryProducts<C>{lookup, part.dim, x + part.ahead * part.dim, table_of(part, b.head),
                       part.row_step, b.keys()});
  }
  // f(products, first key) of keys and rows, some keys at a time: they read few rows.
  template <class F>
  void by_key(const TermBlock<C>& b, const LookupPart& part, const F& f) const {
    const RowRule rule = rule_of(b, part);
    for (int64_t j = 0; j < b.keys(); j += key_tile) {
      const RowIndex lookup(b.at, j, std::min(key_tile, b.keys() - j), rule);
      f(KeyProducts<C>{lookup, part.dim, b.k + j * part.dim, table_of(part, b.head), part.row_step,
                       b.keys()},
        j);
    }
  }

  // One row that all keys meet: a number for each key.
  static bool is_of_keys(const LookupPart& part) { return part.by_key && part.rows == 1; }
  void add_of_keys(const TermBlock<C>& b, const LookupPart& part, C* scores) const {
    Scratch<C> numbers(b.keys());
    dot_rows<C>(1, b.keys(), dim_, {table_of(part, b.head), dim_}, {b.k, dim_},
                {numbers.data(), b.keys()});
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j) scores[i * b.keys() + j] += numbers[j];
  }
  void of_keys_backward(const TermBlock<C>& b, const LookupPart& part, const C* dscores, C* dk,
                        double* drow) const {
    Scratch<C> numbers(b.keys(), 0), sum(dim_, 0);
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j) numbers[j] += dscores[i * b.keys() + j];
    mix_rows<C>(b.keys(), dim_, 1, {numbers.data(), 1}, {table_of(part, b.head), dim_}, {dk, dim_});
    mix_rows<C>(1, dim_, b.keys(), {numbers.data(), b.keys()}, {b.k, dim_}, {sum.data(), dim_});
    for (int64_t n = 0; n < dim_; ++n) drow[n] += sum[n];
  }

  // From the sums of a head's table, as it is read, to the gradient of the weight.
  static void add_table(const LookupPart& part, const double* rows, double* weight) {
    for (int64_t r = 0; r < part.rows; ++r, rows += part.dim) {
      if (part.trained == 0) {
        add_numbers(rows, part.dim, weight + r * part.row_step);
        continue;
      }
      const Taps taps = taps_of(Resize::linear, r, part.trained, part.rows);
      for (int64_t i = 0; i < taps.count; ++i)
        for (int64_t f = 0; f < part.dim; ++f)
          weight[taps.row(i) * part.row_step + f] += taps.weight(i) * rows[f];
    }
  }

  // How much of each row a query takes: the probabilities of the keys that read it.
  static Scratch<C> shares_of(const RowIndex& lookup, const C* p, int64_t ld) {
    const int64_t width = lookup.count() + 1;
    Scratch<C> out(lookup.queries() * width, 0);
    for (int64_t i = 0; i < lookup.queries(); ++i)
      for (int64_t j = 0; j < lookup.keys(); ++j) out[i * width + lookup.of(i)[j]] += p[i * ld + j];
    return out;
  }

  const RowLookups& form_;
  const TermCall<C>& call_;
  int64_t dim_;  // of queries and keys
};

}  // namespace posenc::cpu
