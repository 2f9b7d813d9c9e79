// presets.cc: rotary schemes of well-known models.
#include <cmath>

#include "posenc/rotary/rope.h"

namespace posenc {
namespace {

// V-JEPA 2: feature f of the 20 of an axis turns by the angle of pair f mod 10, so the first
// numbers of all pairs by one list, and the second ones by another.
Rope v_jepa2(int second) {
  ListedFrequencies list;
  for (int axis = 0; axis < 3; ++axis)
    for (int feature = second; feature < 20; feature += 2)
      list.values.push_back(std::pow(10000, -0.1 * (feature % 10)));
  return {.dim = 64,
          .layout = Layout::interleaved,
          .rotary_dim = 60,
          .frequencies = list,
          .axes = Chunked{{10, 10, 10}}};
}

}  // namespace

std::vector<Preset<Rope>> Rope::presets() {
  using enum Layout;
  const Yarn gpt_oss{.factor = 32, .truncate = false};
  const Yarn deepseek{.factor = 40, .mscale = 1, .mscale_all_dim = 1};
  return {
      {"llama", "Llama 1 and 2, as Hugging Face stores them", {.layout = half}},
      {"llama-meta", "Llama 1 and 2 with Meta's own weights", {.layout = interleaved}},
      {"llama3.1", "Llama 3.1 to 3.3", {.layout = half, .base = 500000, .scaling = Llama3{}}},
      {"gpt-neox",
       "GPT-NeoX: the first quarter of a head of 96",
       {.dim = 96, .layout = half, .rotary_dim = 24}},
      {"gptj",
       "GPT-J: the first 64 of 256 features",
       {.dim = 256, .layout = interleaved, .rotary_dim = 64}},
      {"gpt-oss",
       "gpt-oss: YaRN whose ramp is not rounded",
       {.dim = 64, .layout = half, .base = 150000, .scaling = gpt_oss}},
      {"deepseek-v3",
       "DeepSeek-V3: the rotary part of a head; its softmax scale has a factor too",
       {.dim = 64, .layout = interleaved_in_half_out, .scaling = deepseek}},
      {"gemma4",
       "Gemma 4, full-attention layers: a quarter of the pairs of the whole head",
       {.dim = 512, .layout = half, .base = 1000000, .scaling = Proportional{}}},
      {"nanochat",
       "nanochat: rotates in the opposite direction",
       {.layout = half, .sign = Sign::negative}},
      {"xpos",
       "xPos (Sun et al. 2022), torchscale",
       {.dim = 64, .layout = interleaved, .decay = XPos{}}},
      {"llama4-nope",
       "Llama 4: layers without rotation, whose queries grow with the position",
       {.layout = interleaved, .rotary_dim = 0, .temperature = LogTemperature{}}},
      {"qwen2-vl",
       "Qwen2-VL, Qwen2.5-VL: time, height, width one after the other",
       {.layout = half, .base = 1000000, .axes = Chunked{{16, 24, 24}}}},
      {"qwen3-vl",
       "Qwen3-VL: time, height, width in turn",
       {.layout = half, .base = 5000000, .axes = Alternating{{24, 20, 20}}}},
      {"ernie4.5-vl",
       "ERNIE 4.5 VL: height and width in turn, then time",
       {.layout = interleaved, .base = 500000, .axes = ErnieAxes{{22, 22, 20}}}},
      {"openpangu",
       "openPangu: time, height, width, each as often as its section says",
       {.layout = half, .base = 1000000, .axes = Balanced{{24, 20, 20}}}},
      {"qwen-vision",
       "Qwen2-VL, Qwen2.5-VL, GLM-4V, the patches of a picture: y, then x",
       {.dim = 80, .layout = half, .axes = Restart{{20, 20}}}},
      {"pixtral",
       "Pixtral: y has the even, x the odd frequencies",
       {.dim = 64, .layout = half, .axes = Dealt{{16, 16}}}},
      {"llama4-vision",
       "Llama 4, the patches of a picture: x, then y, counted from 1; the class token is at -1",
       {.dim = 88, .layout = interleaved, .offset = 1, .axes = Restart{{22, 22}}}},
      {"sam2", "SAM 2: x, then y", {.dim = 256, .layout = interleaved, .axes = Restart{{64, 64}}}},
      {"kimi-vision",
       "Kimi-K2.5's MoonViT: x and y in turn, as its published weights have it",
       {.dim = 72, .layout = interleaved, .axes = InTurn{{18, 18}}}},
      {"efficientloftr",
       "EfficientLoFTR: row and column in turn, counted from 1; the whole width is "
       "rotated, before heads are split",
       {.dim = 256, .layout = interleaved, .offset = 1, .axes = InTurn{{64, 64}}}},
      {"esmfold2",
       "ESMFold2, atoms: x, y, z, then the residue's number",
       {.dim = 32,
        .layout = half,
        .frequencies = AxisPowers{{20, 20, 20, 10000}},
        .axes = Restart{{2, 2, 2, 10}}}},
      {"musicflamingo",
       "MusicFlamingo: seconds times window / 1200, seconds times frame 2 pi / 1200; the whole "
       "width is rotated",
       {.dim = 1280,
        .layout = interleaved,
        .base = 1200,
        .rotary_dim = 512,
        .sign = Sign::negative,
        .frequencies = Powers{Unit::turns},
        .axes = Restart{{128, 128}}}},
      {"eva",
       "EVA (timm): y, then x, from -1 to 1",
       {.dim = 64, .layout = interleaved, .frequencies = Pixels{}, .axes = Restart{{16, 16}}}},
      {"dinov3",
       "DINOv3: y, then x, from -1 to 1; frequencies in turns",
       {.dim = 64,
        .layout = half,
        .base = 100,
        .frequencies = Powers{Unit::turns},
        .axes = Restart{{16, 16}}}},
      {"v-jepa2",
       "V-JEPA 2, not a rotation: frame, row, column; use only the even features of the result",
       v_jepa2(0)},
      {"v-jepa2-second", "V-JEPA 2: the same for the odd features", v_jepa2(1)},
      {"gemma4-vision",
       "Gemma 4, the patches of a picture: each half of the head has its own axis and its own two "
       "halves",
       {.dim = 64, .layout = half, .base = 100, .blocks = 2, .axes = Restart{{16, 16}}}},
      {"rope-vit",
       "RoPE-ViT (Heo et al. 2024): learned frequencies that mix x and y, for each of 12 heads",
       {.dim = 64, .layout = interleaved, .frequencies = LearnedFrequencies{12, 2}}},
  };
}

}  // namespace posenc
