// apply.h: what the parts of posenc apply share.
#pragma once

#include "cli/schemes/notes.h"

namespace posenc::cli {

enum class Holds : uint8_t { queries, keys };
constexpr auto enum_names(Holds) { return std::to_array<std::string_view>({"queries", "keys"}); }

struct ApplyOptions : RowsOptions {
  std::string in{}, out{}, tensor{}, queries{}, keys{}, shape{};
  std::optional<Holds> holds{};
  bool inverse = false, adjoint = false, json = false;
  bool causal = false;
  int64_t first_query = 0, first_key = 0;
  std::optional<int64_t> first_head{};
  std::optional<double> softmax_scale{};
  ScaleOn scale_on = ScaleOn::scores;

  static Fields fields() {
    using S = ApplyOptions;
    return base_fields<S, RowsOptions>(
        {{"in", &S::in,
          "file with an array: [..., tokens, dim]; rotary as --shape says; biases [..., heads, "
          "queries, keys]"},
         {"out", &S::out, "file to write, .npy or .safetensors; may be --in"},
         {"tensor", &S::tensor, "name of the array in a .safetensors file"},
         {"json", &S::json, "print what was done as JSON"},
         Field("queries", &S::queries, "positions of the queries, as --positions").of({"biases"}),
         Field("keys", &S::keys,
               "name of the keys to rotate in the same pass; positions of the "
               "keys of a bias")
             .of({"rotary", "biases"}),
         Field("holds", &S::holds,
               "whether a single array holds queries or keys, if they differ (default: queries)")
             .of({"rotary"}),
         Field("shape", &S::shape,
               "a letter for each of the last axes: t tokens, h heads, d features, b "
               "others; must be given for more than two axes")
             .of({"rotary"}),
         Field("inverse", &S::inverse, "undo the rotation and its factor").of({"rotary"}),
         Field("adjoint", &S::adjoint, "the gradient of the input from that of the output")
             .of({"rotary"}),
         Field("causal", &S::causal, "keys after the query get -infinity").of({"biases"}),
         Field("first_query", &S::first_query,
               "position of the first query, the length of a cache; the others follow")
             .of({"biases"}),
         Field("first_key", &S::first_key, "position of the first key").of({"biases"}),
         Field("first_head", &S::first_head, "index in the model of the first head in this array")
             .of({"biases"}),
         Field("softmax_scale", &S::softmax_scale, "factor on the scores (default: 1)")
             .of({"biases"}),
         Field("scale_on", &S::scale_on,
               "whether the scale applies to scores, or to scores plus bias")
             .of({"biases"})});
  }
};

// Arrays of the file, named as in the file, and what is done to them.
struct Work {
  NamedArrays arrays;
  std::string verb = "add";
};

// What was done, for programs, and what is to be said about it.
struct Done {
  Json report;
  std::vector<std::string> notes{};
};
// The report with what is to be known about the weights.
Done with_weights(Json report, const Scheme& scheme, const ApplyOptions& options);

// Adds the biases of the scheme to the scores.
Done add_biases(const Call& call, const ApplyOptions& options, const Work& work);

}  // namespace posenc::cli
