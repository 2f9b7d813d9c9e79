// rows.h: from a scheme and what was typed beside it to rows of numbers.
#pragma once

#include "cli/options.h"
#include "cli/positions/positions_arg.h"
#include "model/array.h"
#include "posenc/scheme.h"

namespace posenc::cli {

// A scheme that is ready to give rows, with the weights it reads: to be moved, not copied.
struct Ready {
  Scheme scheme;
  std::vector<Array> weights;
  AbsolutePlan plan;
  int64_t length = 0;  // of the text, where it is known

  std::vector<Tensor> views() const;  // of the weights
};
// Throws a usage error for a scheme that acts on scores.
Ready make_ready(const Scheme& scheme, const RowsOptions& options);

// Whether some of its weights are random numbers before training.
bool starts_at_random(const Scheme& scheme);

// Throws a usage error where --length was given and the rule of a rotary scheme does not ask for
// it.
void check_length_is_read(const Scheme& scheme, const RowsOptions& options);

// One array for each of the scheme's weights: from the file, or with initial values.
std::vector<Array> read_weights(const Scheme& scheme, const RowsOptions& options);

// The plan by which a rotary scheme turns; nothing for another.
std::optional<RotaryPlan> turning_plan(const Ready& ready);

// The positions that were typed, or else `run` on a scheme of one axis or a rotary one (where text
// stands at the same on every axis), and `diagonal` on every axis of another; throws a usage error
// when that is empty.
PositionList read_positions(const Ready& ready, const RowsOptions& options, std::string_view run,
                            std::string_view diagonal);

// Throws a usage error where a row has no numbers.
void check_row(const Ready& ready);

// [count, dim], of the positions from `from` on.
Array fill_rows(const Ready& ready, const PositionList& positions, DType dtype, int64_t from,
                int64_t count);

// [positions, dim]
Array fill_table(const Ready& ready, const PositionList& positions, DType dtype);

// Numbers of any type, widened without loss.
std::vector<double> as_doubles(const Array& array);

// Throws Error at the first number that is infinite or no number.
void check_finite_numbers(const std::string& whose, const Array& array);

}  // namespace posenc::cli
