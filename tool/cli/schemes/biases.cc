// biases.cc: plans of biases, their lines and squares.
#include "cli/schemes/biases.h"

#include <algorithm>

#include "cli/memory.h"

namespace posenc::cli {
namespace {

BiasPlan plan_of(const Scheme& scheme, const std::vector<Array>& weights, bool from_file) {
  std::vector<Tensor> views;
  for (const Array& array : weights) views.push_back(array.view());
  const auto make = [&] { return prepare(*as_family<Bias>(scheme), {.weights = views}); };
  return from_file ? make() : as_usage_error(make);
}

bool reads_hidden(const Scheme& scheme) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.reads().hidden; }) return s.reads().hidden;
        return false;
      },
      scheme);
}

}  // namespace

ReadyBias make_ready_bias(const Scheme& scheme, const RowsOptions& options) {
  const auto name = alternative_name(scheme);
  if (reads_content(name))
    refuse("expected a scheme whose numbers depend on positions alone, got ", name,
           reads_hidden(scheme)
               ? ", which reads hidden states: it is for the library's add"
               : ", which reads queries, keys or gates: it is for the library's add and attend");
  auto weights = read_weights(scheme, options);
  auto plan = plan_of(scheme, weights, !options.weights.empty());
  return {scheme, std::move(weights), std::move(plan)};
}

std::string line_of(const ReadyBias& ready) {
  const Reads reads = ready.plan.reads();
  return reads == Reads::distance ? "distance" : reads == Reads::key ? "key" : "";
}

int64_t tokens_of(const Scheme& scheme) {
  return std::visit(
      [](const auto& s) -> int64_t {
        if constexpr (requires { s.tokens(); }) return s.tokens();
        if constexpr (requires { s.window(); }) return s.window().tokens();
        return 0;
      },
      scheme);
}

Array fill_line(const ReadyBias& ready, const PositionList& distances, DType dtype) {
  const int64_t heads = ready.plan.heads(), count = distances.count;
  check_fits("a table", count, heads, size_of(dtype));
  Array out = make_array(dtype, {count, heads});
  if (!distances.is_run() && distances.ids.dtype == DType::f64) {
    Tensor all = out.view();  // the query at 0, so that a key's position is its distance
    all.rank = 3;
    all.shape = {heads, 1, count}, all.stride = {1, 0, heads};
    as_usage_error([&] { fill(ready.plan, all, {.keys = distances.at(0, count)}); });
    return out;
  }
  const int64_t step = distances.is_run() ? std::max<int64_t>(count, 1) : 1;
  for (int64_t i = 0; i < count; i += step) {
    Tensor line = out.view();
    line.data = out.bytes.data() + i * heads * size_of(dtype);
    line.shape[0] = heads, line.shape[1] = step;
    line.stride[0] = 1, line.stride[1] = heads;
    as_usage_error([&] { fill_profile(ready.plan, line, distances.whole(i)); });
  }
  return out;
}

Array fill_square(const ReadyBias& ready, const PositionList& queries, const PositionList& keys,
                  DType dtype) {
  const int64_t heads = ready.plan.heads();
  check_fits("biases", heads, queries.count, size_of(dtype));
  check_fits("biases", heads * queries.count, keys.count, size_of(dtype));
  Array out = make_array(dtype, {heads, queries.count, keys.count});
  as_usage_error([&] {
    fill(ready.plan, out.view(),
         {.queries = queries.at(0, queries.count), .keys = keys.at(0, keys.count)});
  });
  return out;
}

}  // namespace posenc::cli
