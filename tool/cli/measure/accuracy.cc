// accuracy.cc: posenc accuracy.
#include <fmt/core.h>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/measure/device_memory.h"
#include "cli/measure/measure.h"
#include "cli/show/pictures.h"

namespace posenc::cli {
namespace {

struct AccuracyOptions {
  bool json = false;
  std::optional<int64_t> length{};
  Device device = Device::cpu;
  static Fields fields() {
    using S = AccuracyOptions;
    return {{"json", &S::json, "the errors as JSON"},
            Field("length", &S::length,
                  "length of the whole text in tokens, for length rules that need it (default: "
                  "2^31 positions)")
                .of({"rotary"}),
            {"device", &S::device, "device that fills the tables: cpu, or cuda for the first GPU"}};
  }
};

std::string table_text(const Accuracy& accuracy, const std::vector<Stretch>& where) {
  std::string out = fmt::format("{:<15} {:<4}", "positions up to", "");
  for (const Stretch& stretch : where) out += fmt::format("{:>9}", stretch.label);
  out += "\n";
  for (const Errors& errors : accuracy.errors) {
    out += fmt::format("{:<15} {:<4}", errors.numerics, to_string(errors.dtype));
    for (const double error : errors.largest) out += fmt::format("{:>9.1e}", error);
    out += "\n";
  }
  return out;
}

struct Verdict {
  double f32, f64, f32_bound, f64_bound;
  bool holds() const { return f32 <= f32_bound && f64 <= f64_bound; }
};

Verdict verdict_on(const Accuracy& accuracy, Device device) {
  return {largest(accuracy, "exact", DType::f32), largest(accuracy, "exact", DType::f64),
          promised(DType::f32, accuracy.amplitude, device),
          promised(DType::f64, accuracy.amplitude, device)};
}

Json accuracy_json(const Call& call, const Accuracy& accuracy, const std::vector<Stretch>& where,
                   const Verdict& verdict, Device device) {
  const SchemeInfo scheme = info(read_scheme(call, "sinusoidal"));
  files::JsonList errors;
  for (const Errors& e : accuracy.errors)
    for (size_t i = 0; i < e.largest.size(); ++i)
      errors.push_back({{"numerics", e.numerics},
                        {"dtype", to_string(e.dtype)},
                        {"up_to", where[i].last},
                        {"error", e.largest[i]}});
  return {{"scheme", scheme.name},
          {"options", options_tree(scheme.options)},
          {"device", enum_name(device)},
          {"errors", errors},
          {"contract",
           {{"amplitude", accuracy.amplitude},
            {"f32", verdict.f32_bound},
            {"f64", verdict.f64_bound},
            {"holds", verdict.holds()}}}};
}

void run_accuracy(const Call& call) {
  auto options = read_options<AccuracyOptions>(call);
  if (given(call.scheme, "numerics"))
    refuse("expected no --numerics, because each kind of rounding is measured, got one");
  const Scheme scheme = read_scheme(call, "sinusoidal");
  check_length_is_read(scheme, {.length = options.length});
  if (asks_for_length(scheme) && !options.length) options.length = stretches().back().last + 1;
  if (options.device == Device::cuda) check_gpu();
  const auto where = stretches_of(scheme, options.length);
  const Accuracy accuracy = measure(call, where, options.length, options.device);
  const Verdict verdict = verdict_on(accuracy, options.device);
  if (options.json) {
    print(answer(accuracy_json(call, accuracy, where, verdict, options.device)));
  } else {
    print(fmt::format(
        "Largest errors of {}{}{}, against the exact formula in 100 digits\n\n{}\n",
        title_of(scheme), options.length ? fmt::format(" for {} tokens", *options.length) : "",
        options.device == Device::cuda ? ", filled by a GPU" : "", table_text(accuracy, where)));
    print(fmt::format(
        "The contract, at every position: exact is within {} A plus half an ulp in f32 and "
        "4e-16 A\n"
        "in f64, where A is the largest magnitude. Here A is {:.4g}; the bounds are {:.1e} and "
        "{:.1e},\n"
        "and the contract {}: {:.2e} and {:.2e}.\n",
        options.device == Device::cpu ? "1.2e-9" : "3.1e-8", accuracy.amplitude, verdict.f32_bound,
        verdict.f64_bound, verdict.holds() ? "holds" : "DOES NOT HOLD", verdict.f32, verdict.f64));
  }
  if (!verdict.holds())
    fail("accuracy", "expected errors within the contract, got ", verdict.f32, " in f32 and ",
         verdict.f64, " in f64");
}

}  // namespace

Command accuracy_command() {
  return {
      "accuracy",
      "measure the errors of tables on this machine against 100-digit arithmetic",
      may_take_scheme,
      "exact            the formula's value, rounded once: the default\n"
      "f32-frequencies  frequencies rounded to f32, as models are trained with them\n"
      "torch-f32        frequencies and phases in f32, as most code computes them\n"
      "\n"
      "All are compared with the exact formula, so the last two show what that rounding costs:\n"
      "an error that grows with the position. Just below 1, half a unit in the last place (ulp)\n"
      "is 3.0e-8 in f32, 2.0e-3 in bf16 and 5.6e-17 in f64; for values from 1 to 2, which a scale\n"
      "or the factor of a length rule can cause, it is twice that.\n"
      "\n"
      "torch-f32 is PyTorch's arithmetic except for the last bit of a frequency: PyTorch's\n"
      "vectorised exp and pow are not always correctly rounded and may differ between machines.\n"
      "\n"
      "The default SCHEME is sinusoidal.\n",
      options_of(AccuracyOptions{}),
      {"posenc accuracy --dim 64", "posenc accuracy --dim 64 --base 500000 --json",
       "posenc accuracy rope --preset llama3.1"},
      run_accuracy};
}

}  // namespace posenc::cli
