// gguf_architectures.h: what llama.cpp knows of an architecture that a GGUF file does not say.
//
// Read from llama.cpp: its table of rope types, and what each model's own file reads and builds. A
// new architecture is a name in the lists of gguf_architectures.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace posenc::model {

// The whole of what positions do to a model of the architecture.
enum class GgufKind : uint8_t {
  unknown,
  none,       // no encoding at all
  rope,       // queries and keys turn
  learned,    // position_embd.weight
  alibi,      // with the greatest bias that the code fixes
  alibi_key,  // with the greatest bias of attention.max_alibi_bias; without, a table or nothing
  t5,         // an encoder and a decoder
  t5_encoder,
  projector,  // the vision or audio encoder of another file
};
GgufKind gguf_kind(std::string_view architecture);

// Which features form a pair, and which coordinate turns it.
enum class GgufTurn : uint8_t { norm, neox, mrope, imrope };
// `sections`: whether rope.dimension_sections is there and not zero.
GgufTurn gguf_turn(std::string_view architecture, bool sections);

// Which layers see a window of the text, and how their rotation differs.
struct GgufWindows {
  std::string_view architectures;  // with blanks between
  int64_t period;                  // one layer of so many sees all; 0: a list must say it
  bool full_first;                 // it is the first of them, not the last
  bool own_base;                   // rope.freq_base_swa, 10000 where it is absent
  bool scaled;                     // the length rule holds for those layers too
};
const GgufWindows* gguf_windows(std::string_view architecture);

// Traits that are lists of names.
enum class GgufTrait : uint8_t {
  permuted,         // the converter reorders rows of q and k from half to interleaved
  factors,          // the graph reads rope_freqs and rope_factors
  factors_in_full,  // the same, in layers that see all
  latent,           // MLA: the last features of a head turn, one vector for all keys
  full_is_nope,     // layers that see all have no positions
  fourth_is_nope,   // layers i with (i + 1) % 4 == 0
  finetuned,        // rope.scaling.finetuned = false means no rotation
  interval,         // recurrent layers by full_attention_interval
  log_multiplier,   // reads rope.scaling.yarn_log_multiplier
  log_tenth,        // and stores a tenth of it
  betas,            // reads the betas of yarn
};
bool gguf_has(std::string_view architecture, GgufTrait trait);

}  // namespace posenc::model
