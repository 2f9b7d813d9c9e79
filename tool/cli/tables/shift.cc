// shift.cc: posenc shift.
#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/tables/move.h"

namespace posenc::cli {
namespace {

struct ShiftOptions {
  int64_t k = 1;
  std::string positions = "0,1,1000000";
  bool inverse = false;
  std::optional<int64_t> compose{};
  bool json = false;

  static Fields fields() {
    using S = ShiftOptions;
    return {{"k", &S::k, "number of positions to move"},
            {"positions", &S::positions, "positions to test it at: 5, 0:4 or 0,3,100"},
            {"inverse", &S::inverse, "the matrix that moves back: M_k^-1 = M_-k"},
            {"compose", &S::compose, "a second move to apply after it: M_j M_k = M_j+k"},
            {"json", &S::json, "pairs, matrix and errors as JSON"}};
  }
};

Move make_move(const Sinusoidal& scheme, const ShiftOptions& options) {
  if (options.inverse && options.k == INT64_MIN)
    refuse("expected k that can be negated, got ", options.k);
  Move out{as_usage_error([&] { return shift(scheme, options.k); }), options.k,
           fmt::format("M_{}", options.k)};
  if (options.inverse) out = {out.m.inverse(), -options.k, fmt::format("(M_{})^-1", options.k)};
  if (options.compose)
    out = {as_usage_error([&] { return shift(scheme, *options.compose); }) * out.m,
           sum(out.distance, *options.compose), fmt::format("M_{} {}", *options.compose, out.name)};
  return out;
}

// From -180 to 180.
double degrees(const Shift::Pair& pair) {
  return static_cast<double>(static_cast<int64_t>(pair.angle)) * 0x1p-64 * 360;
}

std::string numbers(const std::vector<double>& values, size_t most) {
  std::string out;
  for (size_t c = 0; c < std::min(values.size(), most); ++c)
    out += fmt::format("{:>10.6f}", values[c]);
  return out + (values.size() > most ? "  ..." : "");
}

constexpr size_t shown_pairs = 8, shown_columns = 8;

std::string pairs_text(const Shift& m) {
  std::string out = "pair  sine  cosine     degrees         cos         sin\n";
  const auto& pairs = m.pairs();
  for (size_t i = 0; i < std::min(pairs.size(), shown_pairs); ++i)
    out += fmt::format("{:>4}  {:>4}  {:>6}  {:>10.5f}  {:>10.7f}  {:>10.7f}\n", i, pairs[i].sine,
                       pairs[i].cosine, degrees(pairs[i]), m.cosine(i), m.sine(i));
  if (pairs.size() > shown_pairs)
    out += fmt::format(" ... and {} pairs more\n", pairs.size() - shown_pairs);
  return out;
}

std::string matrix_text(const Shift& m) {
  const auto matrix = m.matrix();
  const auto dim = static_cast<size_t>(m.dim());
  std::string out;
  for (size_t r = 0; r < dim; ++r) {
    out += " ";
    for (size_t c = 0; c < dim; ++c)
      out += matrix[r * dim + c] == 0 ? fmt::format("{:>10}", '.')
                                      : fmt::format("{:>10.6f}", matrix[r * dim + c]);
    out += "\n";
  }
  return out;
}

std::string trials_text(const Move& move, const std::vector<Trial>& trials) {
  std::string out;
  for (const Trial& trial : trials)
    out += fmt::format("p = {}\n  {} PE(p) {}\n  {:>{}} {}\n  largest difference {:.2e}\n",
                       trial.position, move.name, numbers(trial.moved, shown_columns),
                       fmt::format("PE(p{:+})", move.distance), move.name.size() + 6,
                       numbers(trial.there, shown_columns), trial.error);
  return out;
}

Json shift_json(const Move& move, const std::vector<Trial>& f32, const std::vector<Trial>& f64) {
  Json out{{"scheme", Sinusoidal::name}, {"k", move.distance}, {"pairs", files::JsonList{}}};
  for (size_t i = 0; i < move.m.pairs().size(); ++i) {
    const auto& pair = move.m.pairs()[i];
    out["pairs"].push_back({{"sine", pair.sine},
                            {"cosine", pair.cosine},
                            {"radians", degrees(pair) * std::numbers::pi / 180},
                            {"cos", move.m.cosine(i)},
                            {"sin", move.m.sine(i)}});
  }
  if (move.m.dim() <= 64) {
    const auto matrix = move.m.matrix();
    for (int64_t r = 0; r < move.m.dim(); ++r)
      out["matrix"].push_back(
          std::vector(matrix.begin() + r * move.m.dim(), matrix.begin() + (r + 1) * move.m.dim()));
  }
  for (const Trial& trial : f64)
    out["positions"].push_back({{"position", files::parse_json("shift", trial.position)},
                                {"moved", trial.moved},
                                {"there", trial.there},
                                {"error", trial.error}});
  out["error"] = {{"f32", worst(f32)}, {"f64", worst(f64)}};
  return out;
}

void run_shift(const Call& call) {
  const auto options = read_options<ShiftOptions>(call);
  if (usual_info(call.words[0]).family != "absolute")
    refuse("expected sinusoidal, whose rows M_k can move, got ", call.words[0],
           ", which adds no rows");
  const Scheme scheme = read_scheme(call);
  const auto* sinusoidal = std::get_if<Sinusoidal>(&scheme);
  if (!sinusoidal)
    refuse("expected sinusoidal, whose rows M_k can move, got ", call.words[0],
           ": one matrix does not move all of its rows");
  const Move move = make_move(*sinusoidal, options);
  const Ready ready = make_ready(scheme, {});
  const auto positions = parse_positions(options.positions, 1);
  const Progress progress("moving rows");
  const auto f32 = try_move(ready, move, positions, DType::f32);
  const auto f64 = try_move(ready, move, positions, DType::f64);
  if (options.json) return print(answer(shift_json(move, f32, f64)));
  print(fmt::format(
      "{} moves PE by {}: it rotates each pair, and is the same at every position.\n\n{}",
      move.name, move.distance, pairs_text(move.m)));
  if (move.m.dim() <= static_cast<int64_t>(shown_columns)) print("\n" + matrix_text(move.m));
  print(fmt::format("\n{}\nPE(p{:+}) = {} PE(p) within {:.2e} in f32 and {:.2e} in f64\n",
                    trials_text(move, f64), move.distance, move.name, worst(f32), worst(f64)));
}

}  // namespace

Command shift_command() {
  return {
      "shift",
      "M_k, the matrix that moves an encoding by k positions: PE(p+k) = M_k PE(p)",
      takes_scheme,
      "Each pair (sine, cosine) of the encoding rotates by k times its frequency, so one\n"
      "matrix of 2x2 rotations moves every position by k. This is why attention can learn\n"
      "to look at offsets. Where the two columns of a pair have different frequencies no\n"
      "such matrix exists, and the error says so: try --preset per-column.\n",
      options_of(ShiftOptions{}),
      {"posenc shift sinusoidal --dim 8 --k 3", "posenc shift sinusoidal --dim 8 --k 3 --inverse",
       "posenc shift sinusoidal --k 100 --compose -100 --positions 0,2000000000",
       "posenc shift sinusoidal --dim 4 --k 1 --json"},
      run_shift};
}

}  // namespace posenc::cli
