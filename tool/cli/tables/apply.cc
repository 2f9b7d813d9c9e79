// apply.cc: posenc apply.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/console.h"
#include "cli/convert/rewrite.h"
#include "cli/new_folder.h"
#include "cli/tables/apply.h"
#include "cli/tables/arrange.h"

namespace posenc::cli {
namespace {

Array read_input(const ApplyOptions& options, const std::string& name) {
  Array x = read_array(options.in, name);
  if (x.shape.size() < 2 || !is_float(x.dtype))
    fail("apply", options.in, ": expected an array f32, f64, f16 or bf16 [..., tokens, dim], got ",
         describe(x.view()));
  return x;
}

// Arrays to turn or to add rows to must be finite; scores may be masked by -infinity, and their
// --keys are positions.
Work read_work(const ApplyOptions& options, bool rows) {
  Work out;
  const bool named = options.out.ends_with(".safetensors") && !holds_npy(options.in);
  const bool keys = rows && !options.keys.empty();
  if (!options.tensor.empty() || !keys) {
    Array x = read_input(options, options.tensor);
    const auto name = named && options.tensor.empty() ? only_tensor(options.in) : options.tensor;
    out.arrays.emplace_back(named ? name : "x", std::move(x));
  }
  if (keys) out.arrays.emplace_back(options.keys, read_input(options, options.keys));
  for (const auto& entry : out.arrays)
    if (rows) check_finite_numbers(options.in, entry.second);
  return out;
}

// What was typed, with the array's own width when dim is an option that nobody gave.
Call with_dim(Call call, int64_t dim) {
  const auto is_dim = [](const auto& option) { return option.first == "dim"; };
  if (std::any_of(call.scheme.begin(), call.scheme.end(), is_dim)) return call;
  for (const Option& option : usual_info(call.words[0]).options)
    if (option.name == "dim") call.scheme.emplace_back("dim", text::write(dim));
  return call;
}

PositionList positions_for(const Ready& ready, const ApplyOptions& options, int64_t tokens) {
  if (tokens == 0) fail("apply", options.in, ": expected at least one token, got none");
  auto out = read_positions(ready, options, fmt::format("0:{}", tokens), "");
  if (out.count / out.rows == tokens) return out;
  refuse("expected --positions for the ", tokens, " tokens of ", options.in, ", got ",
         out.count / out.rows);
}

// What was done, and which factor is left to do.
Json report_on(const Work& work, const Ready& ready, const PositionList& positions) {
  const SchemeInfo about = info(ready.scheme);
  Json out{{"scheme", about.name},
           {"options", options_tree(about.options)},
           {"positions", positions.typed}};
  if (about.family == "rotary") out["verb"] = work.verb;
  if (ready.length > 0) out["length"] = ready.length;
  if (const auto plan = turning_plan(ready)) {
    out["cos_sin_factor"] = plan->cos_sin_factor();
    out["softmax_factor"] = plan->softmax_factor();
  }
  return out;
}

void check(const ApplyOptions& options, bool rows) {
  if (options.in.empty()) refuse("expected --in FILE, got none");
  if (options.out.empty()) refuse("expected --out FILE, got none");
  const bool safetensors = options.out.ends_with(".safetensors");
  if (!safetensors && !options.out.ends_with(".npy"))
    refuse("expected --out with the extension .npy or .safetensors, got ", options.out);
  if (rows && !safetensors && !options.keys.empty())
    refuse("expected --out with the extension .safetensors for --keys, got ", options.out);
  const auto kind = std::filesystem::status(options.in).type();
  if (safetensors && (kind == std::filesystem::file_type::fifo || options.in == "-"))
    refuse("expected a file for --in when --out is .safetensors, got a pipe: ", options.in);
  check_no_link(options.in, options.out);
  if (!options.keys.empty() && options.keys == options.tensor)
    refuse("expected --keys other than --tensor, got ", options.keys, " for both");
  if (options.inverse && options.adjoint) refuse("expected --inverse or --adjoint, got both");
  if (rows && options.holds && !options.tensor.empty() && !options.keys.empty())
    refuse("expected no --holds, because --tensor holds queries and --keys keys, got ",
           enum_name(*options.holds));
}

PositionList add_rows(const Ready& ready, const ApplyOptions& options, const Work& work) {
  const Tensor x = work.arrays[0].second.view();
  const auto positions = positions_for(ready, options, x.size(-2));
  const auto act = [&] { add(ready.plan, x, x, positions.batch()); };
  options.positions.empty() ? act() : as_usage_error(act);
  return positions;
}

// The first view holds queries, and the second keys, unless a lone one holds keys.
QueriesKeys sides(const ApplyOptions& options, const std::vector<Tensor>& views) {
  if (views.size() == 2) return {views[0], views[1]};
  if (options.holds == Holds::keys || !options.keys.empty()) return {{}, views[0]};
  return {views[0], {}};
}

PositionList turn(const Ready& ready, const ApplyOptions& options, Work& work,
                  const std::vector<Tensor>& views) {
  const auto positions = positions_for(ready, options, views[0].size(-3));
  const QueriesKeys x = sides(options, views);
  work.verb = options.inverse ? "rotate_inverse" : options.adjoint ? "rotate_adjoint" : "rotate";
  const auto act = [&] {
    const auto plan = *turning_plan(ready);
    const Positions at = positions.batch();
    if (options.inverse) return rotate_inverse(plan, x, x, at);
    if (options.adjoint) return rotate_adjoint(plan, x, x, at);
    rotate(plan, x, at);
  };
  options.positions.empty() ? act() : as_usage_error(act);
  return positions;
}

Done add_or_turn(const Call& call, const ApplyOptions& options, Work& work) {
  const bool rotary = usual_info(call.words[0]).family == "rotary";
  std::vector<Tensor> views;
  for (const auto& [name, array] : work.arrays)
    views.push_back(
        rotary ? arranged(options.in, array,
                          options.shape.empty() ? only_letters(options.in, array) : options.shape)
               : array.view());
  const Ready ready = make_ready(read_scheme(with_dim(call, views[0].size(-1))), options);
  check_length_is_read(ready.scheme, options);
  const auto positions =
      rotary ? turn(ready, options, work, views) : add_rows(ready, options, work);
  Done out = with_weights(report_on(work, ready, positions), ready.scheme, options);
  if (rotary) out.notes.push_back(factors_text(*turning_plan(ready)));
  return out;
}

void write(const ApplyOptions& options, const Work& work, const Json& report) {
  Metadata notes;
  const std::string text = files::write_json(report);
  for (const auto& entry : work.arrays) notes["posenc." + entry.first] = text;
  if (options.out.ends_with(".safetensors") && !holds_npy(options.in))
    return rewrite(options.in, options.out, work.arrays, notes);
  write_arrays(options.out, work.arrays, notes);
}

void print_report(const ApplyOptions& options, const Work& work, Json report) {
  report["in"] = options.in, report["out"] = options.out;
  for (const auto& [name, array] : work.arrays)
    report["arrays"].push_back(
        {{"name", name}, {"dtype", to_string(array.dtype)}, {"shape", array.shape}});
  print(answer(report));
}

void run_apply(const Call& call) {
  const auto options = read_options<ApplyOptions>(call);
  const bool scores = acts_on_scores(call.words[0]);
  if (scores && !options.positions.empty())
    refuse("expected --queries and --keys of a bias of scores, got --positions");
  check(options, !scores);
  const Progress progress("applying");
  Work work = read_work(options, !scores);
  const Done done = scores ? add_biases(call, options, work) : add_or_turn(call, options, work);
  write(options, work, done.report);
  for (const std::string& sentence : done.notes) note(sentence);
  if (options.json) print_report(options, work, done.report);
}

}  // namespace

Done with_weights(Json report, const Scheme& scheme, const ApplyOptions& options) {
  Json initial = initial_weights(scheme, options);
  if (!initial.is_null()) report["initial_weights"] = std::move(initial);
  return {std::move(report), {initial_weights_text(scheme, options)}};
}

Command apply_command() {
  return {
      "apply",
      "apply an encoding to arrays in a file: add rows, rotate queries and keys, bias scores",
      takes_scheme,
      "An absolute scheme adds its rows to x, [..., tokens, dim]. A rotary scheme rotates\n"
      "queries and keys; --shape gives the order of their axes, and an array of two axes is\n"
      "[tokens, dim]. All float types are supported; results are rounded once. The scheme's\n"
      "dim is that of the array unless given. Token t has position t unless --positions\n"
      "says otherwise. In a .safetensors file the other tensors stay as they are, and the\n"
      "metadata records what was done.\n\n"
      "--layout says which two features of a head form a pair: k and k + n (half: Hugging\n"
      "Face's Llama, GPT-NeoX), or 2k and 2k + 1 (interleaved: Meta's Llama, GPT-J). It has\n"
      "no default, because a wrong layout raises no error: the scores are just wrong.\n\n"
      "A bias is added to scores, [..., heads, queries, keys]: out = scale * scores + bias,\n"
      "or scale * (scores + bias) with --scale_on sum. T5 has no scale; Bloom, MPT and Swin\n"
      "scale the scores, Falcon the sum. Queries and keys are at positions 0, 1, 2, ...,\n"
      "from --first_query and --first_key on, or at those of --queries and --keys.\n\n"
      "A file of positions gives each sequence of a batch its own: [batch, tokens], or\n"
      "[axes, batch, tokens] for several coordinates.\n",
      options_of(ApplyOptions{}),
      {"posenc table sinusoidal --dim 64 --positions 100:110 --out x.npy",
       "posenc apply sinusoidal --in x.npy --out y.npy",
       "posenc apply sinusoidal --preset fairseq --in x.npy --positions 7:17 --out "
       "y.safetensors",
       "posenc apply rope --layout half --in x.npy --out rotated.npy",
       "posenc apply rope --layout half --in rotated.npy --inverse --out back.npy",
       "posenc table alibi --heads 2 --queries 0:4 --keys 0:9 --out scores.npy",
       "posenc apply alibi --in scores.npy --first_query 5 --causal --softmax_scale 0.125 --out "
       "biased.npy",
       "posenc table alibi --heads 2 --queries 4095 --keys 0:4096 --out scores.npy",
       "posenc apply alibi --in scores.npy --queries 4095 --out biased.npy --json",
       "posenc positions offsets --starts 0,5 --tokens 5 --out p.npy",
       "posenc table rope --layout half --dim 64 --positions p.npy --out x.npy",
       "posenc apply sinusoidal --in x.npy --positions p.npy --out y.npy"},
      run_apply};
}

}  // namespace posenc::cli
