// cases.cc: the list of what is timed.
#include "case.h"

namespace posenc::bench {
namespace {

constexpr auto f64 = DType::f64, f16 = DType::f16, bf16 = DType::bf16;
constexpr int64_t far = int64_t{1} << 31;

std::string_view name_of(Verb verb) {
  constexpr std::string_view names[] = {"fill", "add", "embed", "scatter", "prepare"};
  return names[static_cast<size_t>(verb)];
}

std::string shape(const Case& c, const char* between) {
  return std::to_string(c.batch) + between + std::to_string(c.tokens) + between +
         std::to_string(c.dim);
}

}  // namespace

std::vector<Case> cases() {
  using enum Verb;
  return {
      {.verb = fill},
      {.verb = fill, .first = far - 4096},
      {.verb = fill, .tokens = 131072, .dim = 1024},
      {.verb = fill, .tokens = 131072, .dim = 1024, .first = far - 131072},
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
  };
}

std::string name(const Case& c) {
  const std::string verb(name_of(c.verb));
  if (c.verb == Verb::prepare) return verb + " " + std::to_string(c.dim);
  std::string text = verb + " " + std::string(to_string(c.dtype)) + " " + shape(c, "x");
  if (c.first) text += " to 2^31";
  if (c.kept) text += " kept rows";
  if (c.misaligned) text += " misaligned";
  if (c.ids == Ids::consecutive) text += " consecutive ids";
  if (c.ids == Ids::random) text += " random ids";
  return text;
}

std::string question(const Case& c) {
  if (c.verb == Verb::prepare || c.first || c.misaligned || c.ids != Ids::none) return "";
  return std::string(name_of(c.verb)) + " " + std::string(to_string(c.dtype)) + " " + shape(c, " ");
}

}  // namespace posenc::bench
