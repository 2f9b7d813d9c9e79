// gguf_architectures.h: what llama.cpp knows of an architecture that a GGUF file does not say.
//
// Read from llama.cpp: its table of rope types, and what each model's own file reads and builds. An
// architecture is one row of gguf_architectures.cc; one like another is a name in its row.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace posenc::model {

// The whole of what positions do to a model of the architecture.
enum class GgufKind : uint8_t {
  none,       // no encoding at all
  rope,       // queries and keys turn
  learned,    // position_embd.weight
  alibi,      // with the greatest bias that the code fixes
  alibi_key,  // with the greatest bias of attention.max_alibi_bias; without, a table or nothing
  t5,         // an encoder and a decoder
  t5_encoder,
  projector,  // the vision or audio encoder of another file
};

// Which features form a pair, and which coordinate turns it.
enum class GgufTurn : uint8_t { norm, neox, mrope, imrope };

// Which layers see a window of the text, and how their rotation differs.
struct GgufWindows {
  int64_t period = 0;       // one layer of so many sees all; 0: a list must say it
  bool full_first = false;  // it is the first of them, not the last
  bool own_base = false;    // rope.freq_base_swa, 10000 where it is absent
  bool scaled = false;      // the length rule holds for those layers too
  int64_t size = 0;         // of the window, where the file says nothing
  bool fixed = false;       // and where it says something
  bool always = false;      // also where the file has no attention.sliding_window
  int64_t layers = 0;       // only models of so many layers have it
};

struct GgufArchitecture {
  std::string_view names;  // with blanks between
  GgufKind kind = GgufKind::rope;
  GgufTurn turn = GgufTurn::neox;
  bool by_sections = false;  // mrope instead, where rope.dimension_sections is there and not zero
  std::optional<GgufWindows> windows{};
  bool permuted = false;         // the converter reorders rows of q and k from half to interleaved
  bool factors = false;          // the graph reads rope_freqs and rope_factors
  bool factors_in_full = false;  // the same, in layers that see all
  bool latent = false;           // MLA: the last features of a head turn, one vector for all keys
  bool full_is_nope = false;     // layers that see all have no positions
  bool fourth_is_nope = false;   // layers i with (i + 1) % 4 == 0
  bool dense_turn = false;       // but the first leading_dense_block_count turn in any case
  bool pattern = false;          // attention.rope_pattern says which layers turn
  bool finetuned = false;        // rope.scaling.finetuned = false means no rotation
  int64_t interval = 0;  // one layer in this many has attention, as full_attention_interval says
  bool log_multiplier = false;  // reads rope.scaling.yarn_log_multiplier
  bool log_tenth = false;       // and stores a tenth of it
  bool mscale = false;          // yarn's other weight is the same (DeepSeek-V2), not 1
  double beta_fast = 0;         // reads the betas of yarn; this one where it is absent
  bool extrapolates = false;    // reads yarn_ext_factor
  bool alpha = false;           // reads rope.scaling.alpha, of ntk
  bool halved = false;          // half of rope.dimension_count turns in layers that see all
  bool scaled = true;           // by the length rule
  bool fixed = false;           // the whole head turns by base 10000, whatever keys say
  bool compressed = false;      // layers that compress turn by a base of their own (DeepSeek-V4)
  bool tuned = false;           // layers that do not turn multiply queries, by fixed numbers
  std::string_view temperature_key{};  // the length after which attention.temperature_scale counts
  int64_t alibi_layers = 0;            // models of so many layers have ALiBi instead
  std::string_view trap{};
};
// Nothing where llama.cpp has none of that name.
const GgufArchitecture* gguf_architecture(std::string_view name);

}  // namespace posenc::model
