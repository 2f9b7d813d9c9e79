// row_groups.cc: the lists of rows, in the order in which types are looked for.
#include "model/families/text_readers.h"

namespace posenc::model {

std::span<const ModelRow> plain_rows(), layered_rows(), latent_rows(), special_rows(),
    named_joint_rows(), compound_rows();
std::span<const ModelRow> table_rows(), paired_rows(), bias_rows(), layout_rows(), singular_rows();
std::span<const ModelRow> patch_rows(), grid_rows(), window_rows(), decomposed_rows(), detr_rows(),
    timm_rows(), detector_rows(), segment_rows(), picture_rows(), protein_rows();
std::span<const ModelRow> conformer_rows(), series_rows(), audio_rows(), sound_rows();

namespace {

// Keys that say what is so in any case.
void pass_idle(const Reading& reading) {
  const Config& config = reading.config;
  for (const std::string_view key : {"use_mrope", "rope_interleaved", "flash_rotary"}) {
    const Json* value = config.json().find(key);
    const bool* flag = value ? std::get_if<bool>(&value->value) : nullptr;
    if (flag && !*flag) config.pass({key});
  }
  config.pass({"rotary", "sliding_window_size", "original_max_position_embeddings"});
}

// LLaVA's own files name their picture encoder, and say nothing else of it.
void add_named_encoder(const Reading& reading) {
  if (const auto name = reading.config.text({"mm_vision_tower"}))
    reading.add({"vision", "unknown", {{"model", *name}}});
}

}  // namespace

const RowGroup& text_rows() {
  static const RowGroup all{
      {plain_rows(), layered_rows(), latent_rows(), special_rows()}, read_alike, pass_idle};
  return all;
}

const RowGroup& part_rows() {
  static const RowGroup all{
      {table_rows(), paired_rows(), bias_rows(), layout_rows(), singular_rows(), patch_rows(),
       grid_rows(), window_rows(), decomposed_rows(), detr_rows(), timm_rows(), detector_rows(),
       segment_rows(), picture_rows(), protein_rows(), sound_rows(), conformer_rows(),
       series_rows(), audio_rows()},
      read_parts_alone};
  return all;
}

const RowGroup& joint_rows() {
  static const RowGroup all{{named_joint_rows(), compound_rows()}, read_joint, add_named_encoder};
  return all;
}

std::array<const RowGroup*, 3> row_groups() { return {&text_rows(), &part_rows(), &joint_rows()}; }

}  // namespace posenc::model
