// positions_segments.cc: posenc positions segments.
#include <fmt/core.h>

#include <sstream>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/positions/positions_plan.h"
#include "posenc/positions/segments.h"

namespace posenc::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) out.push_back(piece);
  return out;
}

struct SegmentsOptions {
  std::string segments = "text:2,image:2x3,text:2";
  std::string model = "tokens";

  static Fields fields() {
    using S = SegmentsOptions;
    return {
        {"segments", &S::segments,
         "text:N, audio:N, image:HxW, video:TxHxW, with @SECONDS between frames and +N tokens of "
         "sound inside"},
        {"model", &S::model,
         "follow the rule of this model: qwen2-vl, qwen2.5-vl, qwen3-vl, glm-4v, ernie-4.5-vl, "
         "glm-image, "
         "qwen2.5-omni, qwen3-omni; sizes are then grid_thw in patches; or tokens, where they "
         "count tokens"}};
  }
};

Segment read_segment(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  if (name == "text" || name == "audio") {
    Segment out = name == "text" ? Segment::text(0) : Segment::audio(0);
    text::read(name, rest, out.tokens);
    return out;
  }
  if (name != "image" && name != "video")
    refuse("expected segments such as text:2,image:2x3,video:8x2x2@0.5, got '", text, "'");
  const auto plus = rest.find('+');
  const auto at = rest.find('@');
  const auto size = read_sizes(name, rest.substr(0, std::min(at, plus)));
  Segment out = Segment::video(size[0], size[1], size[2]);
  if (name == "image") out.medium = Medium::image;
  if (std::min(at, plus) != rest.npos && name == "image")
    refuse("expected seconds and sound only for a video, got ", text);
  if (plus != rest.npos) text::read("sound", rest.substr(plus + 1), out.sound);
  if (at < plus) text::read("seconds", rest.substr(at + 1, plus - at - 1), out.seconds);
  return out;
}

SegmentRule read_rule(const Call& call, const std::string& model) {
  std::vector<std::string> names;
  for (const auto& preset : SegmentRule::presets()) {
    names.emplace_back(preset.name);
    if (preset.name != model) continue;
    SegmentRule rule = preset.value;
    for (const auto& given : call.own)
      for (const Option& option : options_of(rule))
        if (option.name == given.first) set_option(rule, given.first, given.first, given.second);
    return rule;
  }
  refuse("unknown --model '", model, "'", suggestion(model, names));
}

PositionPlan plan_segments(const Call& call) {
  const auto o = read_options<SegmentsOptions>(call);
  const SegmentRule rule = read_rule(call, o.model);
  std::vector<Segment> list;
  std::vector<TokenRun> parts;
  int64_t all = 0;
  for (const std::string& piece : split(o.segments, ',')) {
    list.push_back(read_segment(piece));
    const int64_t tokens = as_usage_error([&] { return segment_tokens(list.back(), rule); });
    const auto medium = list.back().medium;
    parts.push_back({std::string(enum_name(medium)), "TIVA"[static_cast<size_t>(medium)],
                     static_cast<size_t>(medium), tokens});
    if (__builtin_add_overflow(all, tokens, &all))
      refuse("expected segments whose tokens fit 64 bits, got more");
  }
  check_fits("positions", all, 4, sizeof(int64_t));
  if (rule.time == TimeRule::real_f32) {
    auto plan = as_usage_error([&] { return segment_coordinates(list, rule); });
    return {std::move(plan.positions),
            {"t", "h", "w"},
            {},
            {std::move(parts)},
            fmt::format("rope_delta {}: while decoding, token i is at i{:+}", plan.rope_delta,
                        plan.rope_delta),
            plan.rope_delta};
  }
  auto plan = as_usage_error([&] { return segments(list, rule); });
  return {std::move(plan.positions),
          {"t", "h", "w"},
          {},
          {std::move(parts)},
          fmt::format("rope_delta {}: while decoding, token i is at i{:+}", plan.rope_delta,
                      plan.rope_delta),
          plan.rope_delta};
}

}  // namespace

// "2x3" or "8x2x3".
std::vector<int64_t> read_sizes(std::string_view option, const std::string& text) {
  std::vector<int64_t> out;
  for (const std::string& piece : split(text, 'x')) text::read(option, piece, out.emplace_back());
  if (out.size() < 2 || out.size() > 3)
    refuse("expected ", option, " as HEIGHTxWIDTH or FRAMESxHEIGHTxWIDTH, got '", text, "'");
  if (out.size() == 2) out.insert(out.begin(), 1);
  for (int64_t size : out)
    if (size < 0) refuse("expected ", option, " of at least 0, got ", size);
  return out;
}

PositionKind segments_kind() {
  auto options = options_of(SegmentsOptions{});
  for (Option option : options_of(SegmentRule{})) {
    option.value = {};  // the model tells
    options.push_back(std::move(option));
  }
  return {"segments", "text, images and videos on the axes t, h, w", options, plan_segments};
}

}  // namespace posenc::cli
