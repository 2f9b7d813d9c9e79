// table_output.cc: tables on their way to the standard output or a file.
#include "table_output.h"

#include <algorithm>

#include "console.h"
#include "files/output.h"
#include "json.h"
#include "memory.h"

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

void write_binary(Table table, const std::string& out, Format format) {
  Metadata metadata = table.made_at;
  metadata["scheme"] = table.scheme.name;
  metadata["options"] = options_json(table.scheme).dump();
  for (const auto& [name, value] : table.factors) metadata[name] = text::write(value);
  if (!table.shape.empty()) table.values.shape = table.shape;
  NamedArrays arrays;
  arrays.emplace_back("table", std::move(table.values));
  if (out.ends_with(extensions[static_cast<size_t>(format)]))
    return write_arrays(out, arrays, metadata);
  const std::string bytes =
      format == Format::npy ? format_npy(arrays[0].second) : format_safetensors(arrays, metadata);
  out == "-" ? print(bytes) : atomic_write(out, bytes);
}

void write_as_text(const Table& table, Format format, const Sink& out) {
  if (format == Format::json) return write_json(table, out);
  if (format == Format::csv) return write_csv(table, out);
  write_text(table, 0, out);
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
  if (is_binary(format)) return write_binary(std::move(table), options.out, format);
  if (!to_file(options)) return write_as_text(table, format, print);
  // The text is kept until it is complete.
  check_fits("the text of a table", table.values.shape[0], table.values.shape[1], 14);
  std::string text;
  write_as_text(table, format, [&](std::string_view piece) { text += piece; });
  atomic_write(options.out, text);
}

}  // namespace posenc::cli
