// apply.cc: posenc apply.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "files/npy.h"
#include "files/output.h"
#include "files/safetensors.h"
#include "json.h"
#include "rows.h"

namespace posenc::cli {
namespace {

struct ApplyOptions : RowsOptions {
  std::string in{}, out{}, tensor{};

  static constexpr auto fields() {
    using S = ApplyOptions;
    return std::tuple_cat(
        RowsOptions::fields(),
        std::tuple{Field{"in", &S::in, "file with an array [..., tokens, dim]"},
                   Field{"out", &S::out, "file to write, .npy or .safetensors; may be --in"},
                   Field{"tensor", &S::tensor, "name of the array in a .safetensors file"}});
  }
};

// What was typed, with the array's own width when dim is an option that nobody gave.
Call with_dim(Call call, const Array& x) {
  const auto is_dim = [](const auto& option) { return option.first == "dim"; };
  if (std::any_of(call.scheme.begin(), call.scheme.end(), is_dim)) return call;
  for (const Option& option : info(typed([&] { return make_scheme(call.words[0]); })).options)
    if (option.name == "dim") call.scheme.emplace_back("dim", text::write(x.shape.back()));
  return call;
}

Array read_input(const ApplyOptions& options) {
  Array x = read_array(options.in, options.tensor);
  if (x.shape.size() < 2 || !is_float(x.dtype))
    fail("apply", options.in, ": expected an array f32, f64, f16 or bf16 [..., tokens, dim], got ",
         describe(x.view()));
  check_finite_numbers(options.in, x);
  return x;
}

PositionList positions_for(const Ready& ready, const ApplyOptions& options, int64_t tokens) {
  if (tokens == 0) fail("apply", options.in, ": expected at least one token, got none");
  auto out = read_positions(ready, options, fmt::format("0:{}", tokens), "");
  if (out.count == tokens) return out;
  refuse("expected --positions for the ", tokens, " tokens of ", options.in, ", got ", out.count);
}

// What the metadata of a .safetensors file says about a tensor that got positions.
Metadata note_on(const std::string& tensor, const Scheme& scheme, const PositionList& positions) {
  const SchemeInfo about = info(scheme);
  const Json note{
      {"scheme", about.name}, {"options", options_json(about)}, {"positions", positions.typed}};
  return {{"posenc." + tensor, note.dump()}};
}

std::string with_length(std::string header) {
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i));
  return out + header;
}

// The input file with the bytes of one tensor replaced; every other byte of data stays as it is,
// whatever its type.
void rewrite(const ApplyOptions& options, const Array& y, const Scheme& scheme,
             const PositionList& positions) {
  const files::Source source("apply", options.in);
  const auto index = files::read_index(source);
  const auto at = std::find_if(index.tensors.begin(), index.tensors.end(), [&](const auto& t) {
    return index.tensors.size() == 1 || t.name == options.tensor;
  });
  if (at == index.tensors.end() || at->end - at->begin != y.bytes.size())
    fail("apply", options.in, ": expected a file that rests, got one that changes");
  Json header = Json::parse(source.text(8, index.data_begin - 8));
  for (const auto& [key, value] : note_on(at->name, scheme, positions))
    header["__metadata__"][key] = value;
  const std::string head = with_length(header.dump());
  const std::string before = source.text(index.data_begin, at->begin);
  const uint64_t end = index.data_begin + at->end;
  const std::string after = source.text(end, source.size() - end);
  const std::string_view middle(reinterpret_cast<const char*>(y.bytes.data()), y.bytes.size());
  atomic_write(options.out, std::array<std::string_view, 4>{head, before, middle, after});
}

bool holds_npy(const std::string& path) {
  return files::Source("apply", path).starts_with(files::npy_magic);
}

void check(const ApplyOptions& options) {
  if (options.in.empty()) refuse("expected --in FILE, got none");
  if (options.out.empty()) refuse("expected --out FILE, got none");
  const bool safetensors = options.out.ends_with(".safetensors");
  if (!safetensors && !options.out.ends_with(".npy"))
    refuse("expected --out with the extension .npy or .safetensors, got ", options.out);
  const auto kind = std::filesystem::status(options.in).type();
  if (safetensors && (kind == std::filesystem::file_type::fifo || options.in == "-"))
    refuse("expected a file for --in when --out is .safetensors, got a pipe: ", options.in);
}

void run_apply(const Call& call) {
  const auto options = read_options<ApplyOptions>(call);
  check(options);
  Array x = read_input(options);
  const Scheme scheme = read_scheme(with_dim(call, x));
  const Ready ready = make_ready(scheme, options);
  const auto positions = positions_for(ready, options, x.shape.end()[-2]);
  const auto apply = [&] { add(ready.plan, x.view(), x.view(), positions.at(0, positions.count)); };
  options.positions.empty() ? apply() : typed(apply);
  const bool safetensors = options.out.ends_with(".safetensors");
  if (safetensors && !holds_npy(options.in)) return rewrite(options, x, scheme, positions);
  NamedArrays arrays;
  arrays.emplace_back("x", std::move(x));
  write_arrays(options.out, arrays, note_on("x", scheme, positions));
}

}  // namespace

Command apply_command() {
  return {"apply",
          "add an encoding to the arrays of a file: x + row(position)",
          "SCHEME",
          "x is [..., tokens, dim] of any float type; the sum is rounded once to that type. The\n"
          "scheme's dim is the array's unless it is given. Token t stands at position t unless\n"
          "--positions says otherwise. In a .safetensors file the other tensors stay as they are,\n"
          "and the metadata gets a note of what was added.\n",
          options_of(ApplyOptions{}),
          {"posenc table sinusoidal --dim 64 --positions 100:110 --out x.npy",
           "posenc apply sinusoidal --in x.npy --out y.npy",
           "posenc apply sinusoidal --preset fairseq --in x.npy --positions 7:17 --out "
           "y.safetensors"},
          run_apply};
}

}  // namespace posenc::cli
