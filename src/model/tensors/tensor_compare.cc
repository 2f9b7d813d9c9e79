// tensor_compare.cc: a configuration against the tensors that lie beside it.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/formats.h"
#include "model/ready.h"
#include "model/tensors/tensor_rules.h"
#include "rotary/frequencies.h"

namespace posenc::model {
namespace {

constexpr std::string_view compared[] = {"rows",   "dim",       "num_buckets", "heads",
                                         "kernel", "groups",    "table_rows",  "rel_embedding_rows",
                                         "d_head", "rotary_dim"};

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
                             " holds frequencies other than those of the configuration, base " +
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

bool is_of_pictures(std::string_view tensor) {
  for (const char* sign : {"vision", "visual", "image", "audio"})
    if (tensor.find(sign) != tensor.npos) return true;
  return false;
}

// Weights that were moved to another layout are turned in that one, whatever the model's class
// does.
void use_layout(Model& model, std::string_view tensor, const std::string& layout) {
  for (Component& part : model.components) {
    Rope* rope = part.ready ? std::get_if<Rope>(&*part.ready) : nullptr;
    if (!rope || !part.where.starts_with(is_of_pictures(tensor) ? "vision" : "text")) continue;
    const Layout moved = layout == "half" ? Layout::half : Layout::interleaved;
    if (rope->layout == moved) continue;
    const std::string was(enum_name(*rope->layout));
    rope->layout = moved;
    for (auto& [name, value] : part.facts)
      if (name == "layout") value = layout;
    part.keys.push_back("posenc." + std::string(tensor) + " = layout " + layout);
    model.notes.push_back({NoteKind::conflict, part.where,
                           "posenc convert has moved the weights to layout " + layout +
                               "; the model's own code rotates " + was +
                               " and gives wrong scores with them"});
  }
}

bool has_tables(const Model& model) {
  return std::any_of(model.components.begin(), model.components.end(), adds_rows);
}

}  // namespace

void compare_with_tensors(Model& model, const std::string& folder) {
  const TensorFiles files = files_beside(folder);
  for (const auto& [tensor, layout] : files.layouts())
    if (layout == "half" || layout == "interleaved") use_layout(model, tensor, layout);
  Journal journal;  // what the tensors alone would tell is told better by the configuration
  for (const Component& stored : components_of(files, journal)) {
    if (const Component* said = partner(model.components, stored)) {
      compare_facts(model, *said, stored);
      if (stored.scheme == "rope") compare_frequencies(model, *said, stored);
    } else if (stored.scheme == "learned" && !has_tables(model)) {
      model.notes.push_back({NoteKind::conflict, "",
                             "there is a table of positions, " + stored.keys.front() +
                                 ", which the configuration does not mention"});
    }
  }
}

std::optional<TensorAt> tensor_in(const std::string& folder, std::string_view name) {
  const TensorFiles files = files_beside(folder);
  for (const HeldTensor& tensor : files.tensors())
    if (files::same_tensor(tensor.stored.name, name))
      return TensorAt{files.path_of(tensor), tensor.stored.name};
  return {};
}

}  // namespace posenc::model
