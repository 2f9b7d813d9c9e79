// demo.cc: posenc demo, a tour in the terminal.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "console.h"
#include "draw/files.h"
#include "measure.h"
#include "model/output.h"
#include "move.h"
#include "table_formats.h"
#include "variant_pictures.h"

namespace posenc::cli {
namespace {

struct DemoOptions {
  std::string out = "posenc-demo";
  static Fields fields() { return {{"out", &DemoOptions::out, "folder for the pictures"}}; }
};

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

// The words of a sentence, each with what the Transformer gets for it.
void show_sentence(const std::array<int32_t, 3>& ids, float (&inputs)[3][toy_dim]) {
  const auto plan = prepare(Sinusoidal{.dim = toy_dim});
  float rows[3][toy_dim];
  fill(plan, tensor(&rows[0][0], {3, toy_dim}));
  const double scale = std::sqrt(static_cast<double>(toy_dim));
  embed(plan, tensor(ids.data(), {3}), tensor(&embedding[0][0], {3, toy_dim}),
        tensor(&inputs[0][0], {3, toy_dim}), {.scale = scale});
  for (size_t p = 0; p < 3; ++p) {
    const auto id = static_cast<size_t>(ids[p]);
    float scaled[toy_dim];
    for (size_t c = 0; c < toy_dim; ++c) scaled[c] = embedding[id][c] * static_cast<float>(scale);
    print(fmt::format("  {}  {:<5} {}{}  +{}  ={}\n", p, words[id], id, numbers(scaled, toy_dim),
                      numbers(rows[p], toy_dim), numbers(inputs[p], toy_dim)));
  }
}

void show_tokens() {
  heading("1. Tokens -> embedding -> + position", "词 -> 词向量 -> 加上位置");
  print(fmt::format("  p  token id{:<27}  +{:<28}  ={}\n", "  embedding x sqrt(dim)", "  row of p",
                    "  input"));
  float first[3][toy_dim], second[3][toy_dim], difference[toy_dim];
  show_sentence({0, 1, 2}, first);
  print("\n");
  show_sentence({2, 1, 0}, second);
  for (size_t c = 0; c < toy_dim; ++c) difference[c] = second[2][c] - first[0][c];
  print(fmt::format(
      "\n  The same words, another meaning. The embedding of 'dog' is the same in both; what the\n"
      "  Transformer gets differs by{}, for it stands at 0 and at 2.\n"
      "  “我喜欢吃苹果”与“苹果喜欢吃我”：没有位置编码，模型分不清。\n",
      numbers(difference, toy_dim)));
}

Ready ready_of(const Scheme& scheme) { return make_ready(scheme, {}); }

void show_table() {
  heading("2. The table: sines and cosines, fast on the left, slow on the right", "位置编码表");
  const Ready ready = ready_of(Sinusoidal{.dim = 8});
  const auto positions = parse_positions("0:6", 1);
  write_text({info(ready.scheme), positions, fill_table(ready, positions, DType::f32)}, 100, print);
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
  print(fmt::format("  | {:>9.6f} {:>9.6f} |  turns the first pair by {} radians\n\n", -m.sine(0),
                    m.cosine(0), k));
  print(
      fmt::format("  At 10000 positions and in all {} columns, |M_{} PE(p) - PE(p+{})| is at most\n"
                  "  {:.1e} in f32 and {:.1e} in f64.\n",
                  scheme.dim, k, k, error(DType::f32), error(DType::f64)));
}

void show_rotary() {
  heading("4. Rotary: queries and keys turn, and only their distance counts", "旋转位置编码");
  const auto plan = prepare(Rope{.dim = toy_dim, .layout = Layout::half});
  for (const int64_t p : {0, 100, 1000000}) {
    auto q = std::to_array(embedding[0]), k = std::to_array(embedding[1]);
    rotate(plan, {tensor(q.data(), {1, 1, toy_dim}), {}}, range(p + 4));
    rotate(plan, {{}, tensor(k.data(), {1, 1, toy_dim})}, range(p));
    double score = 0;
    for (size_t c = 0; c < toy_dim; ++c) score += q[c] * k[c];
    print(fmt::format("  q{} at{:>8}  k{} at{:>8}  q . k ={:>9.5f}\n", numbers(q.data(), toy_dim),
                      p + 4, numbers(k.data(), toy_dim), p, score));
  }
  print(
      "\n  Which two features turn together, --layout half or interleaved, is always stated: a\n"
      "  wrong one is no error, only a worse model.\n");
}

void show_accuracy() {
  heading("5. Accuracy, measured here against 100 digits", "精度");
  Call call;
  call.scheme = {{"dim", "64"}};
  const std::vector<Stretch> where{stretches()[3], stretches().back()};
  const Accuracy accuracy = measure(call, where);
  const auto print_errors = [&](std::string_view numerics, std::string_view who) {
    for (const Errors& e : accuracy.errors)
      if (e.numerics == numerics && e.dtype == DType::f32)
        print(fmt::format("  {:<28} {:>8.1e} up to position {}, {:>8.1e} up to {}\n", who,
                          e.largest[0], where[0].label, e.largest[1], where[1].label));
  };
  print_errors("exact", "posenc, f32");
  print_errors("torch-f32", "the usual f32 code");
  print(fmt::format("  The contract is {:.1e} at every position.\n",
                    promised(DType::f32, accuracy.amplitude)));
}

void show_heatmap() {
  heading("6. What it looks like", "看一看");
  const Ready ready = ready_of(Sinusoidal{.dim = 64, .order = Order::halves});
  const auto plot = make_picture(ready, parse_positions("0:128", 1), Kind::heatmap);
  print(terminal_heatmap(std::get<draw::Heatmap>(plot), std::min(console_size().columns, 100), 26,
                         console_colour()));
}

void write_pictures(const std::string& folder) {
  heading("7. Pictures", "图");
  if (!draw::makes_files())
    return print(
        "  This tool was built without cairo: in Python, posenc.plot draws by matplotlib.\n");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("demo", "cannot make the folder ", folder, ": ", error.message());
  std::vector<Variant> one;
  one.push_back({"", ready_of(Sinusoidal{.dim = 128})});
  const std::pair<Kind, std::string_view> pictures[] = {{Kind::heatmap, "0:128"},
                                                        {Kind::waves, "0:64:0.25"},
                                                        {Kind::similarity, "0:128"},
                                                        {Kind::wavelengths, "0:128"}};
  for (const auto& [kind, run] : pictures) {
    const std::string path = fmt::format("{}/{}.png", folder, enum_name(kind));
    const auto plot = kind == Kind::wavelengths
                          ? draw_wavelengths(one)
                          : make_picture(one[0].ready, parse_positions(run, 1), kind);
    atomic_write(path, to_png(plot, 1000, 640));
    print("  " + path + "\n");
  }
}

void run_demo(const Call& call) {
  const auto options = read_options<DemoOptions>(call);
  show_tokens();
  show_table();
  show_shift();
  show_rotary();
  show_accuracy();
  show_heatmap();
  write_pictures(options.out);
  heading("8. Go on", "接下来");
  print(
      "  posenc list                                   what there is\n"
      "  posenc table sinusoidal --dim 8 --json        numbers for programs\n"
      "  posenc check sinusoidal --dim 64              what is claimed of encodings, checked\n"
      "  posenc check rope --preset gpt-oss            the same of rotary ones\n"
      "  posenc show alibi                             what heads add to scores, by distance\n"
      "  posenc positions packed --lengths 3,2,4       where tokens stand\n"
      "  posenc identify FILE.npy                      which formula, or mistake, made a table\n"
      "  posenc COMMAND --help                         how each is used\n");
}

}  // namespace

Command demo_command() {
  return {"demo",
          "a tour: what an encoding is, does and looks like",
          "",
          "Shows the way of a token into the Transformer, the table, M_k, rotary scores, the\n"
          "accuracy on this machine and a heat map, and writes pictures into a folder.\n",
          options_of(DemoOptions{}),
          {"posenc demo", "posenc demo --out pictures"},
          run_demo};
}

}  // namespace posenc::cli
