// table.cc: posenc table.
#include <fmt/core.h>

#include <memory>

#include "cli/console.h"
#include "cli/schemes/notes.h"
#include "cli/tables/bias_table.h"
#include "cli/tables/table_output.h"
#include "facts.h"

namespace posenc::cli {
namespace {

struct TableOptions : RowsOptions, OutputOptions, TypedSquare {
  static Fields fields() {
    return base_fields<TableOptions, RowsOptions, OutputOptions, TypedSquare>();
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
  if (positions.rows > 1)
    out.shape = {positions.rows, positions.count / positions.rows, out.values.dim};
  if (const auto plan = turning_plan(ready))
    out.factors = {{"cos_sin_factor", plan->cos_sin_factor()},
                   {"softmax_factor", plan->softmax_factor()}};
  return out;
}

// What the numbers are, and who applies which factor.
std::string turning_text(const Ready& ready) {
  const auto plan = turning_plan(ready);
  if (!plan) return "";
  const std::string factors = factors_text(*plan);
  return "[cosines | sines] of the pairs' angles" + (factors.empty() ? "" : "; " + factors) + "\n";
}

// Remarks that are in no header: those of formats that have none.
void note_factors(const Ready& ready, Format format) {
  const auto plan = turning_plan(ready);
  if (!plan || format == Format::json) return;
  note(factors_text(*plan));
}

void note_weights(Table& table, const Scheme& scheme, const RowsOptions& options) {
  const Json initial = initial_weights(scheme, options);
  if (initial.is_null()) return;
  table.initial_weights = files::write_json(initial);
  table.made_at["initial_weights"] = table.initial_weights;
}

void print_page(const Ready& ready, PositionList positions, DType dtype) {
  const int64_t count = positions.count;
  Table table = make_table(ready, shortened(std::move(positions)), dtype);
  table.values = table.values.kept();
  print(fmt::format("{}: {} x {} {}\n{}", table.scheme.name, count, ready.plan.dim(),
                    to_string(dtype), turning_text(ready)));
  write_text(table, static_cast<size_t>(console_size().columns), print);
  if (table.positions.count < count)
    print(fmt::format("rows of {} of {} positions; --full shows all\n", table.positions.count,
                      count));
}

void run_biases(const Call& call, const TableOptions& options, Format format) {
  const ReadyBias ready = make_ready_bias(read_scheme(call), options);
  Table table = make_bias_table(ready, options, options, to_dtype(options.dtype));
  note_weights(table, ready.scheme, options);
  is_page(options, format) ? print_bias_page(std::move(table))
                           : write_table(std::move(table), options, format);
  note(initial_weights_text(ready.scheme, options));
}

void run_rows(const Call& call, const TableOptions& options, Format format) {
  const Ready ready = make_ready(read_scheme(call), options);
  check_length_is_read(ready.scheme, options);
  PositionList positions =
      read_positions(ready, options, "0:8", facts_of(ready.plan).is_table ? "0:8" : "0:1:0.125");
  const DType dtype = to_dtype(options.dtype);
  if (is_page(options, format)) {
    print_page(ready, std::move(positions), dtype);
  } else {
    Table table = make_table(ready, positions, dtype);
    note_weights(table, ready.scheme, options);
    write_table(std::move(table), options, format);
    note_factors(ready, format);
  }
  note(initial_weights_text(ready.scheme, options));
}

void run_table(const Call& call) {
  const auto options = read_options<TableOptions>(call);
  const Format format = format_of(options);
  if (options.full && format != Format::text)
    refuse("expected --format text with --full, got ", enum_name(format));
  acts_on_scores(call.words[0]) ? run_biases(call, options, format)
                                : run_rows(call, options, format);
}

}  // namespace

Command table_command() {
  return {
      "table",
      "print or save the rows of an encoding: text, csv, json, npy or safetensors",
      takes_scheme,
      "Row p of the table is PE(p), what a token at position p receives. Positions may be\n"
      "any integers, including large and negative ones, and real numbers if the scheme takes\n"
      "them. Numbers are exact to the last digit of their type, at position 5 as at\n"
      "2000000000. Learned weights are read from --weights, or have their initial values.\n\n"
      "For a rotary scheme a row is [cos | sin], by which the pairs of a query or key are\n"
      "rotated; the layout does not change it. The factor of a length rule on cosines and\n"
      "sines is included.\n\n"
      "For a bias of scores there is a row for each distance key - query, given as\n"
      "--positions, and a column for each head. Biases that depend on query and key (fire,\n"
      "window, layout, ...), and all others with --queries or --keys, are [heads, queries,\n"
      "keys].\n",
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
