// add.cc: rows alone, rows added to a tensor, and rows added to embeddings.
#include "base/batch.h"
#include "base/parallel.h"
#include "cpu/row_tiles.h"
#include "orders/orders.h"

namespace posenc::cpu {
namespace {

using Piece = Pieces::Piece;

struct Adder {
  const AddOrder& order;
  Batch x{order.x ? *order.x : order.out, 2}, out{order.out, 2};
  bool fills = !order.x && !order.ids;
  DType type = fills ? order.out.dtype : compute_type(order.out.dtype);  // of the rows

  // Rows that lie side by side in the output are made there.
  void fill_directly(const Piece& piece) const {
    const Span& s = piece.span;
    for (int64_t row = piece.first; row < piece.end; ++row) {
      const Rows to{out.at(row, s.token, s.column), out.t.dtype, out.t.step(-2)};
      for (RowTiles tiles(order.rows, order.at, s, to, true); tiles.next();) {
      }
    }
  }

  void apply(const Piece& piece, const Rows& tile) const {
    const Span& s = piece.span;
    for (RowTiles tiles(order.rows, order.at, s, tile); tiles.next();)
      for (int64_t row = piece.first; row < piece.end; ++row)
        fills ? copy(tiles, row, s) : order.ids ? embed(tiles, row, s) : add(tiles, row, s);
  }

  void copy(const RowTiles& tiles, int64_t row, const Span& s) const {
    copy_rows(tiles.rows(), out.block(row, tiles.token(), s.column), tiles.count(), s.columns);
  }

  void add(const RowTiles& tiles, int64_t row, const Span& s) const {
    add_rows(out.t.dtype, x.block(row, tiles.token(), s.column), tiles.rows(),
             out.block(row, tiles.token(), s.column), tiles.count(), s.columns, x.exceeds_caches());
  }

  void embed(const RowTiles& tiles, int64_t row, const Span& s) const {
    const Batch ids(*order.ids, 1), embedding(*order.embedding, 2);
    void* found[block_rows];
    for (int64_t t = 0; t < tiles.count(); ++t)
      found[t] = embedding.at(0, integer(ids.t.dtype, ids.at(row, tiles.token() + t)), s.column);
    scale_add_rows(out.t.dtype, {found, embedding.t.step(1), order.scale}, tiles.rows(),
                   out.block(row, tiles.token(), s.column), tiles.count(), s.columns);
  }
};

}  // namespace

void run(const AddOrder& order) {
  const Adder adder{order};
  const bool directly = adder.fills && order.out.step(-1) == 1;
  const int64_t bytes = order.out.elements() * size_of(order.out.dtype);
  const int64_t width = directly ? chunk_columns : tile_columns(adder.type);
  const Pieces cut(order.rows, order.at, adder.out.rows, run_rows, width, bytes);
  if (directly)
    return parallel_for(cut.count(), bytes, [&](int64_t i) { adder.fill_directly(cut[i]); });
  const Tile tile(order.at.tokens, std::min(width, order.rows.dim), adder.type);
  parallel_for_with(tile.bytes, cut.count(), bytes,
                    [&](int64_t i, char* memory) { adder.apply(cut[i], tile.at(memory)); });
}

}  // namespace posenc::cpu
