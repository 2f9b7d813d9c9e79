// walk.h: how verbs walk over [rows, tokens] with the rows of a table at hand.
#pragma once

#include "absolute/source.h"
#include "base/parallel.h"

namespace posenc {

constexpr int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

struct Walk {
  int64_t rows, tokens;
  int64_t run;    // tokens of a piece
  int64_t bytes;  // touched, which tells how many threads are worth it
};

// Calls work(span, first batch row, end batch row) for every piece, at most `width` columns wide.
// Pieces do not depend on the number of threads, except that batch rows sharing positions may be
// grouped.
template <class Work>
void for_each_piece(const AbsolutePlan::Source& source, const Positions& at, const Walk& walk,
                    int64_t width, const Work& work) {
  const bool shared = at.is_shared();
  if (walk.rows == 1 && walk.tokens <= walk.run && source.dim <= width)
    return work(Span{0, 0, walk.tokens, 0, source.dim}, 0, 1);
  const int64_t runs = pieces(walk.tokens, walk.run), chunks = pieces(source.dim, width);
  const int64_t workers = threads_for(walk.bytes);
  const int64_t wanted = runs * chunks < 4 * workers ? workers : 1;
  const int64_t groups = shared ? std::min(walk.rows, wanted) : walk.rows;
  parallel_for(groups * runs * chunks, walk.bytes, [&](int64_t i) {
    const int64_t chunk = i % chunks, run = i / chunks % runs, group = i / chunks / runs;
    const int64_t first = group * walk.rows / groups, end = (group + 1) * walk.rows / groups;
    const int64_t token = run * walk.run, column = chunk * width;
    work(Span{shared ? 0 : first, token, std::min(walk.run, walk.tokens - token), column,
              std::min(width, source.dim - column)},
         first, end);
  });
}

// Rows are made in a tile that stays in the second-level cache and holds whole rows of most models,
// so that the tensors they are applied to are read and written in long runs.
inline constexpr int64_t tile_bytes = int64_t{256} * 1024;
inline int64_t tile_columns(DType dtype) {
  return std::min(cpu::chunk_columns, tile_bytes / cpu::block_rows / size_of(dtype));
}

// Out of line: systems that touch every page of a large frame would do so for kept rows too.
template <class Use>
[[gnu::noinline]] void through_own_tile(const AbsolutePlan::Source& source, const Positions& at,
                                        const Span& span, DType dtype, const Use& use) {
  alignas(64) char memory[tile_bytes];
  const cpu::Rows tile{memory, dtype, pieces(span.columns, 16) * 16};
  make_rows(
      source, at, span, [&](int64_t) { return tile; },
      [&](int64_t token, int64_t count) { use(token, count, tile); });
}

// Makes the rows of a span, as dtype, block by block, or takes the kept ones; use(token, count,
// tile) gets them.
template <class Use>
void through_tile(const AbsolutePlan::Source& source, const Positions& at, const Span& span,
                  DType dtype, const Use& use) {
  const float* kept = dtype == DType::f32 ? source.kept_span(at, span) : nullptr;
  if (!kept) return through_own_tile(source, at, span, dtype, use);
  for (int64_t done = 0; done < span.tokens; done += cpu::block_rows)
    use(span.token + done, std::min(cpu::block_rows, span.tokens - done),
        cpu::Rows{const_cast<float*>(kept + done * source.dim), DType::f32, source.dim});
}

}  // namespace posenc
