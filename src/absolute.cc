// absolute.cc: checks what the verbs of absolute.h are given, then walks it in pieces.
#include "posenc/absolute.h"

#include <algorithm>
#include <cmath>

#include "batch.h"
#include "check.h"
#include "parallel.h"
#include "source.h"

namespace posenc {
namespace {

using Source = AbsolutePlan::Source;

constexpr int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

// Calls work(span, first batch row, end batch row) for every piece of [rows, tokens, dim]. Pieces
// do not depend on the number of threads, except that batch rows sharing positions may be grouped.
template <class Work>
void for_each_piece(const Source& source, const Positions& at, int64_t rows, int64_t tokens,
                    int64_t bytes, const Work& work) {
  const bool shared = at.is_range() || at.ids.size(1) == 1;
  const int64_t runs = pieces(tokens, cpu::run_rows);
  const int64_t chunks = pieces(source.dim, cpu::chunk_columns);
  const int64_t wanted = pieces(int64_t{2} * threads(), std::max<int64_t>(runs * chunks, 1));
  const int64_t groups = shared ? std::min(rows, wanted) : rows;
  parallel_for(groups * runs * chunks, bytes, [&](int64_t i) {
    const int64_t chunk = i % chunks, run = i / chunks % runs, group = i / chunks / runs;
    const int64_t first = group * rows / groups, end = (group + 1) * rows / groups;
    const int64_t token = run * cpu::run_rows, column = chunk * cpu::chunk_columns;
    work(Span{shared ? 0 : first, token, std::min(cpu::run_rows, tokens - token), column,
              std::min(cpu::chunk_columns, source.dim - column)},
         first, end);
  });
}

// Makes the rows of a span in a tile that stays in the cache, block by block.
template <class Use>
void through_tile(const Source& source, const Positions& at, const Span& span, DType dtype,
                  Use use) {
  alignas(64) double tile[cpu::block_rows * cpu::chunk_columns];
  const cpu::Rows rows{tile, compute_type(dtype), cpu::chunk_columns};
  make_rows(
      source, at, span, [&](int64_t) { return rows; },
      [&](int64_t token, int64_t count) { use(token, count, tile); });
}

int64_t bytes_of(const Tensor& t) { return t.elements() * size_of(t.dtype); }

}  // namespace

void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at) {
  const Source& source = plan.source();
  check_rows("fill", "table", table, source.dim);
  check_output("fill", table);
  const Batch out(table, 2);
  check_positions("fill", source, at, out.rows, out.tokens());
  const bool direct = table.step(-1) == 1;
  for_each_piece(
      source, at, out.rows, out.tokens(), bytes_of(table),
      [&](const Span& span, int64_t first, int64_t end) {
        for (int64_t row = first; row < end; ++row) {
          if (direct) {
            make_rows(
                source, at, span,
                [&](int64_t token) {
                  return cpu::Rows{out.at(row, token, span.column), table.dtype, table.step(-2)};
                },
                [](int64_t, int64_t) {});
            continue;
          }
          alignas(64) double tile[cpu::block_rows * cpu::chunk_columns];
          make_rows(
              source, at, span,
              [&](int64_t) {
                return cpu::Rows{tile, table.dtype, cpu::chunk_columns};
              },
              [&](int64_t token, int64_t count) {
                cpu::copy_rows(table.dtype, tile, cpu::chunk_columns,
                               out.block(row, token, span.column), count, span.columns);
              });
        }
      });
}

void add(const AbsolutePlan& plan, const Tensor& x, const Tensor& out, const Positions& at) {
  const Source& source = plan.source();
  check_rows("add", "x", x, source.dim);
  check_same("add", "out", out, x);
  check_output("add", out);
  check_overlap("add", x, out);
  const Batch from(x, 2), to(out, 2);
  check_positions("add", source, at, from.rows, from.tokens());
  for_each_piece(source, at, from.rows, from.tokens(), bytes_of(x),
                 [&](const Span& span, int64_t first, int64_t end) {
                   through_tile(source, at, span, x.dtype,
                                [&](int64_t token, int64_t count, const void* tile) {
                                  for (int64_t row = first; row < end; ++row)
                                    cpu::add_rows(x.dtype, from.block(row, token, span.column),
                                                  tile, cpu::chunk_columns,
                                                  to.block(row, token, span.column), count,
                                                  span.columns);
                                });
                 });
}

void embed(const AbsolutePlan& plan, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options) {
  const Source& source = plan.source();
  check_rows("embed", "out", out, source.dim);
  check_output("embed", out);
  check_vocabulary("embed", "embedding", embedding, out.dtype, source.dim);
  check_ids("embed", ids, out, embedding.size(0));
  check_overlap("embed", embedding, out);
  check_finite("embed", "scale", options.scale);
  const Batch to(out, 2), id(ids, 1), rows(embedding, 2);
  check_positions("embed", source, options.at, to.rows, to.tokens());
  for_each_piece(
      source, options.at, to.rows, to.tokens(), bytes_of(out),
      [&](const Span& span, int64_t first, int64_t end) {
        through_tile(
            source, options.at, span, out.dtype,
            [&](int64_t token, int64_t count, const void* tile) {
              const int64_t row_bytes = cpu::chunk_columns * size_of(compute_type(out.dtype));
              for (int64_t row = first; row < end; ++row)
                for (int64_t t = 0; t < count; ++t)
                  cpu::scale_add_row(
                      out.dtype,
                      rows.block(0, integer(ids.dtype, id.at(row, token + t)), span.column),
                      options.scale, static_cast<const char*>(tile) + t * row_bytes,
                      to.block(row, token + t, span.column), span.columns);
            });
      });
}

void fill(const Absolute& scheme, const Tensor& table, const Positions& at) {
  fill(prepare(scheme), table, at);
}

void add(const Absolute& scheme, const Tensor& x, const Positions& at) {
  add(prepare(scheme), x, x, at);
}

}  // namespace posenc
