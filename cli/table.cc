// table.cc: posenc table.
#include <fmt/core.h>

#include <algorithm>

#include "console.h"
#include "files/output.h"
#include "json.h"
#include "memory.h"
#include "rows.h"
#include "table_formats.h"

namespace posenc::cli {
namespace {

enum class Format : uint8_t { text, csv, json, npy, safetensors };
constexpr auto enum_names(Format) {
  return std::to_array<std::string_view>({"text", "csv", "json", "npy", "safetensors"});
}
constexpr std::string_view extensions[] = {".txt", ".csv", ".json", ".npy", ".safetensors"};
bool is_binary(Format format) { return format >= Format::npy; }

struct TableOptions : RowsOptions {
  std::optional<Format> format{};
  bool json = false;
  std::string out{};
  FloatType dtype = FloatType::f32;
  bool full = false;

  static constexpr auto fields() {
    using S = TableOptions;
    return std::tuple_cat(
        RowsOptions::fields(),
        std::tuple{Field{"format", &S::format, "how to write it, when --out does not tell"},
                   Field{"json", &S::json, "the same as --format json"},
                   Field{"out", &S::out, "write to this file; its extension tells the format"},
                   Field{"dtype", &S::dtype, "type of the numbers"},
                   Field{"full", &S::full, "as text: all rows and columns, not only what fits"}});
  }
};

Format format_of(const TableOptions& options) {
  if (options.json && options.format.value_or(Format::json) != Format::json)
    refuse("expected one format, got --json and --format ", enum_name(*options.format));
  if (options.json) return Format::json;
  if (options.format) return *options.format;
  if (options.out.empty() || options.out == "-") return Format::text;
  for (size_t i = 0; i < std::size(extensions); ++i)
    if (options.out.ends_with(extensions[i])) return static_cast<Format>(i);
  refuse(
      "expected --out with an extension such as .csv, .json, .npy or .safetensors, or --format, ",
      "got ", options.out);
}

void check(const TableOptions& options, Format format) {
  if (is_binary(format) && options.out.empty())
    refuse("expected --out FILE for ", enum_name(format),
           ", got none; --out - is the standard output");
  if (format == Format::npy && options.dtype == FloatType::bf16)
    refuse(
        "expected f32, f64 or f16 for npy, got bf16, which NumPy does not know: use safetensors");
}

void write_binary(Table table, const std::string& out, Format format) {
  Metadata metadata{{"scheme", table.scheme.name},
                    {"options", options_json(table.scheme).dump()},
                    {"positions", table.positions.typed}};
  for (const auto& [name, value] : table.factors) metadata[name] = text::write(value);
  NamedArrays arrays;
  arrays.emplace_back("table", std::move(table.values));
  if (out.ends_with(extensions[static_cast<size_t>(format)]))
    return write_arrays(out, arrays, metadata);
  const std::string bytes =
      format == Format::npy ? format_npy(arrays[0].second) : format_safetensors(arrays, metadata);
  out == "-" ? print(bytes) : atomic_write(out, bytes);
}

void write_as_text(const Table& table, Format format, size_t width, const Sink& out) {
  if (format == Format::json) return write_json(table, out);
  if (format == Format::csv) return write_csv(table, out);
  write_text(table, width, out);
}

// Only as many rows as a page shows, unless all are wanted.
PositionList shortened(PositionList positions) {
  const int64_t page = std::max(console_size().rows - 6, 10);
  if (positions.count <= page) return positions;
  PositionList out{page, positions.axes, positions.first};
  if (positions.is_run()) return out;
  out.ids = make_array(positions.ids.dtype, {positions.axes, page});
  for (int64_t a = 0; a < positions.axes; ++a)
    std::copy_n(positions.ids.bytes.begin() + a * positions.count * 8, page * 8,
                out.ids.bytes.begin() + a * page * 8);
  return out;
}

Table make_table(const Ready& ready, const PositionList& positions, DType dtype) {
  Table out{info(ready.scheme), positions, fill_table(ready, positions, dtype),
            column_names(ready.scheme, ready.plan.dim())};
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
  const Table table = make_table(ready, shortened(std::move(positions)), dtype);
  print(fmt::format("{}: {} x {} {}\n{}", table.scheme.name, count, ready.plan.dim(),
                    to_string(dtype), turning_text(table)));
  write_text(table, static_cast<size_t>(console_size().columns), print);
  if (table.positions.count < count)
    print(fmt::format("rows of {} of {} positions; --full shows all\n", table.positions.count,
                      count));
}

void run_table(const Call& call) {
  const auto options = read_options<TableOptions>(call);
  const Format format = format_of(options);
  check(options, format);
  const Ready ready = make_ready(read_scheme(call), options);
  PositionList positions = read_positions(ready, options, "0:8", "0:1:0.125");
  const DType dtype = to_dtype(options.dtype);
  const bool to_file = !options.out.empty() && options.out != "-";
  if (format == Format::text && !to_file && !options.full)
    return print_page(ready, std::move(positions), dtype);
  if (to_file && !is_binary(format))  // the text is kept until it is complete
    check_fits("a table and its text", positions.count, ready.plan.dim(), size_of(dtype) + 14);
  Table table = make_table(ready, positions, dtype);
  if (is_binary(format)) return write_binary(std::move(table), options.out, format);
  if (!to_file) return write_as_text(table, format, 0, print);
  std::string text;
  write_as_text(table, format, 0, [&](std::string_view piece) { text += piece; });
  atomic_write(options.out, text);
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
      "layout does not change it. The factor of a length rule on cosines and sines is in it.\n",
      options_of(TableOptions{}),
      {"posenc table sinusoidal --dim 8 --positions 0:4",
       "posenc table sinusoidal --preset tensor2tensor --dim 8 --positions 0,3,2000000000 --json",
       "posenc table sinusoidal --dim 8 --rule timescales --rule.max_timescale 20000",
       "posenc table rope --layout half --dim 8 --positions 0:4",
       "posenc table rope --preset qwen2-vl --positions '7,8;0,1;3,3' --json",
       "posenc table nerf --coordinates 2 --bands 2 --positions '0,0.5;1,1' --format csv",
       "posenc table learned --preset gpt2 --dim 16 --positions 0:1024 --dtype bf16 --out "
       "table.safetensors"},
      run_table};
}

}  // namespace posenc::cli
