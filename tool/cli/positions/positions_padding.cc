// positions_padding.cc: posenc positions padding.
#include "cli/options.h"

#include <sstream>
#include "cli/positions/positions_plan.h"
#include "posenc/positions/padding.h"

namespace posenc::cli {
namespace {

struct PaddingOptions {
  std::string mask = "00111,11100";
  std::string pad_rule = "transformers";
  int64_t cached = 0;

  static Fields fields() {
    using S = PaddingOptions;
    return {{"mask", &S::mask, "rows of 0 (padding) and 1 (token), such as 0011,1110"},
            {"pad_rule", &S::pad_rule,
             "transformers, transformers-4, roberta, fairseq, opt, or rows: roberta-rows, ..."},
            {"cached", &S::cached,
             "number of mask slots already in the cache: counted, but not printed"}};
  }
};

struct Mask {
  int64_t rows = 0, tokens = 0;
  Ids bits{};
};
Mask read_mask(const std::string& text) {
  Mask out;
  std::istringstream rows(text + ",");
  for (std::string row; std::getline(rows, row, ','); ++out.rows) {
    if (row.find_first_not_of("01") != row.npos)
      refuse("expected a mask of 0 and 1, such as 0011,1110, got '", text, "'");
    if (out.rows == 0) out.tokens = std::ssize(row);
    if (row.empty() || std::ssize(row) != out.tokens)
      refuse("expected a mask with rows of equal length, got '", text, "'");
    for (const char c : row) out.bits.push_back(c - '0');
  }
  return out;
}

Padding read_rule(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& preset : Padding::presets()) {
    if (preset.name == name) return preset.value;
    names.emplace_back(preset.name);
  }
  refuse("unknown --pad_rule '", name, "'", suggestion(name, names));
}

// Runs of equal bits.
std::vector<TokenRun> mask_parts(const Mask& mask, int64_t row, int64_t cached) {
  std::vector<TokenRun> out;
  for (int64_t t = cached; t < mask.tokens; ++t) {
    const bool token = mask.bits[static_cast<size_t>(row * mask.tokens + t)];
    if (out.empty() || (out.back().mark == '#') != token)
      out.push_back({token ? "token" : "padding", token ? '#' : '.', token ? 0u : 3u, 0});
    ++out.back().tokens;
  }
  return out;
}

PositionPlan plan_padding(const Call& call) {
  const auto o = read_options<PaddingOptions>(call);
  const Padding rule = read_rule(o.pad_rule);
  const Mask mask = read_mask(o.mask);
  const Tensor t = tensor(mask.bits.data(), {mask.rows, mask.tokens});
  auto out = one_part_per_row(as_usage_error([&] { return padded(t, rule, o.cached); }), "token");
  for (int64_t row = 0; row < mask.rows; ++row)
    out.parts[static_cast<size_t>(row)] = mask_parts(mask, row, o.cached);
  return out;
}

}  // namespace

PositionKind padding_kind() {
  return {"padding", "a padding mask, left or right, by the rule of a code base",
          options_of(PaddingOptions{}), plan_padding};
}

}  // namespace posenc::cli
