// apply.h: what the parts of posenc apply share.
#pragma once

#include "rows.h"

namespace posenc::cli {

enum class Holds : uint8_t { queries, keys };
constexpr auto enum_names(Holds) { return std::to_array<std::string_view>({"queries", "keys"}); }

struct ApplyOptions : RowsOptions {
  std::string in{}, out{}, tensor{}, keys{}, shape{};
  Holds holds = Holds::queries;
  bool inverse = false, adjoint = false;
  bool causal = false;
  int64_t first_query = 0, first_key = 0, first_head = 0;
  double softmax_scale = 1;
  ScaleOn scale_on = ScaleOn::scores;

  static constexpr auto fields() {
    using S = ApplyOptions;
    return std::tuple_cat(
        RowsOptions::fields(),
        std::tuple{
            Field{"in", &S::in,
                  "file with an array: [..., tokens, dim]; rotary [..., tokens, heads, dim]; "
                  "biases [..., heads, queries, keys]"},
            Field{"out", &S::out, "file to write, .npy or .safetensors; may be --in"},
            Field{"tensor", &S::tensor, "name of the array in a .safetensors file"},
            Field{"keys", &S::keys, "rotary: name of the keys, which are turned in the same pass"},
            Field{"holds", &S::holds, "rotary: what a lone array is, where the two differ"},
            Field{"shape", &S::shape,
                  "rotary: a letter for each of the last axes: t tokens, h heads, d features, b "
                  "others (default thd)"},
            Field{"inverse", &S::inverse, "rotary: take the turn and its magnitude back"},
            Field{"adjoint", &S::adjoint, "rotary: the gradient, of the output's gradient"},
            Field{"causal", &S::causal, "biases: keys after the query get -infinity"},
            Field{"first_query", &S::first_query,
                  "biases: position of the first query, the length of a cache"},
            Field{"first_key", &S::first_key, "biases: position of the first key"},
            Field{"first_head", &S::first_head, "biases: the model's head that comes first here"},
            Field{"softmax_scale", &S::softmax_scale, "biases: what scores are multiplied by"},
            Field{"scale_on", &S::scale_on,
                  "biases: whether that multiplies scores, or scores and bias"}});
  }
};

// Arrays of the file, named as in the file, and what is done to them.
struct Work {
  NamedArrays arrays;
  std::string verb = "add";
};

// Adds the biases of the scheme to the scores; what is to be noted about it.
Metadata add_biases(const Call& call, const ApplyOptions& options, const Work& work);

}  // namespace posenc::cli
