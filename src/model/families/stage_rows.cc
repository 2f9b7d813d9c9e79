// stage_rows.cc: encoders of pictures with several tables: of stages, of time, of offsets.
#include "base/text.h"
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// A table for every stage, the last with a class token.
void read_pvt(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  Sides picture = sides_of(config, "image_size", {224, 224});
  const auto patches = sizes_of(config, "patch_sizes", {4, 2, 2, 2});
  const auto widths = sizes_of(config, "hidden_sizes", {64, 128, 320, 512});
  if (widths.size() != patches.size())
    fail(ErrorKind::data, "read", "expected ", config.path(), "hidden_sizes for ", patches.size(),
         " stages, as patch_sizes has, got ", widths.size());
  for (size_t i = 0; i < patches.size(); ++i) {
    if (patches[i] < 1 || widths[i] < 1)
      fail(ErrorKind::data, "read", "expected ", config.path(),
           "patch_sizes and hidden_sizes of at least 1, got ", patches[i], " and ", widths[i]);
    picture = grid_of(config, picture, {patches[i], patches[i]});
    const int64_t prefix = i + 1 == patches.size() ? 1 : 0;
    reading.add(
        reading.where + ", stage " + std::to_string(i + 1),
        patch_table(picture, prefix, widths[i],
                    "encoder.patch_embeddings." + std::to_string(i) + ".position_embeddings"));
  }
}

// Patches overlap: their number follows from the strides.
void read_hiera(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_stride", {4, 4}));
  reading.add(
      patch_table(grid, 0, size_of(config, "embed_dim", 96), "embeddings.position_embeddings"));
}

void add_time_table(const Reading& reading, int64_t frames, int64_t dim, std::string weight) {
  reading.add(reading.where + ", time",
              learned_table({.rows = frames,
                             .dim = dim,
                             .weight = std::move(weight),
                             .positions = "frames, from 0; resized where there are others"}));
}

// One table for patches of a frame, one for frames.
void read_timesformer(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size", 768);
  reading.add(
      patch_table(patches_of(config, row.patches), 1, dim, "embeddings.position_embeddings"));
  if (config.text({"attention_type"}).value_or("divided_space_time") == "space_only") return;
  add_time_table(reading, size_of(config, "num_frames", 8), dim, "embeddings.time_embeddings");
}

void read_videoprism(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size", 768);
  const auto tube = tube_of(config, {1, 18, 18});
  const Sides grid =
      grid_of(config, sides_of(config, "image_size", {288, 288}), {tube[1], tube[2]});
  reading.add(patch_table(grid, 0, dim, "spatial_embeddings.position_embeddings"));
  add_time_table(reading, size_of(config, "num_frames", 16) / tube[0], dim,
                 "temporal_embeddings.position_embeddings");
}

}  // namespace

std::span<const ModelRow> stage_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "pvt", .where = "vision", .read = read_pvt},
      {.types = "hiera", .where = "vision", .read = read_hiera},
      {.types = "timesformer", .where = "vision", .read = read_timesformer},
      {.types = "videoprism_vision_model", .where = "vision", .read = read_videoprism},
  };
  return rows;
}

}  // namespace posenc::model
