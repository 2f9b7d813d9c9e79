// table_formats.h: a table as text for people, for spreadsheets and for programs.
#pragma once

#include <functional>

#include "cli/positions/positions_arg.h"
#include "cli/sink.h"
#include "posenc/scheme.h"

namespace posenc::cli {

// The numbers of a table, made when they are wanted, some rows at a time.
struct Rows {
  DType dtype;
  int64_t count, dim;
  std::function<Array(int64_t from, int64_t rows)> part;  // [rows, dim]

  Rows(DType d, int64_t rows, int64_t columns, std::function<Array(int64_t, int64_t)> make)
      : dtype(d), count(rows), dim(columns), part(std::move(make)) {}
  Rows(Array all);  // [..., dim], kept

  // The same, made now: what is wrong with a position shows before anything is written.
  Rows kept() const { return part(0, count); }

  // Calls f(from, rows [n, dim]) for one part after the other.
  void for_each_part(const std::function<void(int64_t, const Array&)>& f) const;
};

struct Table {
  SchemeInfo scheme;
  PositionList positions;
  Rows values;                                            // [positions, dim]
  std::vector<std::string> columns{};                     // names, or none
  std::vector<std::pair<std::string, double>> factors{};  // what else a rotary plan says
  std::vector<std::string> places{"position"};            // what a row's place is called, by axis
  std::string rows_at = "positions";                      // what all of them are called
  std::vector<int64_t> shape{};                           // of all values, unless that of `values`
  Metadata made_at{};                                     // what was typed for them
  std::string initial_weights{};                          // JSON, where no file gave them
};

// What the columns are called where they are cosines and sines: cos_0, cos_1, ..., sin_0, ...
std::vector<std::string> column_names(const Scheme& scheme, int64_t dim);

// The first columns that fit lines of `width` characters; 0: all of them.
void write_text(const Table& table, size_t width, const Sink& out);
// One line of names, then one line for each position. Numbers round-trip.
void write_csv(const Table& table, const Sink& out);
// One object with scheme, options, dtype, positions and rows. Numbers round-trip; null is none.
void write_json(const Table& table, const Sink& out);

}  // namespace posenc::cli
