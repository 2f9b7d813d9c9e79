// absolute.cc: checks what the verbs of absolute.h are given, then walks it in pieces.
#include "posenc/absolute.h"

#include <algorithm>
#include <cmath>

#include "absolute/walk.h"
#include "base/batch.h"
#include "base/check.h"

namespace posenc {
namespace {

using Source = AbsolutePlan::Source;

// Batch rows share a piece where they share positions.
template <class Work>
void for_each_part(const Source& source, const Positions& at, const Batch& batch, int64_t width,
                   const Work& work) {
  const Walk walk{batch.rows, batch.tokens(), cpu::run_rows,
                  batch.t.elements() * size_of(batch.t.dtype)};
  for_each_piece(source, at, walk, width, work);
}

// What is written lies apart from what is read beside it.
void check_target(const char* verb, const Source& source, const Tensor& out, const Positions& at) {
  check_output(verb, out);
  check_apart(verb, out, at);
  if (source.table) check_apart(verb, "the output", out, "the learned table", source.table->rows);
}

}  // namespace

void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at) {
  const Source& source = plan.source();
  check_rows("fill", "table", table, source.dim);
  const Batch out(table, 2);
  check_positions("fill", source, at, out.rows, out.tokens());
  check_target("fill", source, table, at);
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
  for_each_part(source, at, out, direct ? cpu::chunk_columns : tile_columns(table.dtype),
                [&](const Span& span, int64_t first, int64_t end) {
                  for (int64_t row = first; row < end; ++row) fill_row(span, row);
                });
}

void add(const AbsolutePlan& plan, const Tensor& x, const Tensor& out, const Positions& at) {
  const Source& source = plan.source();
  check_rows("add", "x", x, source.dim);
  check_same("add", "out", out, x);
  check_overlap("add", x, out);
  const Batch from(x, 2), to(out, 2);
  check_positions("add", source, at, from.rows, from.tokens());
  check_target("add", source, out, at);
  const DType computed = compute_type(x.dtype);
  for_each_part(
      source, at, from, tile_columns(computed), [&](const Span& span, int64_t first, int64_t end) {
        through_tile(
            source, at, span, computed, [&](int64_t token, int64_t count, const cpu::Rows& tile) {
              for (int64_t row = first; row < end; ++row)
                cpu::add_rows(x.dtype, from.block(row, token, span.column), tile,
                              to.block(row, token, span.column), count, span.columns, from.far());
            });
      });
}

void embed(const AbsolutePlan& plan, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options) {
  const Source& source = plan.source();
  check_rows("embed", "out", out, source.dim);
  check_vocabulary("embed", "embedding", embedding, out.dtype, source.dim);
  check_ids("embed", ids, out, embedding.size(0));
  check_apart("embed", "out", out, "the embedding", embedding);
  check_apart("embed", "out", out, "the ids", ids);
  check_finite("embed", "scale", options.scale);
  const Batch to(out, 2), id(ids, 1), rows(embedding, 2);
  check_positions("embed", source, options.at, to.rows, to.tokens());
  check_target("embed", source, out, options.at);
  const DType computed = compute_type(out.dtype);
  for_each_part(source, options.at, to, tile_columns(computed),
                [&](const Span& span, int64_t first, int64_t end) {
                  through_tile(source, options.at, span, computed,
                               [&](int64_t token, int64_t count, const cpu::Rows& tile) {
                                 void* found[cpu::block_rows];
                                 for (int64_t row = first; row < end; ++row) {
                                   for (int64_t t = 0; t < count; ++t)
                                     found[t] = rows.at(
                                         0, integer(ids.dtype, id.at(row, token + t)), span.column);
                                   cpu::scale_add_rows(
                                       out.dtype, {found, embedding.step(1), options.scale}, tile,
                                       to.block(row, token, span.column), count, span.columns);
                                 }
                               });
                });
}

void fill(const Absolute& scheme, const Tensor& table, const Positions& at,
          const PlanOptions& plan) {
  fill(prepare(scheme, plan), table, at);
}

void add(const Absolute& scheme, const Tensor& x, const Positions& at, const PlanOptions& plan) {
  add(prepare(scheme, plan), x, x, at);
}

void embed(const Absolute& scheme, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options, const PlanOptions& plan) {
  embed(prepare(scheme, plan), ids, embedding, out, options);
}

}  // namespace posenc
