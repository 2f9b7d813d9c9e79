// bias_match.cc: what biases of scores read, and which scheme they are of.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bits.h"
#include "kinds.h"

namespace posenc::inspect {
namespace {

constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();  // masked, or never seen

constexpr double hiding = -3e4;  // f16's least number is -65504; no bias is so large

// Heads of [queries, keys], the axes of size 1 taken away.
struct Scores {
  std::vector<TableView> heads;
  int64_t queries() const { return heads[0].rows; }
  int64_t keys() const { return heads[0].dim; }
  double error() const { return storage_error(heads[0].dtype); }
};

// A number for each place that biases may depend on, for each head.
struct MeasuredProfile {
  std::vector<std::vector<double>> heads;
  int64_t masked = 0, causal = 0;  // scores of -inf, and those among them after the query
};

// Biases as a function of place(query, key) in 0 .. places - 1; nothing where there is none.
template <class F>
std::optional<MeasuredProfile> profile_of(const Scores& s, int64_t places, const F& place) {
  MeasuredProfile out;
  std::vector<double> row(static_cast<size_t>(s.keys()));
  for (const TableView& head : s.heads) {
    auto& line = out.heads.emplace_back(static_cast<size_t>(places), not_seen);
    for (int64_t q = 0; q < s.queries(); ++q) {
      head.read_row(q, row.data());
      for (int64_t k = 0; k < s.keys(); ++k) {
        const double value = row[static_cast<size_t>(k)];
        double& known = line[static_cast<size_t>(place(q, k))];
        const bool hidden = value <= hiding;
        if (hidden) out.masked++, out.causal += k - q > s.keys() - s.queries();
        if (hidden) continue;
        if (!is_finite(value) || (!std::isnan(known) && known != value)) return {};
        known = value;
      }
    }
  }
  return out;
}

bool is_near(double a, double b, double error) { return std::abs(a - b) <= error * std::abs(b); }

// -m |i - zero| in every head: the slopes, or nothing.
std::optional<std::vector<double>> slopes_of(const MeasuredProfile& p, int64_t zero, double error) {
  std::vector<double> out;
  for (const auto& line : p.heads) {
    double slope = not_seen;
    for (int64_t i = 0; i < std::ssize(line); ++i) {
      const double value = line[static_cast<size_t>(i)],
                   distance = static_cast<double>(std::abs(i - zero));
      if (std::isnan(value)) continue;
      if (std::isnan(slope) && distance > 0) slope = -value / distance;
      if (distance == 0 ? value != 0 : !is_near(value, -slope * distance, 2 * error)) return {};
    }
    if (!(slope > 0)) return {};
    out.push_back(slope);
  }
  return out;
}

std::string mask_text(const MeasuredProfile& p, const Scores& s) {
  if (p.masked == 0) return "";
  const int64_t q = s.queries(), n = std::ssize(s.heads), after = n * q * (q - 1) / 2;
  return p.masked == p.causal && p.causal == after ? "; keys after the query are masked"
                                                   : "; some scores are masked";
}

Match make_match(std::string kind, std::string sentence) {
  Match m{kind, "", std::move(sentence) + ".", 0};
  m.kind = std::move(kind), m.within_rounding = true;
  return m;
}

Match alibi_match(const std::vector<double>& slopes, double error, const std::string& of,
                  const std::string& mask = "") {
  if (auto known = slopes_match(slopes, 2 * error)) {
    known->sentence = "Biases: " + of + ", with " + known->sentence + mask + ".";
    return *known;
  }
  Alibi given{.heads = std::ssize(slopes), .slopes = slopes};
  Match m =
      make_match("alibi", "Biases: " + of + ", with slopes other than ALiBi's, the first of them " +
                              text::write(static_cast<float>(slopes[0])));
  m.found = info(given);
  m.command = "posenc table alibi" + typed_options(given);
  return m;
}

Match square_command(Match m, const Scores& s) {
  const auto to = std::to_string(s.keys());
  m.command +=
      " --queries " + std::to_string(s.keys() - s.queries()) + ":" + to + " --keys 0:" + to;
  return m;
}

// Do equal buckets, and only they, have equal biases? zero: the place of distance 0.
bool is_t5(const MeasuredProfile& p, int64_t zero, const T5Bias& t5) {
  const auto bounds = t5.bounds();
  const auto bucket = [&](int64_t distance) -> int64_t {
    if (distance > 0 && !t5.bidirectional) return 0;
    const auto in = std::upper_bound(bounds.begin(), bounds.end(), std::abs(distance));
    return in - bounds.begin() - 1 + (distance > 0 ? std::ssize(bounds) : 0);
  };
  bool shared = false;
  for (int64_t i = 1; i < std::ssize(p.heads[0]); ++i) {
    bool differ = false, seen = true;
    for (const auto& line : p.heads) {
      const double a = line[static_cast<size_t>(i - 1)], b = line[static_cast<size_t>(i)];
      seen &= !std::isnan(a) && !std::isnan(b), differ |= a != b;
    }
    if (!seen) continue;
    const bool same_bucket = bucket(i - 1 - zero) == bucket(i - zero);
    if (same_bucket == differ) return false;
    shared |= same_bucket;
  }
  return shared;
}

std::optional<Match> t5_match(const MeasuredProfile& p, int64_t zero, const std::string& mask) {
  std::vector<T5Bias> fits;
  for (bool both : {true, false})
    for (int64_t buckets : {32, 64, 16, 128, 320})
      for (int64_t most : {128, 256, 64, 512, 800, 1024}) {
        const T5Bias t5{std::ssize(p.heads), buckets, most, both};
        if (most > buckets / 2 && is_t5(p, zero, t5)) fits.push_back(t5);
      }
  if (fits.empty()) return {};
  const auto text = [](const T5Bias& t) {
    return std::to_string(t.buckets) + " buckets, max_distance " + std::to_string(t.max_distance) +
           (t.bidirectional ? ", bidirectional" : ", unidirectional");
  };
  Match m =
      make_match("t5", "Biases: constant within the buckets of T5 (" + text(fits[0]) + ")" + mask);
  for (size_t i = 1; i < fits.size(); ++i) m.also.push_back("t5 with " + text(fits[i]));
  m.found = info(fits[0]);
  return m;
}

// Biases that depend on key - query alone.
std::optional<Match> by_distance(const Scores& s) {
  const int64_t q = s.queries(), k = s.keys(), zero = k - 1;  // queries are the last tokens
  const auto p = profile_of(s, q + k - 1, [&](int64_t i, int64_t j) { return j - i + q - 1; });
  if (!p) return {};
  const std::string mask = mask_text(*p, s);
  const auto& line = p->heads[0];
  const bool flat =
      std::all_of(line.begin(), line.end(), [](double x) { return std::isnan(x) || x == 0; });
  if (flat && p->masked > 0)
    return make_match("mask", "A mask, not a bias: 0 and -inf, depending on key - query" + mask);
  if (const auto slopes = slopes_of(*p, zero, s.error()))
    return square_command(alibi_match(*slopes, s.error(), "-slope x |key - query|", mask), s);
  if (q < 4) return {};
  if (auto t5 = t5_match(*p, zero, mask)) return t5;
  return make_match("toeplitz", "Biases that depend only on key - query, " +
                                    std::to_string(line.size()) + " numbers for each of " +
                                    std::to_string(s.heads.size()) + " heads" + mask +
                                    "; the numbers do not show which scheme made them");
}

// Tokens of a window of some width whose biases depend on (dy, dx) alone.
std::optional<Match> by_window(const Scores& s) {
  const int64_t n = s.keys();
  if (n != s.queries() || n < 4) return {};
  std::vector<int64_t> widths{std::llround(std::sqrt(static_cast<double>(n)))};
  for (int64_t w = 2; w < n; ++w) widths.push_back(w);
  for (int64_t w : widths) {
    if (n % w != 0 || w < 2 || w == n) continue;
    const int64_t h = n / w, span = 2 * w - 1;
    const auto place = [&](int64_t i, int64_t j) {
      return (i / w - j / w + h - 1) * span + i % w - j % w + w - 1;
    };
    if (!profile_of(s, (2 * h - 1) * span, place)) continue;
    return make_match("window", "Biases of a window of " + std::to_string(h) + " x " +
                                    std::to_string(w) +
                                    " tokens that depend only on (dy, dx), as in Swin: " +
                                    std::to_string((2 * h - 1) * span) + " numbers for each of " +
                                    std::to_string(s.heads.size()) + " heads");
  }
  return {};
}

// slope x key: a line for each head, the same for every query.
std::optional<Match> by_key(const Scores& s) {
  const auto p = profile_of(s, s.keys(), [](int64_t, int64_t k) { return k; });
  if (!p || s.keys() < 3) return {};
  std::vector<double> slopes;
  for (const auto& line : p->heads) {
    const double slope = line[1] - line[0];
    for (int64_t i = 0; i < s.keys(); ++i)
      if (!is_near(line[static_cast<size_t>(i)] - line[0], slope * static_cast<double>(i),
                   4 * s.error()) ||
          (line[0] != 0 && line.back() != 0))
        return {};
    slopes.push_back(slope);
  }
  if (!std::all_of(slopes.begin(), slopes.end(), [](double x) { return x > 0; })) return {};
  Match m = alibi_match(slopes, s.error() * static_cast<double>(s.keys()),
                        p->heads[0][0] == 0 ? "slope x key" : "slope x (key - last key)");
  if (!m.command.empty()) m.command += " --form keys";
  return m;
}

// Lines of [places, heads] about a distance 0 that is among them, or of keys from 0 on.
std::optional<Match> by_lines(const TableView& t) {
  Scores s;
  for (int64_t h = 0; h < t.dim; ++h)
    s.heads.push_back({static_cast<const char*>(t.data) + h * t.column_step * size_of(t.dtype),
                       t.dtype, 1, t.rows, 0, t.row_step});
  const auto p = profile_of(s, t.rows, [](int64_t, int64_t k) { return k; });
  if (!p || t.rows < 3 || t.dim < 2) return {};
  const auto& line = p->heads[0];
  const int64_t zero = std::max_element(line.begin(), line.end()) - line.begin();
  const auto slopes = slopes_of(*p, zero, s.error());
  if (!slopes) return by_key(s);
  Match m = alibi_match(*slopes, s.error(),
                        "-slope x |distance|, distance 0 at index " + std::to_string(zero));
  m.command += " --positions " + std::to_string(-zero) + ":" + std::to_string(t.rows - zero);
  return m;
}

}  // namespace

std::optional<Match> identify_biases(const Tensor& t) {
  if (t.rank > 3) return {};
  Scores s;
  const int64_t heads = t.rank == 3 ? t.size(0) : 1;
  for (int64_t h = 0; h < heads; ++h)
    s.heads.push_back(
        {static_cast<const char*>(t.data) + (t.rank == 3 ? h * t.step(0) : 0) * size_of(t.dtype),
         t.dtype, t.size(-2), t.size(-1), t.step(-2), t.step(-1)});
  if (t.rank == 2) {
    if (auto m = by_lines(s.heads[0])) return m;
    if (auto m = by_lines(s.heads[0].transposed())) return m;
    if (s.queries() != s.keys()) return {};
  }
  if (auto m = by_key(s)) return m;
  if (auto m = by_distance(s)) return m;
  return by_window(s);
}

}  // namespace posenc::inspect
