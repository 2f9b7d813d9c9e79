// convert_layout.cc: a model's weights for the other pair layout, tried, then written.
#include "cli/convert/convert_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/console.h"
#include "cli/new_folder.h"
#include "cli/sink.h"
#include "model/npy.h"

namespace posenc::cli {
namespace {

Conversion conversion_of(const ConvertOptions& o) {
  return {*o.from,
          *o.to,
          *o.heads,
          o.kv_heads.value_or(*o.heads),
          {1, *o.dim, o.rotary_dim, o.rotary_offset, o.blocks},
          o.queries.empty() ? query_modules : o.queries,
          o.keys.empty() ? key_modules : o.keys,
          o.under};
}

void check(const ConvertOptions& options) {
  const auto need = [](bool given, const char* what) {
    if (!given) refuse("expected ", what, ", got none");
  };
  need(!options.in.empty(), "--in FILE");
  need(!options.out.empty(), "--out FILE");
  need(options.from && options.to, "--from and --to, each half or interleaved");
  need(options.heads && options.dim, "--heads N and --dim N");
  const auto weights_of = [](Layout layout) { return layout == Layout::half; };
  if (weights_of(*options.from) == weights_of(*options.to))
    refuse("expected two layouts that differ in their weights, got ", enum_name(*options.from),
           " and ", enum_name(*options.to));
  const Conversion c = conversion_of(options);
  for (const int64_t heads : {c.heads, c.kv_heads})
    as_usage_error([&] {
      HeadSpan span = c.head;
      span.heads = heads;
      layout_order(c.from, c.to, span);
    });
  if (*options.heads % options.kv_heads.value_or(1) != 0)
    refuse("expected kv_heads that divide the ", *options.heads, " heads, got ", *options.kv_heads);
}

// Refuses a name that says another format than is written.
void check_name(const std::string& out, std::string_view format) {
  std::error_code failed;
  const auto kind = std::filesystem::status(out, failed).type();
  const bool file =
      kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
  if (file && !is_standard_output(out) && !out.ends_with(format))
    refuse("expected --out with the extension ", format, ", as --in has that content, got ", out);
}

void check(const ConvertOptions& options, const Proof& proof) {
  if (!proof.fault.empty()) fail("convert", options.in, ": ", proof.fault, "; nothing was written");
}

std::string proof_text(const Proof& proof) {
  return fmt::format(
      "Checked on a random input: with old and new weights the scores of {} {}\n"
      "differ by {:.1e} at most, and the largest is {:.3g}.\n",
      proof.layers, proof.layers == 1 ? "layer" : "layers", proof.difference, proof.largest);
}

// Goes to the standard error where the output itself goes to the standard output.
void report(const ConvertOptions& options, const std::vector<std::string>& lines,
            const Proof& proof, const std::string& more = "") {
  constexpr size_t most = 12;
  const auto count = lines.size() == 1 ? "one tensor" : fmt::format("{} tensors", lines.size());
  const std::string under =
      options.under.empty() ? "" : " under " + files::printable(options.under);
  std::string text = fmt::format("{}: {}{} from {} to {}\n", files::printable(options.in), count,
                                 under, enum_name(*options.from), enum_name(*options.to));
  for (size_t i = 0; i < std::min(lines.size(), most); ++i)
    text += fmt::format("  {}\n", files::printable(lines[i]));
  if (lines.size() > most) text += fmt::format("  ... and {} more\n", lines.size() - most);
  text += proof_text(proof) + more;
  is_standard_output(options.out) ? print_error(text) : print(text);
}

void convert_npy(const ConvertOptions& options, Array array) {
  if (!options.out.ends_with(".safetensors")) check_name(options.out, ".npy");
  const Conversion conversion = conversion_of(options);
  const files::Stored stored{"array", files::name_of(array.dtype), array.shape, 0, 0};
  Part part = make_part(conversion, options.in, stored, true, "");
  if (part.role != Role::projection) part.role = Role::heads;
  Made made;
  add_effect(conversion, part, array, made);
  Proof proof;
  prove(proof, made, made, conversion.from, conversion.to);
  check(options, proof);
  const std::string line = "array  " + describe(array.view());
  convert(conversion, part, array);
  const Metadata notes{{"posenc.array", fmt::format("layout {}", enum_name(*options.to))}};
  const std::string bytes = options.out.ends_with(".safetensors")
                                ? format_safetensors({{"array", array}}, notes)
                                : format_npy(array);
  write_to(options.out, [&](const Sink& sink) { sink(bytes); });
  report(options, {line}, proof);
}

void write_shard(const Conversion& conversion, const Shard& shard, const Layers& layers,
                 const Watch& watch) {
  std::map<std::string, const Part*> parts;
  Metadata notes;
  for (const auto& layer : layers)
    for (const Part& part : layer.second)
      if (part.shard == &shard) {
        parts[part.tensor->name] = &part;
        notes["posenc." + part.tensor->name] = fmt::format("layout {}", enum_name(conversion.to));
      }
  Array array;
  const auto replacement = [&](const files::Stored& t) -> const Array* {
    const auto part = parts.find(t.name);
    if (part == parts.end()) return nullptr;
    array = {};  // one at a time
    array = read_part(*part->second);
    convert(conversion, *part->second, array);
    return &array;
  };
  rewrite(*shard.source, shard.index, shard.out, replacement, notes, watch);
}

// Returns what to report: the tensors, and that their scores stayed.
std::pair<std::vector<std::string>, Proof> convert_model(const ConvertOptions& options,
                                                         const Shards& shards, Progress& progress) {
  const Conversion conversion = conversion_of(options);
  const Layers layers = find_parts(conversion, shards);
  std::vector<std::string> lines;
  for (const auto& layer : layers)
    for (const Part& part : layer.second)
      lines.push_back(fmt::format("{}  {} {}", part.tensor->name,
                                  to_string(*part.tensor->supported()),
                                  files::shape_text(part.tensor->shape)));
  const Proof proof = prove(conversion, layers, [&](double part) { progress.at(part, "tried"); });
  check(options, proof);
  for (size_t i = 0; i < shards.size(); ++i)
    write_shard(conversion, shards[i], layers, [&](double part) {
      progress.at((static_cast<double>(i) + part) / static_cast<double>(shards.size()), "written");
    });
  return {lines, proof};
}

// Without --under, the model that makes text is meant where there are others beside it.
void find_text(ConvertOptions& options, const Shards& shards) {
  if (options.under.empty()) options.under = text_model(shards, options);
}

void convert_folder(ConvertOptions& options, Progress& progress) {
  NewFolder folder(options.out);
  const Shards shards = open_shards(options.in, folder.path());
  find_text(options, shards);
  const auto [lines, proof] = convert_model(options, shards, progress);
  const std::string left = copy_rest(options.in, folder.path());
  folder.finish();
  report(options, lines, proof,
         fmt::format("{} holds the whole model, configuration and tokenizer included.\n{}",
                     files::printable(options.out), left));
}

}  // namespace

std::vector<Option> convert_layout_options() { return options_of(ConvertOptions{}); }

void convert_layout(const Call& call) {
  auto options = read_options<ConvertOptions>(call);
  ask_model(options);
  check(options);
  Progress progress("converting");
  if (is_sharded(options.in)) return convert_folder(options, progress);
  check_no_link(options.in, options.out);
  auto source = std::make_unique<const files::Source>("convert", options.in);
  if (source->starts_with(files::npy_magic)) return convert_npy(options, files::load_npy(*source));
  check_name(options.out, ".safetensors");
  Shards shards;
  shards.push_back({options.in, options.out, std::move(source)});
  find_text(options, shards);
  const auto [lines, proof] = convert_model(options, shards, progress);
  report(options, lines, proof);
}

}  // namespace posenc::cli
