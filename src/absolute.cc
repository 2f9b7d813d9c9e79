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
int64_t bytes_of(const Tensor& t) { return t.elements() * size_of(t.dtype); }

// Calls work(span, first batch row, end batch row) for every piece of [rows, tokens, dim], at most
// `width` columns wide. Pieces do not depend on the number of threads, except that batch rows
// sharing positions may be grouped.
template <class Work>
void for_each_piece(const Source& source, const Positions& at, const Batch& batch, int64_t width,
                    const Work& work) {
  const bool shared = at.is_range() || at.ids.size(1) == 1;
  const int64_t rows = batch.rows, tokens = batch.tokens(), bytes = bytes_of(batch.t);
  const int64_t runs = pieces(tokens, cpu::run_rows), chunks = pieces(source.dim, width);
  const int64_t workers = threads_for(bytes);
  const int64_t wanted = runs * chunks < 4 * workers ? workers : 1;
  const int64_t groups = shared ? std::min(rows, wanted) : rows;
  parallel_for(groups * runs * chunks, bytes, [&](int64_t i) {
    const int64_t chunk = i % chunks, run = i / chunks % runs, group = i / chunks / runs;
    const int64_t first = group * rows / groups, end = (group + 1) * rows / groups;
    const int64_t token = run * cpu::run_rows, column = chunk * width;
    work(Span{shared ? 0 : first, token, std::min(cpu::run_rows, tokens - token), column,
              std::min(width, source.dim - column)},
         first, end);
  });
}

// Rows are made in a tile that stays in the second-level cache and holds whole rows of most models,
// so that the tensors they are applied to are read and written in long runs.
constexpr int64_t tile_bytes = int64_t{256} * 1024;
int64_t tile_columns(DType dtype) {
  return std::min(cpu::chunk_columns, tile_bytes / cpu::block_rows / size_of(dtype));
}

// Makes the rows of a span, as dtype, block by block; use(token, count, tile) gets them.
template <class Use>
void through_tile(const Source& source, const Positions& at, const Span& span, DType dtype,
                  Use use) {
  const float* kept = dtype == DType::f32 ? source.kept_span(at, span) : nullptr;
  if (kept) {
    for (int64_t done = 0; done < span.tokens; done += cpu::block_rows)
      use(span.token + done, std::min(cpu::block_rows, span.tokens - done),
          cpu::Rows{const_cast<float*>(kept + done * source.dim), DType::f32, source.dim});
    return;
  }
  alignas(64) char memory[tile_bytes];
  const cpu::Rows tile{memory, dtype, pieces(span.columns, 16) * 16};
  make_rows(
      source, at, span, [&](int64_t) { return tile; },
      [&](int64_t token, int64_t count) { use(token, count, tile); });
}

}  // namespace

void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at) {
  const Source& source = plan.source();
  check_rows("fill", "table", table, source.dim);
  check_output("fill", table);
  const Batch out(table, 2);
  check_positions("fill", source, at, out.rows, out.tokens());
  const bool direct = table.step(-1) == 1;
  const auto fill_row = [&](const Span& span, int64_t row) {
    if (direct)
      return make_rows(
          source, at, span,
          [&](int64_t token) {
            return cpu::Rows{out.at(row, token, span.column), table.dtype, table.step(-2)};
          },
          [](int64_t, int64_t) {});
    through_tile(source, at, span, table.dtype,
                 [&](int64_t token, int64_t count, const cpu::Rows& tile) {
                   cpu::copy_rows(tile, out.block(row, token, span.column), count, span.columns);
                 });
  };
  for_each_piece(source, at, out, direct ? cpu::chunk_columns : tile_columns(table.dtype),
                 [&](const Span& span, int64_t first, int64_t end) {
                   for (int64_t row = first; row < end; ++row) fill_row(span, row);
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
  const DType computed = compute_type(x.dtype);
  for_each_piece(
      source, at, from, tile_columns(computed), [&](const Span& span, int64_t first, int64_t end) {
        through_tile(source, at, span, computed,
                     [&](int64_t token, int64_t count, const cpu::Rows& tile) {
                       for (int64_t row = first; row < end; ++row)
                         cpu::add_rows(x.dtype, from.block(row, token, span.column), tile,
                                       to.block(row, token, span.column), count, span.columns);
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
  const DType computed = compute_type(out.dtype);
  for_each_piece(
      source, options.at, to, tile_columns(computed),
      [&](const Span& span, int64_t first, int64_t end) {
        through_tile(
            source, options.at, span, computed,
            [&](int64_t token, int64_t count, const cpu::Rows& tile) {
              void* found[cpu::block_rows];
              for (int64_t row = first; row < end; ++row) {
                for (int64_t t = 0; t < count; ++t)
                  found[t] = rows.at(0, integer(ids.dtype, id.at(row, token + t)), span.column);
                cpu::scale_add_rows(out.dtype, {found, embedding.step(1), options.scale}, tile,
                                    to.block(row, token, span.column), count, span.columns);
              }
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
