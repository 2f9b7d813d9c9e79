// positions_plan.h: positions as `posenc positions` plans and shows them.
#pragma once

#include <variant>

#include "cli/command.h"
#include "draw/terminal.h"
#include "posenc/positions.h"

namespace posenc::cli {

// Tokens that belong together: a text, an image, a sequence, a chunk of a rank.
struct TokenRun {
  std::string name;
  char mark;       // of its cells
  size_t colour;   // parts of the same kind share it
  int64_t tokens;  // one after the other
};

// The i-th of several, marked by a letter.
inline TokenRun lettered(std::string name, size_t i, int64_t tokens) {
  return {std::move(name), static_cast<char>('A' + i % 26), i, tokens};
}

struct PositionPlan {
  std::variant<PlannedPositions, PlannedCoordinates> positions;
  std::vector<std::string> axes;             // their names
  std::vector<std::string> rows;             // their names, when there are several
  std::vector<std::vector<TokenRun>> parts;  // of each row, all its tokens
  std::string note{};                        // what else to know, as a sentence
  std::variant<std::monostate, int64_t, double> rope_delta{};  // where there is one
};

// A way to make positions, with the options it reads.
struct PositionKind {
  std::string_view name, help;
  std::vector<Option> options;
  PositionPlan (*plan)(const Call&);
};
std::vector<PositionKind> run_kinds();  // range, offsets, cache
PositionKind padding_kind();
std::vector<PositionKind> packed_kinds();  // packed, shard
PositionKind grid_kind();
PositionKind segments_kind();

using Ids = std::vector<int64_t>;
inline Tensor view(const Ids& ids) { return tensor(ids.data(), {std::ssize(ids)}); }
// Whole numbers as 3,2,4 or 0:10:2.
Ids read_list(std::string_view option, const std::string& text);
// Frames, height and width as 2x3 or 8x2x3.
Ids read_sizes(std::string_view what, const std::string& text);

// One axis, and in every row one part.
PositionPlan one_part_per_row(PlannedPositions positions, const std::string& what);

// Lines of at most `columns` characters: a cell for each token, its positions below. At most
// `lines` of them where that is above 0; then the last line says what is left out.
std::string strip(const PositionPlan& plan, int columns, int lines, draw::Colour colour);

}  // namespace posenc::cli
