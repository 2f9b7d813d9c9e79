// identify.cc: posenc identify.
#include "inspect/identify.h"

#include <fmt/core.h>

#include "console.h"
#include "files/array.h"
#include "help.h"
#include "json.h"
#include "options.h"

namespace posenc::cli {
namespace {

struct IdentifyOptions {
  std::string tensor{};
  bool json = false;

  static constexpr auto fields() {
    using S = IdentifyOptions;
    return std::tuple{Field{"tensor", &S::tensor, "name of the table in a .safetensors file"},
                      Field{"json", &S::json, "match, mistake and error as JSON"}};
  }
};

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// Cosines, then sines: a table of that preset may as well belong to a rotary scheme.
Match with_rotary(Match m) {
  if (m.match == "diffusers") m.also.emplace_back("the rows [cos | sin] of rope");
  return m;
}

Json match_json(const Match& m) {
  return {{"match", or_null(m.match)},
          {"mistake", or_null(m.mistake)},
          {"error", m.error},
          {"sentence", m.sentence},
          {"also", m.also},
          {"options", m.match.empty() ? Json() : options_json(info(m.scheme))}};
}

void run_identify(const Call& call) {
  const auto options = read_options<IdentifyOptions>(call);
  const Array table = read_array(call.words[0], options.tensor);
  const Match m = with_rotary(identify(table.view()));
  if (options.json) return print(dump(match_json(m)));
  print(fmt::format("{}: {}\n{}\n", call.words[0], describe(table.view()), m.sentence));
  if (!m.also.empty()) print("As well: " + join(m.also, ", ") + "\n");
  print(fmt::format("Largest difference {:.2g}\n", m.error));
}

}  // namespace

Command identify_command() {
  static const std::string about = [] {
    std::vector<std::string> ids;
    for (const Mistake& m : mistakes()) ids.emplace_back(m.id);
    return "Finds the preset that gives the table in a file, or the preset and the mistake beside "
           "it,\n"
           "and says how to mend it. It knows these mistakes:\n\n  " +
           wrapped(join(ids, ", "), 2) + "\n";
  }();
  return {"identify",
          "which preset, or which classic mistake, made the table in a file",
          "FILE",
          about,
          options_of(IdentifyOptions{}),
          {"posenc table sinusoidal --dim 64 --base 1000 --positions 0:200 --out mystery.npy",
           "posenc identify mystery.npy", "posenc identify mystery.npy --json"},
          run_identify};
}

}  // namespace posenc::cli
