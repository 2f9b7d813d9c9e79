// frequencies.cc: posenc frequencies.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "cli/console.h"
#include "cli/schemes/notes.h"
#include "cli/schemes/rates.h"
#include "cli/show/pictures.h"

namespace posenc::cli {
namespace {

struct FrequenciesOptions {
  std::string weights{}, weights_tensor{};
  std::optional<int64_t> seed{}, length{};
  std::string out{};
  bool json = false;

  static Fields fields() {
    using S = FrequenciesOptions;
    return {{"weights", &S::weights,
             "file with the scheme's learned weights (default: initial values)"},
            {"weights_tensor", &S::weights_tensor,
             "name of the tensor in that file, if it has several"},
            {"seed", &S::seed, "seed of the random initial weights (default: 0)"},
            Field("length", &S::length,
                  "length of the whole text in tokens, for length rules that need it")
                .of({"rotary"}),
            {"out", &S::out,
             "write the frequencies, f64, to this .npy file; to a .safetensors file also "
             "wavelengths, effects of the length rule, pairs, axes and heads"},
            {"json", &S::json, "the numbers as JSON"}};
  }
};

bool differs(const std::vector<Rate>& list, int64_t Rate::*member) {
  return std::any_of(list.begin(), list.end(), [&](const Rate& r) { return r.*member != 0; });
}

// 1 where the rule leaves a pair alone.
double effect(const Rate& rate) {
  return rate.frequency == rate.unscaled ? 1 : rate.frequency / rate.unscaled;
}

void print_text(const Ready& ready, const Rates& rates) {
  const bool heads = differs(rates.list, &Rate::head), axes = ready.plan.axes() > 1;
  const bool rule = std::any_of(rates.list.begin(), rates.list.end(),
                                [](const Rate& r) { return effect(r) != 1; });
  std::string out =
      fmt::format("{}\nfrequency: radians per position; wavelength: positions for a full turn{}\n",
                  title_of(ready.scheme),
                  rule ? "; effect: of the length rule, a factor on the frequency" : "");
  out += fmt::format("{}{:>6}{}  {:>24}  {:>18}{}\n", heads ? "head  " : "", rates.unit,
                     axes ? "  axis" : "", "frequency", "wavelength", rule ? "        effect" : "");
  for (const Rate& r : rates.list) {
    if (heads) out += fmt::format("{:>4}  ", r.head);
    out += fmt::format("{:>6}", r.index);
    if (axes) out += fmt::format("  {:>4}", r.axis);
    out += fmt::format("  {:>24}  {:>18.12g}", r.frequency, r.wavelength());
    out += rule ? fmt::format("  {:>12.6g}\n", effect(r)) : "\n";
  }
  print(out);
}

Json rates_json(const Call& call, const Ready& ready, const Rates& rates,
                const RowsOptions& options) {
  const SchemeInfo about = info(ready.scheme);
  Json out{{"scheme", about.name}, {"options", options_tree(about.options)}};
  if (with_any_layout(call).scheme.size() > call.scheme.size()) out["options"].erase("layout");
  if (ready.length > 0) out["length"] = ready.length;
  if (const auto plan = turning_plan(ready)) {
    out["cos_sin_factor"] = plan->cos_sin_factor();
    out["softmax_factor"] = plan->softmax_factor();
  }
  if (Json initial = initial_weights(ready.scheme, options); !initial.is_null())
    out["initial_weights"] = std::move(initial);
  out["frequencies"] = files::JsonList{};
  for (const Rate& r : rates.list) {
    Json entry{{std::string(rates.unit), r.index},
               {"axis", r.axis},
               {"frequency", r.frequency},
               {"wavelength", r.wavelength()},  // null where nothing turns
               {"effect", effect(r)}};
    if (rates.unit == "pair") entry["head"] = r.head;
    out["frequencies"].push_back(std::move(entry));
  }
  return out;
}

template <class T, class F>
Array column(const Rates& rates, const F& value) {
  Array out = make_array(dtype_of<T>, {std::ssize(rates.list)});
  std::transform(rates.list.begin(), rates.list.end(), out.values<T>().begin(), value);
  return out;
}

void write_file(const Rates& rates, const std::string& path) {
  NamedArrays arrays{{"frequency", column<double>(rates, std::mem_fn(&Rate::frequency))}};
  if (path.ends_with(".safetensors")) {
    arrays.emplace_back("wavelength", column<double>(rates, std::mem_fn(&Rate::wavelength)));
    arrays.emplace_back("effect", column<double>(rates, effect));
    arrays.emplace_back(rates.unit, column<int64_t>(rates, std::mem_fn(&Rate::index)));
    arrays.emplace_back("axis", column<int64_t>(rates, std::mem_fn(&Rate::axis)));
    arrays.emplace_back("head", column<int64_t>(rates, std::mem_fn(&Rate::head)));
  }
  write_arrays(path, arrays);
}

void run_frequencies(const Call& call) {
  const auto options = read_options<FrequenciesOptions>(call);
  const bool file = !options.out.empty();
  if (file && options.json) refuse("expected --json or --out, got both");
  if (file && !options.out.ends_with(".npy") && !options.out.ends_with(".safetensors"))
    refuse("expected --out with the extension .npy or .safetensors, got ", options.out);
  const RowsOptions rows{"", options.weights, options.seed, options.length, options.weights_tensor};
  const Ready ready = make_ready(read_scheme(with_any_layout(call)), rows);
  check_length_is_read(ready.scheme, rows);
  const Rates rates = rates_of(ready);
  if (file) {
    write_file(rates, options.out);
  } else if (options.json) {
    print(answer(rates_json(call, ready, rates, rows)));
  } else {
    print_text(ready, rates);
  }
  note(initial_weights_text(ready.scheme, rows));
}

}  // namespace

Command frequencies_command() {
  return {"frequencies",
          "frequency and wavelength of every pair, as numbers",
          takes_scheme,
          "A pair rotates by its frequency, in radians, with every position, and completes a\n"
          "turn after its wavelength. For a rotary scheme with a length rule, effect is the\n"
          "frequency divided by the frequency without the rule. Schemes without pairs are\n"
          "listed column by column.\n",
          options_of(FrequenciesOptions{}),
          {"posenc frequencies sinusoidal --dim 8", "posenc frequencies rope --preset llama3.1",
           "posenc frequencies rope --preset qwen2-vl --json",
           "posenc frequencies rope --preset llama --out frequencies.npy"},
          run_frequencies};
}

}  // namespace posenc::cli
