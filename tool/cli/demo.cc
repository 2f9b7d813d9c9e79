// demo.cc: posenc demo, a tour in the terminal.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/console.h"
#include "cli/measure/measure.h"
#include "cli/models/explain.h"
#include "cli/show/variant_pictures.h"
#include "cli/tables/move.h"
#include "cli/tables/table_formats.h"
#include "model/output.h"

namespace posenc::cli {
namespace {

struct DemoOptions {
  std::string out = "posenc-demo";
  static Fields fields() { return {{"out", &DemoOptions::out, "folder for the pictures"}}; }
};

namespace fs = std::filesystem;

fs::path tool_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

bool is_on_path() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::equivalent(fs::path(folder) / "posenc", tool_path(), ignored)) return true;
  return false;
}

// The script that builds and runs the tool, in the tree of a tool ROOT/build/NAME/tool/cli/posenc;
// elsewhere the tool itself.
fs::path runner() {
  std::error_code ignored;
  const fs::path run = (tool_path() / "../../../../../run").lexically_normal();
  return fs::exists(run, ignored) ? run : tool_path();
}

// How to call the tool from here: by its name on the PATH, or ./run.
std::string called() {
  std::error_code ignored;
  return fs::equivalent(runner(), "run", ignored) && !is_on_path() ? "./run" : "posenc";
}

// Commands to go on with.
constexpr std::pair<std::string_view, std::string_view> next[] = {
    {"list", "all schemes"},
    {"table sinusoidal --dim 8 --json", "numbers for programs"},
    {"check sinusoidal --dim 64", "properties, checked"},
    {"check rope --preset gpt-oss", "properties of a rotary scheme"},
    {"show alibi", "biases by distance"},
    {"positions packed --lengths 3,2,4", "positions of tokens"},
    {"identify FILE.npy", "the scheme behind a table"},
    {"explain config.json", "what a model uses"},
    {"COMMAND --help", "how to use a command"}};

void heading(std::string_view english, std::string_view chinese) {
  const bool colour = console_colour() != draw::Colour::none;
  print(fmt::format("\n{}{}  {}{}\n\n", colour ? "\033[1m" : "", english, chinese,
                    colour ? "\033[0m" : ""));
}

std::string numbers(const float* values, int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) out += fmt::format("{:>7.3f}", values[i]);
  return out;
}

// Three words and an embedding for each, made up.
constexpr int64_t toy_dim = 4;
constexpr std::string_view words[] = {"dog", "bites", "man"};
float embedding[3][toy_dim] = {
    {0.31f, -0.52f, 0.07f, 0.44f}, {-0.25f, 0.11f, 0.63f, -0.38f}, {0.58f, 0.29f, -0.41f, 0.12f}};

// What the Transformer gets for the words of a sentence.
using Inputs = std::array<std::array<float, toy_dim>, 3>;

// Prints how the words at `shown` positions are encoded.
Inputs encode(const std::array<int32_t, 3>& ids, std::initializer_list<size_t> shown) {
  const auto plan = prepare(Sinusoidal{.dim = toy_dim});
  Inputs rows, inputs;
  fill(plan, tensor(rows[0].data(), {3, toy_dim}));
  const double scale = std::sqrt(static_cast<double>(toy_dim));
  embed(plan, tensor(ids.data(), {3}), tensor(&embedding[0][0], {3, toy_dim}),
        tensor(inputs[0].data(), {3, toy_dim}), {.scale = scale});
  for (const size_t p : shown) {
    const auto id = static_cast<size_t>(ids[p]);
    float scaled[toy_dim];
    for (size_t c = 0; c < toy_dim; ++c) scaled[c] = embedding[id][c] * static_cast<float>(scale);
    print(fmt::format("  {:<7} embedding x sqrt(dim)  {}\n", words[id], numbers(scaled, toy_dim)));
    print(fmt::format("  at {}    + row {:<15}  {}\n", p, p, numbers(rows[p].data(), toy_dim)));
    print(fmt::format("          = input                {}\n", numbers(inputs[p].data(), toy_dim)));
  }
  return inputs;
}

void show_tokens() {
  heading("1. Tokens -> embedding -> + position", "词 -> 词向量 -> 加上位置");
  print("  dog bites man\n");
  const Inputs first = encode({0, 1, 2}, {0, 1, 2});
  print("\n  man bites dog\n");
  const Inputs second = encode({2, 1, 0}, {2});
  float difference[toy_dim];
  for (size_t c = 0; c < toy_dim; ++c) difference[c] = second[2][c] - first[0][c];
  print(fmt::format(
      "\n  The same words, but a different meaning. The embedding of 'dog' is the same in\n"
      "  both; the Transformer's input differs by{}.\n"
      "  “我喜欢吃苹果”与“苹果喜欢吃我”：没有位置编码，模型分不清。\n",
      numbers(difference, toy_dim)));
}

Ready ready_of(const Scheme& scheme) { return make_ready(scheme, {}); }

void show_table() {
  heading("2. The table: sines and cosines, from fast to slow", "位置编码表");
  const Ready ready = ready_of(Sinusoidal{.dim = 6});
  const auto positions = parse_positions("0:6", 1);
  write_text({info(ready.scheme), positions, fill_table(ready, positions, DType::f32)}, 80, print);
}

void show_shift() {
  heading("3. M_k: one matrix moves every position by k", "PE(p+k) = M_k PE(p)");
  constexpr int64_t k = 3;
  const Sinusoidal scheme{.dim = 64};
  const Move move{shift(scheme, k), k, ""};
  const Shift& m = move.m;
  const Ready ready = ready_of(scheme);
  const auto error = [&](DType dtype) {
    return worst(try_move(ready, move, parse_positions("0:10000", 1), dtype));
  };
  print(fmt::format("  | {:>9.6f} {:>9.6f} |\n", m.cosine(0), m.sine(0)));
  print(fmt::format("  | {:>9.6f} {:>9.6f} |  rotates the first pair by {} radians\n\n", -m.sine(0),
                    m.cosine(0), k));
  print(
      fmt::format("  At 10000 positions and in all {} columns, |M_{} PE(p) - PE(p+{})| is at most\n"
                  "  {:.1e} in f32 and {:.1e} in f64.\n",
                  scheme.dim, k, k, error(DType::f32), error(DType::f64)));
}

void show_rotary() {
  heading("4. Rotary: queries and keys rotate; only their distance matters", "旋转位置编码");
  const auto plan = prepare(Rope{.dim = toy_dim, .layout = Layout::half});
  for (const int64_t p : {0, 100, 1000000}) {
    auto q = std::to_array(embedding[0]), k = std::to_array(embedding[1]);
    rotate(plan, {tensor(q.data(), {1, 1, toy_dim}), {}}, range(p + 4));
    rotate(plan, {{}, tensor(k.data(), {1, 1, toy_dim})}, range(p));
    double score = 0;
    for (size_t c = 0; c < toy_dim; ++c) score += q[c] * k[c];
    print(fmt::format("  q{} at{:>8}   k at{:>8}   q . k ={:>9.5f}\n", numbers(q.data(), toy_dim),
                      p + 4, p, score));
  }
  print(
      "\n  Which two features form a pair, --layout half or interleaved, must be given:\n"
      "  a wrong one raises no error; the model is just worse.\n");
}

void show_relative() {
  heading("5. Relative: scores get a bias by distance, here ALiBi", "相对位置编码");
  const Alibi alibi{.heads = 4};
  constexpr int64_t distances[] = {0, 1, 2, 4, 8, 64};
  std::string head = "  keys back ";
  for (const int64_t d : distances) head += fmt::format("{:>10}", d);
  print(head + "\n");
  for (int64_t h = 0; h < alibi.heads; ++h) {
    std::string line = fmt::format("  head {}    ", h);
    for (const int64_t d : distances) line += fmt::format("{:>10.4g}", 0 - alibi.slope(h) * d);
    print(line + "\n");
  }
  print("\n  Nothing is learned: each head has its slope, and far keys count for less.\n");
}

void show_model() {
  heading("8. What a model has", "模型里的位置编码");
  const std::string config = R"({"model_type": "gpt_oss"})";
  print(fmt::format("  {} explain '{}'\n\n", called(), config));
  print(explanation(model::read_config(config)));
}

void show_accuracy() {
  heading("6. Accuracy, measured here against 100 digits", "精度");
  Call call;
  call.scheme = {{"dim", "64"}};
  const std::vector<Stretch> where{stretches()[3], stretches().back()};
  const Accuracy accuracy = measure(call, where);
  const auto print_errors = [&](std::string_view numerics, std::string_view who) {
    for (const Errors& e : accuracy.errors)
      if (e.numerics == numerics && e.dtype == DType::f32)
        print(fmt::format("  {:<20} {:>8.1e} up to position {}, {:>8.1e} up to {}\n", who,
                          e.largest[0], where[0].label, e.largest[1], where[1].label));
  };
  print_errors("exact", "posenc, f32");
  print_errors("torch-f32", "common f32 code");
  print(fmt::format("  The contract is {:.1e} at every position.\n",
                    promised(DType::f32, accuracy.amplitude)));
}

void show_heatmap() {
  heading("7. What it looks like", "看一看");
  const Ready ready = ready_of(Sinusoidal{.dim = 64, .order = Order::halves});
  const auto plot = make_picture(ready, parse_positions("0:128", 1), Kind::heatmap);
  print(terminal_heatmap(std::get<draw::Heatmap>(plot), std::min(console_size().columns, 80), 26,
                         console_colour()));
}

// Names of files, and what they hold.
std::vector<std::pair<std::string, std::string>> draw_pictures() {
  std::vector<Variant> one;
  one.push_back({"", ready_of(Sinusoidal{.dim = 128})});
  const std::pair<Kind, std::string_view> pictures[] = {{Kind::heatmap, "0:128"},
                                                        {Kind::waves, "0:64:0.25"},
                                                        {Kind::similarity, "0:128"},
                                                        {Kind::wavelengths, "0:128"}};
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [kind, run] : pictures) {
    const auto plot = kind == Kind::wavelengths
                          ? draw_wavelengths(one)
                          : make_picture(one[0].ready, parse_positions(run, 1), kind);
    files.emplace_back(fmt::format("{}.png", enum_name(kind)), to_png(plot, 1000, 640));
  }
  return files;
}

void write_pictures(const std::string& folder) {
  heading("9. Pictures", "图");
  std::vector<std::pair<std::string, std::string>> files;
  try {
    files = draw_pictures();
  } catch (const Error& error) {  // the tool of a wheel, where there is no matplotlib
    return print(fmt::format("  {}\n", error.what()));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("demo", "cannot make the folder ", folder, ": ", error.message());
  for (const auto& [name, bytes] : files) {
    const std::string path = folder + "/" + name;
    atomic_write(path, bytes);
    print("  " + path + "\n");
  }
}

void run_demo(const Call& call) {
  const auto options = read_options<DemoOptions>(call);
  show_tokens();
  show_table();
  show_shift();
  show_rotary();
  show_relative();
  show_accuracy();
  show_heatmap();
  show_model();
  write_pictures(options.out);
  heading("10. Next", "接下来");
  for (const auto& [arguments, about] : next)
    print(fmt::format("  {:<46}{}\n", fmt::format("{} {}", called(), arguments), about));
  if (called() == "posenc" && !is_on_path())
    print(fmt::format("\n  posenc is {} here.\n", runner().string()));
}

}  // namespace

Command demo_command() {
  return {"demo",
          "a tour: what an encoding is, does and looks like",
          takes_nothing,
          "Shows how a token gets its position, the table, M_k, rotary scores, a bias by\n"
          "distance, the accuracy on this machine, a heat map and the encoding of a model,\n"
          "and writes pictures into a folder.\n",
          options_of(DemoOptions{}),
          {"posenc demo", "posenc demo --out pictures"},
          run_demo};
}

}  // namespace posenc::cli
