// normalized_match.cc: sinusoids that were shifted and scaled as one table, as PatchTST's.
#include <algorithm>
#include <cmath>

#include "kinds.h"

namespace posenc::inspect {
namespace {

// Whether the numbers have the mean 0 and the deviation 0.1, which few other tables have.
bool is_normal(const TableView& table) {
  const auto count = static_cast<double>(table.rows) * static_cast<double>(table.dim);
  std::vector<double> row(static_cast<size_t>(table.dim));
  double sum = 0, squares = 0;
  for (int64_t r = 0; r < table.rows; ++r) {
    table.read_row(r, row.data());
    for (const double x : row) {
      if (!(std::abs(x) < 1)) return false;  // other sinusoids reach 1 in their first row
      sum += x, squares += x * x;
    }
  }
  const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
  return std::abs(mean) < 1e-3 && std::abs(deviation - 0.1) < 0.01;  // n or n - 1: either is near
}

// The largest difference, or infinity where that is more than rounding.
double normalized_difference(const Sinusoidal& scheme, const TableView& table) {
  constexpr int64_t block = 256;
  const AbsolutePlan plan = prepare(scheme);
  const auto dim = static_cast<size_t>(table.dim);
  const double most = 2 * storage_error(table.dtype) + 0x1p-22 * static_cast<double>(table.rows);
  std::vector<double> wanted(block * dim), given(dim);
  double worst = 0;
  for (int64_t from = 0; from < table.rows; from += block) {
    const int64_t count = std::min(block, table.rows - from);
    fill(plan, tensor(wanted.data(), {count, table.dim}), range(from));
    for (int64_t n = 0; n < count; ++n) {
      table.read_row(from + n, given.data());
      for (size_t k = 0; k < dim; ++k) {
        const double off = std::abs(given[k] - wanted[static_cast<size_t>(n) * dim + k]);
        if (!(off <= most)) return INFINITY;
        worst = std::max(worst, off);
      }
    }
  }
  return worst;
}

bool can_normalize(const Sinusoidal& scheme) {
  try {
    return scheme.check(), true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<Match> identify_normalized(const Tensor& t) {
  const TableView table = tables(t).first;
  if (table.rows < 2 || !is_normal(table)) return {};
  for (const auto& preset : Sinusoidal::presets()) {
    if (!preset.value.normalize_rows) continue;
    Sinusoidal scheme = preset.value;
    scheme.dim = table.dim, scheme.normalize_rows = table.rows;
    if (!can_normalize(scheme)) continue;
    const double error = normalized_difference(scheme, table);
    if (std::isinf(error)) continue;
    Match m{std::string(preset.name), "",
            "Preset " + std::string(preset.name) + " (" + std::string(preset.help) +
                "), normalized over a table of " + std::to_string(table.rows) + " rows.",
            error};
    m.scheme = scheme, m.kind = "sinusoidal", m.found = info(scheme), m.within_rounding = true;
    m.command = "posenc table sinusoidal" + typed_options(scheme) +
                " --positions 0:" + std::to_string(table.rows);
    return m;
  }
  return {};
}

}  // namespace posenc::inspect
