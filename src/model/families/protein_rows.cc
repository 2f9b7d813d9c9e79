// protein_rows.cc: proteins: atoms, residues and chains.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

// What turns by an atom's place, where the configuration inside says so.
constexpr ComponentRow atoms(std::string_view where, std::string_view inside) {
  return {
      .where = where,
      .scheme = "rope-3d",
      .positions = "three coordinates of an atom in space, and the number of what it belongs to",
      .facts = {{{"pairs_per_axis", "num_spatial_rope_pairs_per_axis"},
                 {"pairs_of_numbers", "num_uid_rope_pairs"},
                 {"base", "spatial_rope_base_frequency"},
                 {"base_of_numbers", "uid_rope_base_frequency"}}},
      .note = "halves; the remaining pairs are not rotated",
      .own = true,
      .inside = inside};
}

}  // namespace

std::span<const ModelRow> protein_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "esmfold2",
       .sub_configs = {{"esmc_config", "protein", "esmc"}},
       .components = {atoms("atoms", "atom_encoder"),
                      atoms("atoms, structure", "structure_head.diffusion_module.atom_encoder"),
                      {.where = "pairs",
                       .scheme = "relative-bins",
                       .positions = "distances between residues and between chains, clipped",
                       .facts = {{{"residue_bins", "num_relative_residx_bins"},
                                  {"chain_bins", "num_relative_chain_bins"},
                                  {"dim", "pairwise_hidden_size"}}},
                       .note =
                           "a linear layer of which bin a pair is in is added to the pairs; the "
                           "protein model inside rotates like esmc",
                       .weights = "input_embedder.rel_pos.embed.weight"}}},
      {.types = "EvollaModel",
       .sub_configs = {{"protein_encoder_config", "protein", "evolla_protein"}}},
      {.types = "evolla_protein",
       .where = "protein",
       .rope = {.sizes = {1280, 20, 33, 1026}},
       .read = read_saprot},
  };
  return rows;
}

}  // namespace posenc::model
