// table.cc: posenc table.
#include <fmt/core.h>

#include "bias_table.h"
#include "console.h"
#include "table_output.h"

namespace posenc::cli {
namespace {

struct TableOptions : RowsOptions, OutputOptions, TypedSquare {
  static constexpr auto fields() {
    using S = TableOptions;
    return std::tuple_cat(
        RowsOptions::fields(), OutputOptions::fields(),
        std::tuple{Field{"queries", &S::queries,
                         "biases: positions of the queries of a table [heads, queries, keys]"},
                   Field{"keys", &S::keys, "biases: those of its keys"}});
  }
};

// Rows of the positions; the scheme must outlive what is returned.
Rows rows_of(const Ready& ready, const PositionList& positions, DType dtype) {
  check_row(ready);
  return {dtype, positions.count, ready.plan.dim(),
          [&ready, dtype, at = std::make_shared<const PositionList>(positions)](
              int64_t from, int64_t count) { return fill_rows(ready, *at, dtype, from, count); }};
}

Table make_table(const Ready& ready, const PositionList& positions, DType dtype) {
  Table out{info(ready.scheme), positions, rows_of(ready, positions, dtype),
            column_names(ready.scheme, ready.plan.dim())};
  out.made_at["positions"] = positions.typed;
  if (const auto plan = turning_plan(ready))
    out.factors = {{"cos_sin_factor", plan->cos_sin_factor()},
                   {"softmax_factor", plan->softmax_factor()}};
  return out;
}

// What the numbers are, and who applies which factor.
std::string turning_text(const Table& table) {
  if (table.factors.empty()) return "";
  const double inside = table.factors[0].second, outside = table.factors[1].second;
  std::string out = "[cosines | sines] of the pairs' angles";
  if (inside != 1) out += fmt::format(", times {:.6g}", inside);
  if (outside != 1)
    out += fmt::format("; the softmax scale is to be multiplied by {:.6g}", outside);
  return out + "\n";
}

void print_page(const Ready& ready, PositionList positions, DType dtype) {
  const int64_t count = positions.count;
  Table table = make_table(ready, shortened(std::move(positions)), dtype);
  table.values = table.values.kept();
  print(fmt::format("{}: {} x {} {}\n{}", table.scheme.name, count, ready.plan.dim(),
                    to_string(dtype), turning_text(table)));
  write_text(table, static_cast<size_t>(console_size().columns), print);
  if (table.positions.count < count)
    print(fmt::format("rows of {} of {} positions; --full shows all\n", table.positions.count,
                      count));
}

void run_biases(const Call& call, const TableOptions& options, Format format) {
  const ReadyBias ready = make_ready_bias(read_scheme(call), options);
  Table table = make_bias_table(ready, options, options, to_dtype(options.dtype));
  is_page(options, format) ? print_bias_page(std::move(table))
                           : write_table(std::move(table), options, format);
}

void run_table(const Call& call) {
  const auto options = read_options<TableOptions>(call);
  const Format format = format_of(options);
  if (acts_on_scores(call.words[0])) return run_biases(call, options, format);
  if (!options.queries.empty() || !options.keys.empty())
    refuse("expected a bias of scores beside --queries and --keys, got ", call.words[0]);
  const Ready ready = make_ready(read_scheme(call), options);
  PositionList positions = read_positions(ready, options, "0:8", "0:1:0.125");
  const DType dtype = to_dtype(options.dtype);
  if (is_page(options, format)) return print_page(ready, std::move(positions), dtype);
  write_table(make_table(ready, positions, dtype), options, format);
}

}  // namespace

Command table_command() {
  return {
      "table",
      "the rows of an encoding, as text, csv, json, npy or safetensors",
      "SCHEME",
      "A row is what a token receives at its position: row p of the table is PE(p). Positions may\n"
      "be any whole numbers, far and negative ones too, and real numbers where the scheme takes\n"
      "them. Numbers are exact to the last digit of their type, at position 5 as at 2000000000.\n"
      "Learned weights come from --weights, or have the values training starts from.\n"
      "Of a rotary scheme it is the row [cos | sin] by which the pairs of a query or key turn; "
      "the\n"
      "layout does not change it. The factor of a length rule on cosines and sines is in it.\n"
      "Of a bias of scores it has a row for each distance key - query, given as --positions, and "
      "a\n"
      "column for each head. Biases that read query and key (fire, window, continuous), and all\n"
      "others with --queries or --keys, are [heads, queries, keys].\n",
      options_of(TableOptions{}),
      {"posenc table sinusoidal --dim 8 --positions 0:4",
       "posenc table sinusoidal --preset tensor2tensor --dim 8 --positions 0,3,2000000000 --json",
       "posenc table sinusoidal --dim 8 --rule timescales --rule.max_timescale 20000",
       "posenc table rope --layout half --dim 8 --positions 0:4",
       "posenc table rope --preset qwen2-vl --positions '7,8;0,1;3,3' --json",
       "posenc table alibi --heads 4 --positions -4:5",
       "posenc table fire --heads 2 --queries 0,1000 --keys 0:1000:100",
       "posenc table nerf --coordinates 2 --bands 2 --positions '0,0.5;1,1' --format csv",
       "posenc table learned --preset gpt2 --dim 16 --positions 0:1024 --dtype bf16 --out "
       "table.safetensors"},
      run_table};
}

}  // namespace posenc::cli
