// stage_families.cc: encoders of pictures with several tables: of stages, of time, of offsets.
#include "base/text.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

// A table for every stage, the last with a class token.
void read_pvt(const Reading& outer) {
  const Reading reading = named(outer, "vision");
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
    Component out =
        patch_table(picture, prefix, widths[i],
                    "encoder.patch_embeddings." + std::to_string(i) + ".position_embeddings");
    out.where = reading.where + ", stage " + std::to_string(i + 1);
    reading.add(std::move(out));
  }
}

// Patches overlap: their number follows from the strides.
void read_hiera(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_stride", {4, 4}));
  reading.add(
      patch_table(grid, 0, size_of(config, "embed_dim", 96), "embeddings.position_embeddings"));
}

Component time_table(int64_t frames, int64_t dim, std::string weight) {
  TrainedTable table{frames, dim};
  table.weight = std::move(weight);
  table.positions = "frames, from 0; resized where there are others";
  return learned_table(table);
}

// One table for patches of a frame, one for frames.
void read_timesformer(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size", 768);
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  reading.add(patch_table(grid, 1, dim, "embeddings.position_embeddings"));
  if (config.text({"attention_type"}).value_or("divided_space_time") == "space_only") return;
  Component out = time_table(size_of(config, "num_frames", 8), dim, "embeddings.time_embeddings");
  out.where = reading.where + ", time";
  reading.add(std::move(out));
}

void read_videoprism(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size", 768);
  const auto tube = sizes_of(config, "tubelet_size", {1, 18, 18});
  if (tube.size() != 3 || tube[0] < 1 || tube[1] < 1 || tube[2] < 1)
    config.refuse("tubelet_size", "three sizes", *config.json().find("tubelet_size"));
  const Sides grid =
      grid_of(config, sides_of(config, "image_size", {288, 288}), {tube[1], tube[2]});
  reading.add(patch_table(grid, 0, dim, "spatial_embeddings.position_embeddings"));
  Component out = time_table(size_of(config, "num_frames", 16) / tube[0], dim,
                             "temporal_embeddings.position_embeddings");
  out.where = reading.where + ", time";
  reading.add(std::move(out));
}

}  // namespace

std::vector<Family> stage_list() {
  return {{"pvt", read_pvt},
          {"hiera", read_hiera},
          {"timesformer", read_timesformer},
          {"videoprism_vision_model", read_videoprism}};
}

}  // namespace posenc::model
