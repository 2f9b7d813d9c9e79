// gguf_rules.h: from the keys of a GGUF file to components, in steps.
#pragma once

#include "model/families/families.h"
#include "model/gguf/gguf.h"
#include "model/gguf/gguf_architectures.h"

namespace posenc::model {

// A file that is being read. Keys are those of its architecture, without that name before them;
// reading.type is the architecture.
struct GgufReading {
  const files::Source& source;
  const files::Gguf& file;
  const Reading& reading;
  const GgufArchitecture& is;

  const Config& config() const { return reading.config; }
};

// What each layer does.
struct GgufLayer {
  bool attends = true;  // else it is recurrent, or has no heads
  bool turns = true;
  bool sliding = false;  // sees a window
};
std::vector<GgufLayer> gguf_layers(const GgufReading& in);
std::optional<int64_t> gguf_window(const GgufReading& in, int64_t layers);

// A number that is the same for all layers, or a list of one for each: the list.
std::vector<int64_t> gguf_each(const GgufReading& in, std::string_view key, int64_t layers);

// Layers that turn alike.
struct GgufPart {
  std::string where;
  int64_t head_dim = 0, rotary_dim = 0;
  double base = 0;
  bool scaled = true, factors = true;  // by the length rule, by the factors in tensors
  bool plain_magnitude = false;        // the factor on cosines and sines is 1
  std::vector<int64_t> layers{};       // where not all

  bool turns_like(const GgufPart& other) const;
};

// The length rule of a part, and how it is told.
struct GgufScaling {
  Scaling rule = NoScaling{};
  FrequencySource frequencies = Powers{};
  Facts facts{};
  bool implemented = true;
  std::optional<double> softmax_scale{};  // of a latent head, where the rule changes it
};
GgufScaling gguf_scaling(const GgufReading& in, const GgufPart& part);

void read_gguf_rope(const GgufReading& in);
// The rest, by kind.
void read_gguf_others(const GgufReading& in, GgufKind kind);

}  // namespace posenc::model
