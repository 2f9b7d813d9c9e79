// cases.cc: the list of what is timed.
#include "case.h"

namespace posenc::bench {
namespace {

constexpr auto f64 = DType::f64, f16 = DType::f16, bf16 = DType::bf16;
constexpr auto interleaved = Layout::interleaved;
constexpr int64_t most_position = int64_t{1} << 31;

std::string_view name_of(Verb verb) {
  constexpr std::string_view names[] = {"fill",     "add",    "embed",          "scatter",
                                        "prepare",  "rotate", "rotate_adjoint", "bias",
                                        "bias_add", "attend"};
  static_assert(std::size(names) == static_cast<size_t>(Verb::attend) + 1);
  return names[static_cast<size_t>(verb)];
}

std::string_view name_of(Encoded encoding) {
  constexpr std::string_view names[] = {"none", "rope", "alibi", "t5"};
  return names[static_cast<size_t>(encoding)];
}

bool is_rotary(const Case& c) { return c.verb == Verb::rotate || c.verb == Verb::rotate_adjoint; }

std::string shape(const Case& c, const char* between) {
  const int64_t outer = is_rotary(c) ? query_heads + key_heads : c.batch;
  return std::to_string(outer) + between + std::to_string(c.tokens) + between +
         std::to_string(c.dim);
}

// A long text, a short one and one more token, with rows kept and made on the way.
void add_rotary(std::vector<Case>& out) {
  for (int64_t tokens : {8192, 512, 1})
    for (DType dtype : {DType::f32, bf16, f16})
      for (Layout layout : {Layout::half, interleaved})
        for (bool kept : {true, false})
          out.push_back({.verb = Verb::rotate,
                         .dtype = dtype,
                         .tokens = tokens,
                         .dim = 128,
                         .single = tokens == 1,
                         .kept = kept,
                         .layout = layout});
}

}  // namespace

std::vector<Case> cases() {
  using enum Verb;
  std::vector<Case> out{
      {.verb = fill},
      {.verb = fill, .first = most_position - 4096},
      {.verb = fill, .tokens = 131072, .dim = 1024},
      {.verb = fill, .tokens = 131072, .dim = 1024, .first = most_position - 131072},
      {.verb = fill, .dtype = bf16},
      {.verb = fill, .dtype = f16},
      {.verb = fill, .dtype = f64},
      {.verb = fill, .dim = 511},
      {.verb = fill, .misaligned = 3},
      {.verb = fill, .ids = Ids::consecutive},
      {.verb = fill, .ids = Ids::random},
      {.verb = fill, .tokens = 1, .single = true},
      {.verb = add, .batch = 8},
      {.verb = add, .dtype = bf16, .batch = 8},
      {.verb = add, .dtype = f16, .batch = 8},
      {.verb = add},
      {.verb = add, .kept = true},
      {.verb = add, .dtype = bf16},
      {.verb = add, .dtype = bf16, .kept = true},
      {.verb = add, .dtype = f16},
      {.verb = add, .batch = 32, .tokens = 10},
      {.verb = add, .dtype = bf16, .batch = 32, .tokens = 10},
      {.verb = add, .tokens = 1, .single = true},
      {.verb = add, .tokens = 1, .single = true, .kept = true},
      {.verb = add, .dtype = bf16, .tokens = 1, .single = true},
      {.verb = add, .batch = 8, .ids = Ids::random},
      {.verb = embed, .batch = 8, .tokens = 2048},
      {.verb = embed, .batch = 8, .tokens = 2048, .kept = true},
      {.verb = embed, .dtype = bf16, .batch = 8, .tokens = 2048},
      {.verb = scatter, .batch = 8, .tokens = 2048},
      {.verb = scatter, .dtype = bf16, .batch = 8, .tokens = 2048},
      {.verb = prepare, .single = true},
      {.verb = prepare, .dim = 4096, .single = true},
      {.verb = rotate_adjoint, .tokens = 8192, .dim = 128},
      {.verb = rotate_adjoint, .tokens = 8192, .dim = 128, .kept = true},
      {.verb = bias, .batch = 32, .tokens = 2048, .dim = 2048, .encoding = Encoded::alibi},
      {.verb = bias, .batch = 32, .tokens = 2048, .dim = 2048, .encoding = Encoded::t5},
      {.verb = bias_add, .batch = 32, .tokens = 2048, .dim = 2048, .encoding = Encoded::alibi},
      {.verb = bias_add, .batch = 32, .tokens = 2048, .dim = 2048, .encoding = Encoded::t5},
      {.verb = bias_add,
       .batch = 32,
       .tokens = 1,
       .dim = 4096,
       .first = 4095,
       .single = true,
       .encoding = Encoded::alibi},
      {.verb = bias_add,
       .batch = 32,
       .tokens = 1,
       .dim = 4096,
       .first = 4095,
       .single = true,
       .encoding = Encoded::t5},
      {.verb = attend, .batch = 32, .tokens = 1024, .dim = 128, .encoding = Encoded::rope},
      {.verb = attend, .batch = 32, .tokens = 1024, .dim = 128, .encoding = Encoded::alibi},
      {.verb = attend, .batch = 32, .tokens = 1024, .dim = 128, .encoding = Encoded::t5},
  };
  add_rotary(out);
  return out;
}

std::string name(const Case& c) {
  const std::string verb(name_of(c.verb));
  if (c.verb == Verb::prepare) return verb + " " + std::to_string(c.dim);
  std::string text = verb + " " + std::string(to_string(c.dtype)) + " " + shape(c, "x");
  if (c.first && c.verb == Verb::fill) text += " to 2^31";
  if (is_rotary(c)) text += c.layout == interleaved ? " interleaved" : " half";
  if (c.encoding != Encoded::none) text += " " + std::string(name_of(c.encoding));
  if (c.kept) text += " kept rows";
  if (c.misaligned) text += " misaligned";
  if (c.ids == Ids::consecutive) text += " consecutive ids";
  if (c.ids == Ids::random) text += " random ids";
  return text;
}

std::string question(const Case& c) {
  if (c.verb == Verb::bias)
    return "bias_" + std::string(name_of(c.encoding)) + " " + std::string(to_string(c.dtype)) +
           " " + shape(c, " ");
  if (c.verb >= Verb::bias || c.verb == Verb::prepare || c.first || c.misaligned ||
      c.ids != Ids::none || c.layout == interleaved)
    return "";
  return std::string(name_of(c.verb)) + " " + std::string(to_string(c.dtype)) + " " + shape(c, " ");
}

}  // namespace posenc::bench
