// row_source.h: where the rows of an absolute or rotary scheme come from.
#pragma once

#include <memory>
#include <optional>

#include "base/on_devices.h"
#include "base/places.h"
#include "frequencies/waves.h"
#include "orders/lookup.h"

namespace posenc {

// Rows of a trained table, or of one that someone else made: factor * table[position + offset].
struct Table {
  Tensor rows;    // [positions, columns]
  Tensor more{};  // the columns after those, where they lie apart
  int64_t offset = 0;
  std::optional<int64_t> padding{};
  double factor = 1, fixed = 1;  // fixed: d factor / d alpha
  bool learned_scale = false;
};

// Rows that are weighted sums of rows of trained tables.
struct Lookups {
  std::vector<Lookup> list;
  std::vector<Tensor> tables;  // the weights
  bool on_grid() const { return !list.empty() && list[0].on_grid; }
};

struct RowSource {
  int64_t dim = 0, axes = 1;
  bool range_on_all_axes = false;            // a range is meant, also where there are several axes
  std::vector<std::vector<int64_t>> shapes;  // of the weights
  Waves waves;                               // unless there are tables
  Waves slopes, units;                       // d/dphase and d/damplitude, when something is learned
  std::optional<Table> table;
  std::vector<double> own_table;  // what the table views, where a plan made it
  Lookups lookups;
  bool has_waves() const { return !table && lookups.list.empty(); }
  int64_t end = INT64_MAX;          // positions from here on need another plan
  std::optional<int64_t> zero_row;  // with the offset: a row of zeros
  int64_t kept_rows = 0;
  std::vector<float> kept;              // rows 0 .. kept_rows - 1
  std::shared_ptr<OnDevices> copies{};  // of all this, in a plan
  bool blank = false;                   // made for weights that come later
  std::vector<Tensor>
      device_weights{};  // which each call reads, in the place of the waves' numbers
};

}  // namespace posenc
