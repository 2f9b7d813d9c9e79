// padding.cc: tokens are counted, padded slots are not.
#include "posenc/positions/padding.h"

#include "base/batch.h"
#include "base/check.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

void check_mask(const Tensor& mask) {
  if (mask.rank < 1 || mask.rank > 2 || (mask.dtype != DType::i32 && mask.dtype != DType::i64))
    fail(ErrorKind::tensor, "padded",
         "expected a mask as i32 or i64 [tokens] or [rows, tokens], got ", describe(mask));
  check_host_memory("padded", "a mask", mask);
}

void check_rule(const Padding& rule, const Tensor& mask, int64_t past) {
  check_run("padded", rule.first, mask.size(-1));
  if (past < 0 || past > mask.size(-1))
    fail("padded", "expected past from 0 to the ", mask.size(-1), " tokens of the mask, got ",
         past);
}

}  // namespace

std::vector<Preset<Padding>> Padding::presets() {
  return {{"transformers", "count tokens from 0; padded slots are at 0", {0, 0}},
          {"transformers-4", "count tokens from 0; padded slots are at 1", {0, 1}},
          {"roberta", "tokens from 0, padding at -1; its preset adds 2", {0, -1}},
          {"fairseq", "tokens from 0, padding at -1; its preset adds 2", {0, -1}},
          {"opt", "tokens from 0, padding at -1; its preset adds 2", {0, -1}},
          {"roberta-rows", "rows of its table: tokens from 2, padding at 1", padding_rows(1)},
          {"fairseq-rows", "rows of its tables: tokens from 2, padding at 1", padding_rows(1)},
          {"opt-rows", "rows of its table: tokens from 2, padding at 1", padding_rows(1)}};
}

PlannedPositions padded(const Tensor& mask, const Padding& rule, int64_t past) {
  check_mask(mask);
  check_rule(rule, mask, past);
  const Batch batch(mask, 1);
  auto out = make<int64_t>("padded", 1, batch.rows, mask.size(-1) - past);
  auto id = out.ids.begin();
  for (int64_t row = 0; row < batch.rows; ++row) {
    int64_t count = 0;
    for (int64_t token = 0; token < batch.tokens(); ++token) {
      const int64_t bit = integer(mask.dtype, batch.at(row, token));
      if (bit != 0 && bit != 1)
        fail("padded", "expected a mask of 0 and 1, got ", bit, " at row ", row, ", token ", token);
      if (token >= past) *id++ = bit ? rule.first + count : rule.padded;
      count += bit;
    }
  }
  return out;
}

}  // namespace posenc
