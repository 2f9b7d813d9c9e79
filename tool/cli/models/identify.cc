// identify.cc: posenc identify.
#include <fmt/core.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/json.h"
#include "cli/options.h"
#include "model/array.h"

namespace posenc::cli {
namespace {

struct IdentifyOptions {
  std::string tensor{};
  bool json = false;

  static Fields fields() {
    using S = IdentifyOptions;
    return {{"tensor", &S::tensor, "name of the table in a .safetensors file"},
            {"json", &S::json, "kind, match, mistake, options and command as JSON"}};
  }
};

void run_identify(const Call& call) {
  const auto options = read_options<IdentifyOptions>(call);
  const Progress progress("comparing");
  const Array table = read_array(call.words[0], options.tensor);
  const model::Match m = model::identify(table.view());
  if (options.json) return print(dump(model::identify_tree(m)));
  print(fmt::format("{}: {}\n{}\n", files::printable(call.words[0]), describe(table.view()),
                    wrapped(m.sentence, 0)));
  if (!m.also.empty()) print(wrapped("Also possible: " + join(m.also, ", "), 0) + "\n");
  if (m.within_rounding) print("Every element agrees within rounding.\n");
  if (!m.within_rounding && m.error > 0)
    print(fmt::format("Largest difference: {:.2g}\n", m.error));
  if (!m.command.empty()) print("To compute this encoding:\n" + example_text(m.command));
}

}  // namespace

Command identify_command() {
  static const std::string about = [] {
    std::vector<std::string> ids;
    for (const model::Mistake& m : model::mistakes()) ids.emplace_back(m.id);
    return "Finds the scheme that produced the numbers in a file:\n\n"
           "  sinusoidal tables   the preset, and what differs from it\n"
           "  rotary tables       cosines, sines or both, in any common arrangement: base, length\n"
           "                      rule with its parameters, first position\n"
           "  vectors             inverse frequencies of rotary pairs, ALiBi slopes\n"
           "  biases of scores    [heads, queries, keys]: ALiBi, T5 buckets, windows, or any bias\n"
           "                      that depends only on key - query; masked scores are skipped\n\n"
           "If several explanations fit, all are listed. Known mistakes: " +
           join(ids, ", ") + ".\n";
  }();
  return {"identify",
          "identify the scheme, or the common mistake, behind the numbers in a file",
          takes_one("FILE"),
          about,
          options_of(IdentifyOptions{}),
          {"posenc table sinusoidal --dim 64 --base 1000 --positions 0:200 --out mystery.npy",
           "posenc identify mystery.npy", "posenc identify mystery.npy --json",
           "posenc table rope --preset llama3.1 --positions 0:512 --out cos_sin.npy",
           "posenc identify cos_sin.npy"},
          run_identify};
}

}  // namespace posenc::cli
