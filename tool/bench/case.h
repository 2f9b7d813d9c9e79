// case.h: what is timed, as data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "limit.h"
#include "posenc/absolute.h"
#include "posenc/rotary.h"

namespace posenc::bench {

enum class Verb {
  fill,
  add,
  embed,
  scatter,
  prepare,
  rotate,
  rotate_adjoint,
  bias,
  bias_add,
  attend
};
enum class Encoded { none, rope, alibi, t5 };
enum class Ids { none, consecutive, random };

// Heads of a rotary case, as many as those of an 8-billion-parameter Llama.
inline constexpr int64_t query_heads = 32, key_heads = 8;

// x is [batch, tokens, dim], or [tokens, dim] for a table; queries and keys are
// [tokens, heads, dim]; scores are [batch as heads, tokens as queries, dim as keys], and attention
// is over [tokens, batch as heads, dim].
struct Case {
  Verb verb = Verb::fill;
  DType dtype = DType::f32;
  int64_t batch = 1, tokens = 4096, dim = 512;
  int64_t first = 0;     // position of the first token
  Ids ids = Ids::none;   // explicit positions instead of a range
  int64_t misaligned{};  // elements between a 64-byte line and the output
  bool single = false;   // only on one thread
  bool kept = false;     // the plan keeps the rows
  Layout layout{};       // of pairs
  Encoded encoding{};    // of scores and of attention
};

std::vector<Case> cases();
std::string name(const Case& c);
// As peers are asked for it, "add bf16 8 4096 512"; empty when they have no such thing.
std::string question(const Case& c);

// A case ready to run: `work` has been checked against a plain computation.
struct Job {
  std::function<void()> work;
  int64_t elements = 0, bytes = 0;  // bytes read and written
  Traffic traffic = Traffic::none;
  std::vector<double> sample{};     // first numbers of the last row, to compare with a peer's
  std::function<void()> without{};  // the same work without an encoding, where that is the limit
};
Job make_job(const Case& c);
Job make_rotary_job(const Case& c);
Job make_relative_job(const Case& c);

}  // namespace posenc::bench
