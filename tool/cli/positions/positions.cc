// positions.cc: posenc positions.
#include <fmt/core.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/positions/positions_plan.h"
#include "model/array.h"

namespace posenc::cli {
namespace {

struct IdsOptions {
  bool json = false, full = false;
  std::string out{};

  static Fields fields() {
    using S = IdsOptions;
    return {{"json", &S::json, "the numbers as JSON"},
            {"out", &S::out, "write [axes, rows, tokens] to this .npy or .safetensors file"},
            {"full", &S::full, "draw all tokens, not only those that fit"}};
  }
};

const std::vector<PositionKind>& kinds() {
  static const auto all = [] {
    auto out = run_kinds();
    out.push_back(padding_kind());
    for (PositionKind& kind : packed_kinds()) out.push_back(std::move(kind));
    out.push_back(grid_kind());
    out.push_back(segments_kind());
    return out;
  }();
  return all;
}

bool has(const std::vector<Option>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

// Every option once, with the kinds that read it, and its default where they agree.
std::vector<Option> positions_options() {
  std::vector<Option> out;
  for (const PositionKind& kind : kinds())
    for (Option option : kind.options) {
      if (has(out, option.name)) continue;
      std::vector<std::string> readers;
      for (const PositionKind& other : kinds())
        for (const Option& same : other.options) {
          if (same.name != option.name) continue;
          readers.emplace_back(other.name);
          if (same.value != option.value) option.value = {};
        }
      option.help = join(readers, ", ") + ": " + option.help;
      out.push_back(std::move(option));
    }
  for (const Option& option : options_of(IdsOptions{})) out.push_back(option);
  return out;
}

std::string_view about_text() {
  static const std::string text = [] {
    std::string out = "KIND is one of\n";
    for (const PositionKind& kind : kinds())
      out += fmt::format("  {:<8}  {}\n", kind.name, kind.help);
    return out +
           "Each cell is a token; the numbers below it are its position on each axis. After a\n"
           "video, code bases disagree: --counter sides is transformers, largest is vLLM.\n";
  }();
  return text;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> out;
  for (const PositionKind& kind : kinds()) out.emplace_back(kind.name);
  return out;
}

const PositionKind& find_kind(const Call& call) {
  for (const PositionKind& kind : kinds())
    if (kind.name == call.words[0]) return kind;
  refuse("unknown kind of positions '", call.words[0], "'",
         suggestion(call.words[0], kind_names()));
}

void check_options(const PositionKind& kind, const Call& call) {
  const auto output = options_of(IdsOptions{}), common = common_options();
  for (const auto& [name, value] : call.own)
    if (!has(kind.options, name) && !has(output, name) && !has(common, name)) {
      std::vector<std::string> readers;
      for (const PositionKind& other : kinds())
        if (has(other.options, name)) readers.emplace_back(other.name);
      refuse("expected positions ", join(readers, " or "), " with --", name, ", got ", kind.name);
    }
}

// [axes][rows][tokens]
template <class T>
Json nested(const Planned<T>& p) {
  files::JsonList out;
  for (int64_t axis = 0; axis < p.axes; ++axis) {
    files::JsonList rows;
    for (int64_t row = 0; row < p.rows; ++row) {
      const auto begin = p.ids.begin() + (axis * p.rows + row) * p.tokens;
      rows.push_back(std::vector<T>(begin, begin + p.tokens));
    }
    out.push_back(std::move(rows));
  }
  return out;
}

// f(the plan's rope_delta), where it has one.
template <class F>
void each_delta(const PositionPlan& plan, const F& f) {
  if (const auto* whole = std::get_if<int64_t>(&plan.rope_delta)) f(*whole);
  if (const auto* real = std::get_if<double>(&plan.rope_delta)) f(*real);
}

Json plan_json(const PositionKind& kind, const PositionPlan& plan) {
  Json out{{"kind", kind.name}, {"axes", plan.axes}};
  out["positions"] = std::visit([](const auto& p) { return nested(p); }, plan.positions);
  for (const auto& row : plan.parts) {
    files::JsonList parts;
    for (const TokenRun& part : row)
      parts.push_back({{"name", part.name}, {"tokens", part.tokens}});
    out["parts"].push_back(std::move(parts));
  }
  each_delta(plan, [&](auto delta) { out["rope_delta"] = delta; });
  return out;
}

void write_file(const PositionKind& kind, const PositionPlan& plan, const std::string& path) {
  const Array array = std::visit(
      [](const auto& p) {
        using T = typename std::remove_cvref_t<decltype(p.ids)>::value_type;
        Array out = make_array(dtype_of<T>, {p.axes, p.rows, p.tokens});
        std::copy(p.ids.begin(), p.ids.end(), out.values<T>().begin());
        return out;
      },
      plan.positions);
  Metadata facts{{"kind", std::string(kind.name)}, {"axes", join(plan.axes, ",")}};
  each_delta(plan, [&](auto delta) { facts["rope_delta"] = fmt::format("{}", delta); });
  write_arrays(path, {{"positions", array}}, facts);
}

// "A chunk 0, B chunk 1, ...": every mark once.
std::string legend(const PositionPlan& plan) {
  constexpr size_t most = 6;
  std::vector<std::string> out;
  for (const auto& row : plan.parts)
    for (const TokenRun& part : row) {
      const std::string entry = fmt::format("{} {}", part.mark, part.name);
      if (part.tokens > 0 && std::find(out.begin(), out.end(), entry) == out.end())
        out.push_back(entry);
      if (out.size() > most) return (out.back() = "...", join(out, ", "));
    }
  return join(out, ", ");
}

void draw(const PositionPlan& plan, bool full) {
  const Size room = console_size();
  const int lines = full ? 0 : std::max(room.rows - 4, 12);
  print(strip(plan, room.columns, lines, console_colour()));
  for (const std::string& text : {legend(plan), plan.note})
    if (!text.empty()) print(text + "\n");
}

void run_positions(const Call& call) {
  const auto options = read_options<IdsOptions>(call);
  const PositionKind& kind = find_kind(call);
  check_options(kind, call);
  if (!options.out.empty() && !options.out.ends_with(".npy") &&
      !options.out.ends_with(".safetensors"))
    refuse("expected --out with the extension .npy or .safetensors, got ", options.out);
  if (!options.out.empty() && options.json) refuse("expected --json or --out, got both");
  if (options.full && (options.json || !options.out.empty()))
    refuse("expected a strip with --full, got ", options.json ? "--json" : "--out");
  const Progress progress("laying out positions");
  const PositionPlan plan = kind.plan(call);
  if (!options.out.empty()) return write_file(kind, plan, options.out);
  if (options.json) return print(answer(plan_json(kind, plan)));
  draw(plan, options.full);
}

}  // namespace

Command positions_command() {
  return {"positions",
          "print the positions of tokens in a batch, a packed row, an image or a video",
          takes_one("KIND"),
          about_text(),
          positions_options(),
          {"posenc positions padding --mask 00111,11100 --pad_rule roberta",
           "posenc positions packed --lengths 3,2,4",
           "posenc positions shard --tokens 16 --ranks 2 --slices zigzag",
           "posenc positions grid --size 4x4 --merge 2",
           "posenc positions grid --size 3x3 --place centers --json",
           "posenc positions segments --segments text:2,image:2x3,text:2",
           "posenc positions segments --segments text:2,video:8x2x2,text:1 --counter largest",
           "posenc positions segments --model qwen2.5-vl --segments video:6x4x8@0.5 --out p.npy"},
          run_positions,
          kind_names()};
}

}  // namespace posenc::cli
