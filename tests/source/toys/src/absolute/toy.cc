// toy.cc: cosines whose frequencies are halved from column to column.
#include "posenc/absolute/toy.h"

namespace posenc {

Fields Toy::fields() { return {{"dim", &Toy::dim, "columns"}}; }

std::vector<Preset<Toy>> Toy::presets() { return {{"tiny", "two columns", {.dim = 2}}}; }

void Toy::check() const { check_size(name, "dim", dim); }

std::vector<Wave> Toy::waves(std::span<const Tensor>) const {
  std::vector<Wave> out;
  for (const Frequency& f : geometric(dim, {2}, 1, 1)) out.push_back(cosine(f));
  return out;
}

}  // namespace posenc
