// bias_table.h: biases of scores as a table.
#pragma once

#include "cli/schemes/biases.h"
#include "cli/tables/table_formats.h"

namespace posenc::cli {

// Positions of queries and keys, as they are typed.
struct TypedSquare {
  std::string queries, keys;
  static Fields fields() {
    using S = TypedSquare;
    return {
        Field("queries", &S::queries, "positions of the queries of a table [heads, queries, keys]")
            .of({"biases"}),
        Field("keys", &S::keys, "positions of the keys of that table").of({"biases"})};
  }
};

// A row for each distance (or key) and a column for each head; where a square was typed, or the
// biases lie on no line, a row for each head and query and a column for each key.
Table make_bias_table(const ReadyBias& ready, const RowsOptions& options, const TypedSquare& square,
                      DType dtype);

// As much of it as fits a page.
void print_bias_page(Table table);

}  // namespace posenc::cli
