// bias_pictures.cc: lines, squares and buckets of biases.
#include "cli/show/bias_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace posenc::cli {
namespace {

constexpr int64_t most_tokens = 2048;

draw::Plot curves(const ReadyBias& ready, const std::string& typed) {
  const std::string along = line_of(ready);
  if (along.empty())
    refuse("expected the kind heatmap, because ", alternative_name(ready.scheme),
           " reads query and key, got curves");
  const auto at = parse_positions(!typed.empty() ? typed : along == "key" ? "0:65" : "-64:65", 1);
  const auto values = as_doubles(fill_line(ready, at, DType::f64));
  const int64_t heads = ready.plan.heads(), drawn = std::min<int64_t>(heads, 8);
  draw::Lines out{.title = title_of(ready.scheme),
                  .note = "what each head adds to a score",
                  .x = {along == "key" ? along : "distance: key - query"},
                  .y = {"bias"}};
  // A row of a table serves a stretch of distances: steps, not slopes between them.
  const bool rows =
      std::holds_alternative<T5Bias>(ready.scheme) || std::holds_alternative<Clipped>(ready.scheme);
  const std::vector<double> sides = rows ? std::vector{-0.5, 0.5} : std::vector{0.0};
  for (int64_t i = 0; i < drawn; ++i) {
    const int64_t head = drawn == 1 ? 0 : i * (heads - 1) / (drawn - 1);
    draw::Curve curve{fmt::format("head {}", head)};
    for (int64_t d = 0; d < at.count; ++d)
      for (const double side : sides) {
        curve.x.push_back(at.value(0, d) + side);
        curve.y.push_back(values[static_cast<size_t>(d * heads + head)]);
      }
    out.curves.push_back(std::move(curve));
  }
  return out;
}

// Queries and keys at the same positions.
PositionList tokens_to_draw(const Scheme& scheme, const std::string& typed) {
  const int64_t tokens = tokens_of(scheme);
  const auto out =
      parse_positions(typed.empty() ? fmt::format("0:{}", tokens > 0 ? tokens : 64) : typed, 1);
  if (out.count > most_tokens)
    refuse("expected at most ", most_tokens, " positions for a picture of queries and keys, got ",
           out.count);
  return out;
}

draw::Heatmap square(const Scheme& scheme, const PositionList& at, std::string note) {
  draw::Heatmap out;
  out.title = title_of(scheme);
  out.note = std::move(note);
  out.rows = out.cols = at.count, out.square = true;
  const bool run = at.is_run() && at.count > 1;
  out.x = {run ? "key" : "key (by its number)"}, out.y = {run ? "query" : "query (by its number)"};
  if (run)
    for (draw::Axis* axis : {&out.x, &out.y})
      axis->min = at.value(0, 0), axis->max = at.value(0, at.count - 1);
  return out;
}

draw::Plot heatmap(const ReadyBias& ready, const std::string& typed, int64_t head) {
  const int64_t heads = ready.plan.heads();
  if (head < 0 || head >= heads) refuse("expected --head from 0 to ", heads - 1, ", got ", head);
  const auto at = tokens_to_draw(ready.scheme, typed);
  auto out = square(ready.scheme, at, fmt::format("what head {} adds to the scores", head));
  const auto all = as_doubles(fill_square(ready, at, at, DType::f64));
  const auto size = at.count * at.count;
  out.values.assign(all.begin() + head * size, all.begin() + (head + 1) * size);
  const auto [least, most] = std::minmax_element(out.values.begin(), out.values.end());
  out.low = out.high = 0;  // fitted to the data, unless they are on both sides of 0
  if (*least < 0 && *most > 0) out.high = std::max(-*least, *most), out.low = -out.high;
  return out;
}

draw::Plot strip(const Scheme& scheme, const std::string& typed,
                 const std::function<int64_t(int64_t)>& row_of) {
  const auto at = parse_positions(typed.empty() ? "-160:161" : typed, 1);
  draw::Lines out{.title = title_of(scheme),
                  .note = "which row of the learned table a distance reads",
                  .x = {"distance: key - query"},
                  .y = {"row of the table"}};
  out.dots = true, out.joined = false;
  draw::Curve curve;
  for (int64_t i = 0; i < at.count; ++i) {
    curve.x.push_back(at.value(0, i));
    curve.y.push_back(static_cast<double>(row_of(at.whole(i))));
  }
  out.curves.push_back(std::move(curve));
  return out;
}

draw::Plot entries(const WindowBias& window, const std::string& typed) {
  const auto at = tokens_to_draw(window, typed);
  auto out = square(window, at, "which entry of the learned table a query and a key read");
  out.low = out.high = 0;
  for (int64_t q = 0; q < at.count; ++q)
    for (int64_t k = 0; k < at.count; ++k) {
      const int64_t query = at.whole(q), key = at.whole(k);
      if (std::min(query, key) < 0 || std::max(query, key) >= window.tokens())
        refuse("expected positions from 0 to ", window.tokens() - 1, ", got ",
               query < 0 || query >= window.tokens() ? query : key);
      out.values.push_back(static_cast<double>(window.entry(query, key)));
    }
  return out;
}

draw::Plot buckets(const Scheme& scheme, const std::string& typed) {
  if (const auto* t5 = std::get_if<T5Bias>(&scheme))
    return strip(scheme, typed, [&](int64_t distance) { return t5->bucket(distance); });
  if (const auto* clipped = std::get_if<Clipped>(&scheme))
    return strip(scheme, typed, [&](int64_t distance) { return clipped->row(distance); });
  if (const auto* window = std::get_if<WindowBias>(&scheme)) return entries(*window, typed);
  refuse("expected t5, clipped or window for a picture of buckets, got ", alternative_name(scheme));
}

}  // namespace

Kind usual_kind(const ReadyBias& ready) {
  return line_of(ready).empty() ? Kind::heatmap : Kind::curves;
}

draw::Plot draw_bias(const ReadyBias& ready, Kind kind, const std::string& typed, int64_t head) {
  if (kind == Kind::curves) return curves(ready, typed);
  if (kind == Kind::heatmap) return heatmap(ready, typed, head);
  if (kind == Kind::buckets) return buckets(ready.scheme, typed);
  refuse("expected the kind heatmap, curves or buckets for a bias of scores, got ",
         enum_name(kind));
}

}  // namespace posenc::cli
