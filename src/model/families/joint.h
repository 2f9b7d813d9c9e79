// joint.h: models made of a text model and what stands beside it, as data.
#pragma once

#include "model/families/parts.h"

namespace posenc::model {

// What to call parts whose configuration says nothing, or the name of the whole.
struct Joint {
  std::string_view types, text, vision, audio;
  bool flat = false;          // keys of the text may stand at the top
  std::string_view prefix{};  // of the picture encoder's weights
  // The type of a text whose gaps the class of the whole fills, which makes it `text`.
  std::string_view filled = "";
};

std::span<const Joint> joint_rows();

// Reads the text of a model of several, under its keys or, where `flat`, at the top. A text that
// says nothing of its type, or that it is `filled`, is `otherwise`.
void read_joint_text(const Reading& reading, std::string_view otherwise, bool flat,
                     std::string_view filled = "");
// Puts the name of the part before the names of its weights, from the first component on.
void prefix_weights(const Reading& reading, size_t first, std::string_view prefix);

// Tells by how much the first coordinate grows in a second of a film or a sound.
void add_time_rate(const Reading& reading, const Config& config, std::string_view key,
                   int64_t otherwise);

std::vector<Family> compound_list();
std::vector<Family> remote_joint_list();  // whose code is not in transformers

}  // namespace posenc::model
