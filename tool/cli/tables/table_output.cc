// table_output.cc: tables on their way to the standard output or a file.
#include "cli/tables/table_output.h"

#include <algorithm>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/memory.h"

namespace posenc::cli {
namespace {

constexpr std::string_view extensions[] = {".txt", ".csv", ".json", ".npy", ".safetensors"};
bool is_binary(Format format) { return format >= Format::npy; }
bool to_file(const OutputOptions& options) { return !options.out.empty() && options.out != "-"; }

Format chosen(const OutputOptions& options) {
  if (options.json && options.format.value_or(Format::json) != Format::json)
    refuse("expected one format, got --json and --format ", enum_name(*options.format));
  if (options.json) return Format::json;
  if (options.format) return *options.format;
  if (!to_file(options)) return Format::text;
  for (size_t i = 0; i < std::size(extensions); ++i)
    if (options.out.ends_with(extensions[i])) return static_cast<Format>(i);
  refuse(
      "expected --out with an extension such as .csv, .json, .npy or .safetensors, or --format, ",
      "got ", options.out);
}

Metadata notes_on(const Table& table) {
  Metadata out = table.made_at;
  out["scheme"] = table.scheme.name;
  out["options"] = to_json(table.scheme.options);
  for (const auto& [name, value] : table.factors) out[name] = text::write(value);
  return out;
}

void write_binary(const Table& table, Format format, const Sink& out) {
  const Rows& rows = table.values;
  const auto shape = table.shape.empty() ? std::vector{rows.count, rows.dim} : table.shape;
  const Array like{rows.dtype, shape, {}};
  out(format == Format::npy ? npy_start(like) : safetensors_start("table", like, notes_on(table)));
  rows.for_each_part([&](int64_t, const Array& part) {
    out({reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size()});
  });
}

void write_as_text(const Table& table, Format format, const Sink& out) {
  if (format == Format::json) return write_json(table, out);
  if (format == Format::csv) return write_csv(table, out);
  write_text(table, 0, out);
}

// Says how far it is whenever rows are made.
Rows watched(Rows rows, Progress& progress) {
  rows.part = [&progress, part = std::move(rows.part), all = rows.count](int64_t from, int64_t n) {
    progress.at(static_cast<double>(from) / static_cast<double>(all));
    return part(from, n);
  };
  return rows;
}

}  // namespace

Format format_of(const OutputOptions& options) {
  const Format format = chosen(options);
  if (is_binary(format) && options.out.empty())
    refuse("expected --out FILE for ", enum_name(format),
           ", got none; --out - is the standard output");
  if (format == Format::npy && options.dtype == FloatType::bf16)
    refuse(
        "expected f32, f64 or f16 for npy, got bf16, which NumPy does not know: use safetensors");
  return format;
}

bool is_page(const OutputOptions& options, Format format) {
  return format == Format::text && !to_file(options) && !options.full;
}

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

void write_table(Table table, const OutputOptions& options, Format format) {
  const Rows& rows = table.values;
  constexpr int64_t least = 2;  // characters of a number and what is behind it
  const int64_t bytes = is_binary(format) ? size_of(rows.dtype) : least;
  to_file(options) ? check_disk(options.out, rows.count, rows.dim, bytes)
                   : check_fits("a table", rows.count, rows.dim, size_of(rows.dtype));
  Progress progress("writing the table");
  table.values =
      to_file(options) ? watched(std::move(table.values), progress) : table.values.kept();
  write_to(to_file(options) ? options.out : "-", [&](const Sink& out) {
    is_binary(format) ? write_binary(table, format, out) : write_as_text(table, format, out);
  });
}

}  // namespace posenc::cli
