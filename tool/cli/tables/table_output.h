// table_output.h: where a table goes, and as what.
#pragma once

#include "cli/options.h"
#include "cli/tables/table_formats.h"

namespace posenc::cli {

enum class Format : uint8_t { text, csv, json, npy, safetensors };
constexpr auto enum_names(Format) {
  return std::to_array<std::string_view>({"text", "csv", "json", "npy", "safetensors"});
}

struct OutputOptions {
  std::optional<Format> format{};
  bool json = false;
  std::string out{};
  FloatType dtype = FloatType::f32;
  bool full = false;

  static Fields fields() {
    using S = OutputOptions;
    return {
        {"format", &S::format, "output format, if the extension of --out does not determine it"},
        {"json", &S::json, "the same as --format json"},
        {"out", &S::out, "write to this file; its extension determines the format"},
        {"dtype", &S::dtype, "type of the numbers"},
        {"full", &S::full, "as text: all rows and columns, not only what fits"}};
  }
};

// The format that was chosen; throws a usage error where it does not go with the rest.
Format format_of(const OutputOptions& options);

// Whether only as much is shown as fits a page.
bool is_page(const OutputOptions& options, Format format);

// Only as many positions as a page shows.
PositionList shortened(PositionList positions);

// Writes all of it.
void write_table(Table table, const OutputOptions& options, Format format);

}  // namespace posenc::cli
