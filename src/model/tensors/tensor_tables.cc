// tensor_tables.cc: tables with a row for each position, by the shape of their tensors.
#include "model/ready.h"
#include "model/tensors/tensor_rules.h"

namespace posenc::model {
namespace {

// [rows, dim], also with ones before; [1, height, width, dim] is a grid of rows.
struct StoredTable {
  int64_t rows = 0, dim = 0;
  std::vector<double> grid{};
};

std::optional<StoredTable> table_of(std::vector<int64_t> shape) {
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 2) return StoredTable{shape[0], shape[1]};
  if (shape.size() != 3) return {};
  return StoredTable{shape[0] * shape[1],
                     shape[2],
                     {static_cast<double>(shape[0]), static_cast<double>(shape[1])}};
}

}  // namespace

std::optional<Component> read_table(const TensorGroup& group) {
  const auto table = table_of(group.shape());
  if (!table) return {};
  Component out{group.where, "learned", {}};
  out.facts = {{"rows", table->rows},
               {"dim", table->dim},
               {"position_offset", int64_t{0}},
               {"weight", group.weight()}};
  if (!table->grid.empty()) out.facts.emplace_back("grid", table->grid);
  out.positions = "from 0";
  set_ready(out, Learned{.dim = table->dim, .rows = table->rows});
  group.trap(
      "a stored table may hold fixed sinusoids (MAE, DiT): its numbers are the same to use either "
      "way");
  return out;
}

std::optional<Component> read_shifted_table(const TensorGroup& group) {
  const auto table = table_of(group.shape());
  if (!table) return {};
  Component out{group.where, "learned", {}};
  out.facts = {{"rows", table->rows}, {"dim", table->dim}, {"weight", group.weight()}};
  out.positions = "not known: which row the first token reads is not stored";
  group.trap(
      "which row the first token reads is not stored: 0 in BERT, Whisper and Marian, 2 in RoBERTa, "
      "BART and OPT; config.json decides");
  return out;
}

std::optional<Component> read_two_tables(const TensorGroup& group) {
  const auto& shape = group.shape();
  Component out{group.where, "learned-2d", {}};
  if (shape.size() == 3 && shape[0] == 2)
    out.facts = {{"rows_per_axis", shape[1]}, {"dim", shape[2]}};
  else if (shape.size() == 2)
    out.facts = {{"rows_per_axis", shape[0]}, {"dim", shape[1]}};
  else
    return {};
  out.facts.emplace_back("weight", group.weight());
  out.positions = "two coordinates";
  if (shape.size() == 3) set_ready(out, two_tables(shape[1], shape[2]));
  return out;
}

}  // namespace posenc::model
