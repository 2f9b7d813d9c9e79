// class_defaults.cc: what classes of transformers fill in where a file is silent.
#include "model/families/class_defaults.h"

namespace posenc::model {
namespace {

constexpr ClassDefaults classes[] = {
#include "model/families/class_defaults.inc"
    // Names that are not in transformers' list of classes.
    {"mimo_v2", {}, 129},
    {"code2wav", {}, 72},
    {"embedding_gemma", {}, 4096},
    {"voxtral_realtime:text", {}, 8192},
    {"mimo", {}, 0, 28, true},
    {"Dream", {}, 0, 28, true},
    {"sdar", {}, 0, 28, true},
    {"sdar_moe", {}, 0, 28, true},
    {"kimi_audio", {}, 0, 28, true},
    {"dots_ocr", {}, 0, 28, true},
    {"minicpmv:text", {}, 0, 28, true},
    {"keye:text", {}, 0, 28, true},
};

}  // namespace

ClassDefaults class_defaults(std::string_view type) {
  for (const ClassDefaults& row : classes)
    if (row.type == type) return row;
  return {};
}

RopeRule with_class_sizes(RopeRule rule, std::string_view type) {
  if (rule.sizes.width > 0 || rule.sizes.heads > 0) return rule;
  if (const Sizes sizes = class_defaults(type).sizes; sizes.width > 0) rule.sizes = sizes;
  return rule;
}

}  // namespace posenc::model
