// arrange.cc: axes put in order by their strides.
#include "cli/tables/arrange.h"

#include <algorithm>

#include "base/text.h"
#include "cli/error.h"

namespace posenc::cli {

std::string only_letters(const std::string& whose, const Array& array) {
  if (array.shape.size() == 2) return "td";
  refuse("expected --shape, because ", whose, " is ", files::shape_text(array.shape),
         " and its order of axes cannot be guessed, got none; write --shape ",
         array.shape.size() == 3 ? "thd for [tokens, heads, dim], htd for [heads, tokens, dim] or "
                                   "btd for [batch, tokens, dim]"
                                 : "bthd for [batch, tokens, heads, dim] or bhtd for [batch, "
                                   "heads, tokens, dim]");
}

Tensor arranged(const std::string& whose, const Array& array, const std::string& letters) {
  const auto count = [&](char letter) {
    return std::count(letters.begin(), letters.end(), letter);
  };
  if (count('t') != 1 || count('d') != 1 || count('h') > 1 ||
      letters.find_first_not_of("bthd") != letters.npos)
    refuse("expected --shape such as bthd, with t and d once, h once at most and b for any other ",
           "axis, got '", letters, "'");
  const Tensor x = array.view();
  const auto named = static_cast<int>(letters.size());
  const bool no_heads = count('h') == 0;
  if (x.rank < named || x.rank + no_heads > max_rank || !is_float(x.dtype))
    fail("apply", whose, ": expected an array f32, f64, f16 or bf16 whose last axes are ", letters,
         ", got ", describe(x));
  Tensor out = x;
  out.rank = 0;
  const auto append = [&](int axis) {
    out.shape[static_cast<size_t>(out.rank)] = x.size(axis);
    out.stride[static_cast<size_t>(out.rank++)] = x.step(axis);
  };
  const int first = x.rank - named;
  const auto axis_of = [&](char letter) { return first + static_cast<int>(letters.find(letter)); };
  for (int axis = 0; axis < x.rank; ++axis)
    if (axis < first || letters[static_cast<size_t>(axis - first)] == 'b') append(axis);
  append(axis_of('t'));
  if (no_heads) {
    out.shape[static_cast<size_t>(out.rank)] = 1, out.stride[static_cast<size_t>(out.rank++)] = 0;
  } else {
    append(axis_of('h'));
  }
  append(axis_of('d'));
  return out;
}

}  // namespace posenc::cli
