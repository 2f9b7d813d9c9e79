// options.h: the options of commands, read from a call through the same fields() as schemes.
#pragma once

#include "cli/command.h"
#include "cli/error.h"
#include "posenc/aliases.h"

namespace posenc {

constexpr auto enum_names(Device) { return names({"cpu", "cuda"}); }

}  // namespace posenc

namespace posenc::cli {

// The kinds of schemes that read an option of a command: "a rotary scheme or a bias of scores".
std::string readers_of(const Option& option);
bool is_read_by(const Option& option, const SchemeInfo& scheme);

struct CommonOptions {
  std::optional<int64_t> threads{};
  bool help = false;

  static Fields fields() {
    using S = CommonOptions;
    return {{"threads", &S::threads, "maximum number of threads"},
            {"help", &S::help, "explain the command, or the scheme named with it"}};
  }
};

// A scheme that a model has, instead of one that is named.
struct ModelOptions {
  std::string model{}, part{};
  std::optional<int64_t> layer{};

  static Fields fields() {
    using S = ModelOptions;
    return {{"model", &S::model,
             "take the scheme from a model (as posenc explain reads it) instead of a SCHEME"},
            {"part", &S::part, "part of the model if it has several: text, vision, ..."},
            {"layer", &S::layer, "layer of the model if layers differ"}};
  }
};

// Whether an option was typed.
inline bool given(const Options& options, std::string_view name) {
  for (const auto& option : options)
    if (option.first == name) return true;
  return false;
}

// What rows are made of: where, and with which weights.
struct RowsOptions {
  std::string positions{};
  std::string weights{};
  std::optional<int64_t> seed{};
  std::optional<int64_t> length{};
  std::string weights_tensor{};

  static Fields fields() {
    using S = RowsOptions;
    return {{"positions", &S::positions,
             "5, 0:4, 0:100:10 or 0,3,100 (ends exclusive); real numbers if the scheme takes "
             "them; ';' between axes; or a .npy or .safetensors file from posenc positions"},
            {"weights", &S::weights,
             "file with the scheme's learned weights (default: initial values)"},
            {"weights_tensor", &S::weights_tensor,
             "name of the tensor in that file, if it has several and the scheme one weight"},
            {"seed", &S::seed, "seed of the random initial weights (default: 0)"},
            Field("length", &S::length,
                  "length of the whole text in tokens, for length rules that need it")
                .of({"rotary"})};
  }
};

enum class FloatType : uint8_t { f32, f64, f16, bf16 };
constexpr auto enum_names(FloatType) {
  return std::to_array<std::string_view>({"f32", "f64", "f16", "bf16"});
}
constexpr DType to_dtype(FloatType type) { return static_cast<DType>(type); }

// The fields of O that were given, the others as they are in O{}.
void read_options(const Call& call, const Type& type, void* out);
template <Aggregate O>
O read_options(const Call& call) {
  O out;
  read_options(call, type_of<O>, &out);
  return out;
}

// The scheme that was named, with its options; throws a usage error.
Scheme read_scheme(const Call& call, std::string_view otherwise = "");

// The call with a pair layout where it needs one and gives none, for what is the same in all of
// them: frequencies, and the rows of cosines and sines.
Call with_any_layout(Call call);

// Whether the scheme of that name acts on scores, and whether it reads queries or keys to do so.
bool acts_on_scores(std::string_view name);
bool reads_content(std::string_view name);

// The schemes that a command knows, and their other names: those of tokens; `list` tells of
// convolutions and of graphs too.
std::vector<SchemeInfo> known_schemes(std::string_view command);
std::vector<Alias> known_aliases(std::string_view command);
// All names of one scheme, its own first; and all that a command knows.
std::vector<std::string> names_of_scheme(std::string_view scheme);
std::vector<std::string> scheme_names(std::string_view command);

// What is known of the scheme of that name before any option is given; throws a usage error.
SchemeInfo usual_info(std::string_view name);
// The same with the options that were given.
SchemeInfo read_info(const Call& call);

}  // namespace posenc::cli
