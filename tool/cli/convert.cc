// convert.cc: posenc convert.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "console.h"
#include "conversion.h"
#include "convert_rows.h"
#include "model/config.h"
#include "model/npy.h"
#include "model/text.h"
#include "options.h"
#include "sink.h"

namespace posenc::cli {
namespace {

struct ConvertOptions {
  std::string in{}, out{};
  std::optional<Layout> from{}, to{};
  std::optional<int64_t> heads{}, kv_heads{}, dim{}, rotary_dim{};
  int64_t rotary_offset = 0, blocks = 1;
  std::string queries{}, keys{}, under{};

  static Fields fields() {
    using S = ConvertOptions;
    return {{"in", &S::in,
             "file with weights, .safetensors or .npy; or the folder of a model in several"},
            {"out", &S::out, "file to write, which may be --in; or a folder, which may not"},
            {"from", &S::from,
             "the layout the weights were made for; must be given, or be in config.json"},
            {"to", &S::to, "the layout they shall have; must be given"},
            {"heads", &S::heads, "query heads; must be given, or be in config.json"},
            {"kv_heads", &S::kv_heads, "key heads; as many as query heads unless given"},
            {"dim", &S::dim, "features of a head; must be given, or be in config.json"},
            {"rotary_dim", &S::rotary_dim, "features that turn; all unless given"},
            {"rotary_offset", &S::rotary_offset, "the first that turns; negative: from the end"},
            {"blocks", &S::blocks, "parts of the turning features with a layout of their own"},
            {"queries", &S::queries,
             "modules whose tensors make or scale queries, instead of those known"},
            {"keys", &S::keys, "modules whose tensors make or scale keys, instead of those known"},
            {"under", &S::under, "only tensors whose names start so: a model inside another"}};
  }
};

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

const Rope* rope_of(const model::Component& part) {
  return part.ready && part.where.starts_with("text") ? std::get_if<Rope>(&*part.ready) : nullptr;
}

// The one span and layout of a model's text layers that turn.
const model::Component& turning_part(const model::Model& model, const std::string& in) {
  const model::Component* out = nullptr;
  for (const auto& part : model.components) {
    const Rope* rope = rope_of(part);
    if (!rope) continue;
    if (out && (rope->layout != rope_of(*out)->layout || rope->dim != rope_of(*out)->dim ||
                rope->rotary_dim != rope_of(*out)->rotary_dim))
      refuse("expected --from, --heads and --dim, because layers of ", in, " differ in them");
    out = &part;
  }
  if (!out) refuse("expected a model whose text turns in ", in, ", got none");
  return *out;
}

// Heads, as the configuration of a model or of its text counts them.
std::optional<int64_t> count_of(const files::Json& config, model::Config::Names names) {
  model::Journal journal;
  for (const char* inside : {"text_config", "llm_config", "language_config"})
    if (const files::Json* text = config.find(inside); text && text->object())
      if (const auto count = model::Config(*text, journal).whole(names)) return count;
  return model::Config(config, journal).whole(names);
}

// What was not typed, from the configuration in the folder of the model.
void ask_model(ConvertOptions& o) {
  const auto path = std::filesystem::path(o.in) / "config.json";
  if ((o.from && o.heads && o.dim) || !std::filesystem::exists(path)) return;
  const model::Model model = model::read(o.in);
  const model::Component& part = turning_part(model, o.in);
  const Rope& rope = *rope_of(part);
  const Value* still = part.find("qk_nope_head_dim");  // before the part that turns
  const int64_t more = still ? std::get<int64_t>(*still) : 0;
  if (!o.from) o.from = rope.layout;
  if (!o.dim) {
    o.dim = rope.dim + more, o.rotary_dim = rope.turning(), o.blocks = rope.blocks;
    o.rotary_offset = more > 0 ? -rope.turning() : rope.rotary_offset;
  }
  const files::Source source("convert", path.string());
  const files::Json config = files::parse_json("convert", source.text(0, source.size()));
  if (!o.heads) o.heads = count_of(config, {"num_attention_heads", "n_head", "n_heads"});
  if (!o.kv_heads && more == 0)
    o.kv_heads = count_of(
        config, {"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"});
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
    typed([&] {
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
      "A random input through the old and the new weights, turned in the layout of each: scores\n"
      "of {} {} differ by {:.1e} at most, the largest is {:.3g}.\n",
      proof.layers, proof.layers == 1 ? "layer" : "layers", proof.difference, proof.largest);
}

// Goes to the standard error where the output itself goes to the standard output.
void report(const ConvertOptions& options, const std::vector<std::string>& lines,
            const Proof& proof, const std::string& more = "") {
  constexpr size_t most = 12;
  const auto count = lines.size() == 1 ? "one tensor" : fmt::format("{} tensors", lines.size());
  std::string text = fmt::format("{}: {} from {} to {}\n", files::printable(options.in), count,
                                 enum_name(*options.from), enum_name(*options.to));
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

void convert_model(const ConvertOptions& options, const Shards& shards, Progress& progress) {
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
  if (is_sharded(options.in)) std::filesystem::create_directories(options.out);
  for (size_t i = 0; i < shards.size(); ++i)
    write_shard(conversion, shards[i], layers, [&](double part) {
      progress.at((static_cast<double>(i) + part) / static_cast<double>(shards.size()), "written");
    });
  if (!is_sharded(options.in)) return report(options, lines, proof);
  copy_index(options.in, options.out);
  report(options, lines, proof,
         fmt::format("{} holds its {} files; configuration and tokenizer are to be copied.\n",
                     options.out, shards.size()));
}

void convert_layout(const Call& call) {
  auto options = read_options<ConvertOptions>(call);
  ask_model(options);
  check(options);
  Progress progress("converting");
  if (is_sharded(options.in))
    return convert_model(options, open_shards(options.in, options.out), progress);
  auto source = std::make_unique<const files::Source>("convert", options.in);
  if (source->starts_with(files::npy_magic)) return convert_npy(options, files::load_npy(*source));
  check_name(options.out, ".safetensors");
  Shards shards;
  shards.push_back({options.in, options.out, std::move(source)});
  convert_model(options, shards, progress);
}

struct Kind {
  std::string_view name;
  std::vector<Option> options;
  void (*run)(const Call&);
};

void run_convert(const Call& call) {
  const Kind kinds[] = {{"layout", options_of(ConvertOptions{}), convert_layout},
                        {"rows", convert_rows_options(), convert_rows}};
  const auto has = [](const std::vector<Option>& options, const std::string& name) {
    return std::any_of(options.begin(), options.end(),
                       [&](const Option& option) { return option.name == name; });
  };
  for (const Kind& kind : kinds) {
    if (kind.name != call.words[0]) continue;
    for (const auto& given : call.own)
      for (const Kind& other : kinds)
        if (has(other.options, given.first) && !has(kind.options, given.first))
          refuse("expected convert ", other.name, " beside --", given.first, ", got ", kind.name);
    return kind.run(call);
  }
  refuse("unknown conversion '", call.words[0], "'", suggestion(call.words[0], {"layout", "rows"}));
}

std::vector<Option> all_options() {
  std::vector<Option> out = options_of(ConvertOptions{});
  for (const Option& option : convert_rows_options())
    if (option.name != "in" && option.name != "out") out.push_back(option);
  return out;
}

}  // namespace

Command convert_command() {
  return {
      "convert",
      "a model's weights for the other pair layout, or a learned table of another length",
      "CONVERSION",
      "layout: queries and keys of a model made for half (Hugging Face's Llama) turn wrongly "
      "where\n"
      "features pair interleaved, and the other way round. Moving the rows of the query and key\n"
      "projections, their biases and the gains of their norms makes up for it: every score stays\n"
      "as it was, which is tried on a random input before anything is written. Other tensors stay\n"
      "as they are. What the configuration in the folder of a model says need not be given.\n\n"
      "A tensor is moved when a part of its name between dots is a known module: q_proj and "
      "k_proj,\n"
      "wq and wk, attn_q and attn_k, query and key, to_q and to_k, q and k, DeepSeek's q_b_proj "
      "and\n"
      "kv_a_proj_with_mqa (with --rotary_dim N --rotary_offset -N: its last rows turn), and their\n"
      "norms; or one of --queries and --keys. An array of a .npy file always is. A layer is moved\n"
      "whole or refused: without its queries or its keys, or with both fused into one tensor, it\n"
      "is refused. Notes in the metadata say what was done, and keep it from being done twice.\n\n"
      "rows: a learned table, [rows, dim], gets more or fewer rows, which are compared with the\n"
      "formula. In the folder of a model its configuration says which tensor that is, and how "
      "many\n"
      "rows at the start are no positions (BART's two): they stay.\n",
      all_options(),
      {"posenc table sinusoidal --dim 48 --positions 0:128 --out q.npy",
       "posenc convert layout --in q.npy --out moved.npy --from half --to interleaved --heads 4 "
       "--dim 32",
       "posenc table sinusoidal --dim 16 --positions 0:32 --out table.npy",
       "posenc convert rows --in table.npy --rows 48 --out longer.npy"},
      run_convert,
      {"layout", "rows"}};
}

}  // namespace posenc::cli
