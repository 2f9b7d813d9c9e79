// temporal.cc: the fixed encoding of time stamps in temporal graph networks (PyTorch Geometric).
#include "posenc/absolute/temporal.h"

namespace posenc {

Fields Temporal::fields() { return {{"dim", &Temporal::dim, "columns"}}; }

std::vector<Preset<Temporal>> Temporal::presets() {
  return {{"pyg", "torch_geometric TemporalEncoding", {}}};
}

void Temporal::check() const { check_size(name, "dim", dim); }

std::vector<Wave> Temporal::waves(std::span<const Tensor>) const {
  std::vector<Wave> out;
  for (const Frequency& f : geometric_root(dim)) out.push_back(cosine(f));
  return out;
}

}  // namespace posenc
