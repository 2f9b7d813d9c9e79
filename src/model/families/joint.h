// joint.h: models made of a text model and what stands beside it.
#pragma once

#include "model/families/model_row.h"

namespace posenc::model {

// Reads the text of a model of several, under its keys or, where `flat`, at the top. A text that
// says nothing of its type, or that it is `filled`, is `otherwise`.
void read_joint_text(const Reading& reading, std::string_view otherwise, bool flat,
                     std::string_view filled = "");
// Puts the name of the part before the names of its weights, from the first component on.
void prefix_weights(const Reading& reading, size_t first, std::string_view prefix);

// Tells by how much the first coordinate grows in a second of a film or a sound.
void add_time_rate(const Reading& reading, const Config& config, std::string_view key,
                   int64_t otherwise);

std::span<const ModelRow> named_joint_rows();   // that differ in the names of their parts
std::span<const ModelRow> compound_rows();      // with readers of their own
std::span<const ModelRow> remote_joint_rows();  // whose code is not in transformers

}  // namespace posenc::model
