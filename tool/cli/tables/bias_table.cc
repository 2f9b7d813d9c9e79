// bias_table.cc: lines and squares of biases with names for their rows and columns.
#include "cli/tables/bias_table.h"

#include <fmt/core.h>

#include "cli/console.h"
#include "cli/tables/table_output.h"

namespace posenc::cli {
namespace {

std::vector<std::string> numbered(std::string_view what, int64_t count) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(fmt::format("{}_{}", what, i));
  return out;
}

Table line_table(const ReadyBias& ready, const std::string& typed, DType dtype) {
  const std::string along = line_of(ready);
  const auto at = parse_positions(!typed.empty() ? typed : along == "key" ? "0:8" : "-8:9", 1);
  Array values = fill_line(ready, at, dtype);
  Table out{info(ready.scheme), at, std::move(values)};
  out.columns = numbered("head", ready.plan.heads());
  out.places = {along}, out.rows_at = along + "s";
  out.made_at[out.rows_at] = at.typed;
  return out;
}

// The places (head, query) of the rows of a square.
PositionList heads_and_queries(int64_t heads, const PositionList& queries) {
  PositionList out{heads * queries.count, 2};
  const bool real = !queries.is_run() && queries.ids.dtype == DType::f64;
  out.ids = make_array(real ? DType::f64 : DType::i64, {2, out.count});
  const auto write = [&]<class T>(T* ids) {
    for (int64_t i = 0; i < out.count; ++i) {
      ids[i] = static_cast<T>(i / queries.count);
      if constexpr (std::is_same_v<T, double>) {
        ids[out.count + i] = queries.value(0, i % queries.count);
      } else {
        ids[out.count + i] = queries.whole(i % queries.count);
      }
    }
  };
  real ? write(out.ids.values<double>().data()) : write(out.ids.values<int64_t>().data());
  return out;
}

Table square_table(const ReadyBias& ready, const TypedSquare& square, DType dtype) {
  const int64_t tokens = tokens_of(ready.scheme);
  const std::string usual = fmt::format("0:{}", tokens > 0 ? tokens : 8);
  const auto queries = parse_positions(square.queries.empty() ? usual : square.queries, 1);
  const auto keys = parse_positions(square.keys.empty() ? usual : square.keys, 1);
  Array values = fill_square(ready, queries, keys, dtype);
  auto places = heads_and_queries(ready.plan.heads(), queries);
  Table out{info(ready.scheme), std::move(places), std::move(values)};
  out.shape = {ready.plan.heads(), queries.count, keys.count};
  for (int64_t k = 0; k < keys.count; ++k) out.columns.push_back("key_" + keys.text(0, k));
  out.places = {"head", "query"}, out.rows_at = "heads_and_queries";
  out.made_at = {{"queries", queries.typed}, {"keys", keys.typed}};
  return out;
}

}  // namespace

Table make_bias_table(const ReadyBias& ready, const RowsOptions& options, const TypedSquare& square,
                      DType dtype) {
  const bool squared = !square.queries.empty() || !square.keys.empty();
  if (!options.positions.empty() && squared)
    refuse("expected --positions of a line of biases, or --queries and --keys, got both");
  if (squared || (line_of(ready).empty() && options.positions.empty()))
    return square_table(ready, square, dtype);
  if (line_of(ready).empty())
    refuse("expected --queries and --keys, because ", alternative_name(ready.scheme),
           " reads both, got --positions");
  return line_table(ready, options.positions, dtype);
}

void print_bias_page(Table table) {
  const int64_t count = table.positions.count;
  print(fmt::format("{}: a bias for each {} and {}, {}\n", table.scheme.name,
                    join(table.places, ", "), table.shape.empty() ? "head" : "key",
                    to_string(table.values.dtype)));
  table.positions = shortened(std::move(table.positions));
  write_text(table, static_cast<size_t>(console_size().columns), print);
  if (table.positions.count < count)
    print(fmt::format("{} of {} rows; --full shows all\n", table.positions.count, count));
}

}  // namespace posenc::cli
