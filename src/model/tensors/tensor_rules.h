// tensor_rules.h: what the names and shapes of tensors say of positions.
//
// A rule is a row of the table in tensor_rules.cc: how a name ends, which part it belongs to, and
// how its shape is read. RoPE and ALiBi leave no tensor, but for the frequencies that some files
// keep.
#pragma once

#include "model/config.h"
#include "model/tensors/tensor_files.h"

namespace posenc::model {

struct TensorRule;

// Tensors of one rule in one part of a model, sorted by name: those of all layers.
struct TensorGroup {
  const TensorRule& rule;
  std::string where;
  std::vector<const HeldTensor*> tensors;
  const TensorFiles& files;
  Journal& journal;

  const HeldTensor& first() const { return *tensors.front(); }
  const std::vector<int64_t>& shape() const { return first().stored.shape; }
  // The name, with N for the number of a layer where there are several.
  std::string weight() const;
  void trap(std::string text) const { journal.note(NoteKind::trap, where, std::move(text)); }
};

// The component, or nothing where the shape is not what the name promises.
using TensorReader = std::optional<Component> (*)(const TensorGroup& group);

struct TensorRule {
  std::string_view ending;  // a whole name, or what comes after a dot
  std::string_view where;   // empty: as the name says, "vision", "decoder", ...
  TensorReader read;        // none: known, and told by another tensor
};

// tensor_tables.cc: tables with a row for each position.
std::optional<Component> read_table(const TensorGroup& group);
std::optional<Component> read_shifted_table(const TensorGroup& group);  // first row not known
std::optional<Component> read_two_tables(const TensorGroup& group);
// tensor_biases.cc: what is added to scores, and what turns.
std::optional<Component> read_buckets(const TensorGroup& group);
std::optional<Component> read_buckets_by_head(const TensorGroup& group);
std::optional<Component> read_buckets_by_side(const TensorGroup& group);
std::optional<Component> read_window_bias(const TensorGroup& group);
std::optional<Component> read_window_network(const TensorGroup& group);
std::optional<Component> read_deberta(const TensorGroup& group);
std::optional<Component> read_xlnet(const TensorGroup& group);
std::optional<Component> read_sinusoid_biases(const TensorGroup& group);
std::optional<Component> read_distances(const TensorGroup& group);
std::optional<Component> read_sides(const TensorGroup& group);
std::optional<Component> read_convolution(const TensorGroup& group);
std::optional<Component> read_fourier(const TensorGroup& group);
std::optional<Component> read_boxes(const TensorGroup& group);
std::optional<Component> read_graph(const TensorGroup& group);
std::optional<Component> read_frequencies(const TensorGroup& group);

// All components that the tensors tell; what looks like positions and is not read becomes a note.
std::vector<Component> components_of(const TensorFiles& files, Journal& journal);

}  // namespace posenc::model
