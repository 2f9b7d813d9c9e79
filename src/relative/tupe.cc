// tupe.cc: where the numbers of untied positions lie.
#include "posenc/relative/tupe.h"

#include <cmath>

#include "relative/buckets.h"
#include "relative/formula.h"

namespace posenc {
namespace {

T5Bias relative_part(const Tupe& s) {
  return {.heads = s.heads, .buckets = s.buckets, .max_distance = s.max_distance};
}
int64_t rows_of(const Tupe& s) { return s.rows + (s.class_token ? 1 : 0); }

}  // namespace

Fields Tupe::fields() {
  using S = Tupe;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"dim", &S::dim, "head size"},
          {"rows", &S::rows, "tokens that have rows of their own"},
          {"buckets", &S::buckets, "of distances, as T5 has them; 0: none"},
          {"max_distance", &S::max_distance, "distances from here on share the last bucket"},
          {"class_token", &S::class_token, "position 0 is a class token, apart from the others"}};
}

std::vector<Preset<Tupe>> Tupe::presets() {
  return {{"tupe-r", "TUPE-R base: with buckets of distances", {}},
          {"tupe-a", "TUPE-A base: absolute positions alone", {.buckets = 0}}};
}

void Tupe::check() const {
  check_size(name, "heads", heads);
  check_size(name, "dim", dim);
  check_size(name, "rows", rows);
  if (buckets != 0) check_buckets(name, "", relative_part(*this));
}

double Tupe::scale() const { return 1 / std::sqrt(2 * static_cast<double>(dim)); }

std::vector<Weight> Tupe::weights() const {
  const std::vector<int64_t> shape{heads, rows_of(*this), dim};
  std::vector<Weight> out{{"position_queries", shape, 0, 0.02}, {"position_keys", shape, 0, 0.02}};
  if (buckets > 0) out.push_back({"table", {buckets + (class_token ? 1 : 0), heads}, 0, 0.02});
  return out;
}

BiasFormula Tupe::formula(const WeightValues& weights) const {
  WeightValues block = weights;
  forms::Products form{heads, rows_of(*this), dim, class_token, scale()};
  if (buckets > 0) {
    form.table = 2 * heads * form.rows * dim;
    form.buckets = append_buckets(relative_part(*this), block);
  }
  return {Reads::both, true, form, std::move(block)};
}

}  // namespace posenc
