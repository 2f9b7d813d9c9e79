// tensor_compare.cc: a configuration against the tensors that lie beside it.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/formats.h"
#include "model/tensors/tensor_rules.h"
#include "model/text.h"
#include "rotary/frequencies.h"

namespace posenc::model {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t longest_index = uint64_t{1} << 28;
constexpr std::string_view compared[] = {"rows",   "dim",       "num_buckets", "heads",
                                         "kernel", "groups",    "table_rows",  "rel_embedding_rows",
                                         "d_head", "rotary_dim"};

// Those of the files that are there.
TensorFiles files_beside(const std::string& folder) {
  TensorFiles out;
  const fs::path index = fs::path(folder) / "model.safetensors.index.json";
  const fs::path single = fs::path(folder) / "model.safetensors";
  if (fs::exists(index)) {
    const files::Source source("read", index.string());
    if (source.size() > longest_index)
      source.refuse("expected an index of at most ", longest_index, " bytes, got ", source.size());
    const Json json = files::parse_json("read", source.text(0, source.size()));
    for (const std::string& path : files_of_index(index, json))
      if (fs::exists(path)) out.add(path);
  } else if (fs::exists(single)) {
    out.add(single);
  }
  return out;
}

std::string text_of(const Component& part, std::string_view fact) {
  const Value* value = part.find(fact);
  return value ? text::write(*value) : "";
}

bool same_weight(const Component& a, const Component& b) {
  const std::string x = text_of(a, "weight"), y = text_of(b, "weight");
  return !x.empty() && !y.empty() && files::same_tensor(x, y);
}

// What the configuration says of the same thing; nothing where that is not clear.
const Component* partner(const std::vector<Component>& said, const Component& stored) {
  std::vector<const Component*> alike;
  for (const Component& part : said)
    if (part.scheme == stored.scheme) alike.push_back(&part);
  for (const Component* part : alike)
    if (same_weight(*part, stored)) return part;
  for (const Component* part : alike)
    if (part->where.starts_with(stored.where)) return part;
  const auto side = [](const Component& part) {
    return part.where == "encoder" || part.where == "decoder";
  };
  const bool clear = alike.size() == 1 && !(side(*alike.front()) && side(stored));
  return clear ? alike.front() : nullptr;
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::abs(x - y) <= 1e-2 * std::max(std::abs(x), std::abs(y));
  });
}

// Code that divides positions keeps the frequencies unscaled: both are right.
bool turns_so(const Rope& rope, const std::vector<double>& stored, int64_t length) {
  Rope plain = rope;
  plain.scaling = NoScaling{};
  for (const Rope& r : {rope, plain}) {
    std::vector<double> own;
    for (const Frequency& f : pair_frequencies(r, length)) own.push_back(radians(f));
    if (are_close(own, stored)) return true;
  }
  return false;
}

void compare_frequencies(Model& model, const Component& said, const Component& stored) {
  const auto* rope = said.ready ? std::get_if<Rope>(&*said.ready) : nullptr;
  const auto* list = stored.find("frequencies");
  if (!rope || !list || rope->turning() != std::get<int64_t>(*stored.find("rotary_dim"))) return;
  const auto& numbers = std::get<std::vector<double>>(*list);
  if (turns_so(*rope, numbers, 1)) return;
  const Value* base = stored.find("base");
  model.notes.push_back({NoteKind::conflict, said.where,
                         text_of(stored, "weight") +
                             " holds other frequencies than the "
                             "configuration makes, base " +
                             text::write(rope->base) +
                             (base ? ": those of base " + text::write(*base) : "")});
}

void compare_facts(Model& model, const Component& said, const Component& stored) {
  for (const std::string_view fact : compared) {
    const std::string a = text_of(said, fact), b = text_of(stored, fact);
    if (a.empty() || b.empty() || a == b) continue;
    model.notes.push_back({NoteKind::conflict, said.where,
                           "the configuration says " + std::string(fact) + " = " + a +
                               ", the tensor " + stored.keys.front() + " says " + b});
  }
}

bool has_tables(const Model& model) {
  return std::any_of(model.components.begin(), model.components.end(), [](const Component& part) {
    return part.scheme.starts_with("learned") || part.scheme.starts_with("sinusoidal");
  });
}

}  // namespace

void compare_with_tensors(Model& model, const std::string& folder) {
  const TensorFiles files = files_beside(folder);
  Journal journal;  // what the tensors alone would tell is told better by the configuration
  for (const Component& stored : components_of(files, journal)) {
    if (const Component* said = partner(model.components, stored)) {
      compare_facts(model, *said, stored);
      if (stored.scheme == "rope") compare_frequencies(model, *said, stored);
    } else if (stored.scheme == "learned" && !has_tables(model)) {
      model.notes.push_back({NoteKind::conflict, "",
                             "there is a table of positions, " + stored.keys.front() +
                                 ", of which the configuration does not speak"});
    }
  }
}

}  // namespace posenc::model
