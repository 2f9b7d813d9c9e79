// attend_term.h: the term of a content scheme as attention asks for it.
#pragma once

#include "cpu/term_blocks.h"

namespace posenc::cpu {

// Queries [first, first + count) of a head.
struct QueryBlock {
  int64_t row, head, first, count;
};

// The term of a content scheme, or the vectors that stand in the values.
template <class C>
struct CallTerm {
  const TermSource& source;
  TermCall<C> call;
  Scratch<C> gates{};  // [rows, heads, keys]

  CallTerm(const TermSource& from, const ScorePlaces& at)
      : source(from), call(start_call<C>(from, at)) {
    if (source.gates.rank == 0) return;
    const Batch batch(source.gates, 2);
    gates = Scratch<C>(at.rows * call.heads * at.keys.tokens);
    for (int64_t n = 0; n < at.rows * call.heads; ++n)
      read_column(source.gates.dtype, gates_at(batch, n / call.heads, n % call.heads),
                  gates.data() + n * at.keys.tokens, at.keys.tokens);
  }

  TermBlock<C> block(const QueryBlock& b, int64_t keys) const {
    const int64_t line = b.row * call.heads + b.head;
    return {.call = call,
            .at = call.at.part(b.row, b.first, b.count, keys),
            .head = source.first_head + b.head,
            .gates = gates.data() + (gates.size() > 0 ? line * call.at.keys.tokens : 0),
            .ahead = b.first + b.count < call.at.queries.tokens ? 1 : 0,
            .scale = source.after};
  }
};

}  // namespace posenc::cpu
