// presets.cc: rotary schemes of well-known models.
#include "posenc/rotary/rope.h"

namespace posenc {

std::vector<Preset<Rope>> Rope::presets() {
  using enum Layout;
  const Yarn gpt_oss{.factor = 32, .truncate = false};
  const Yarn deepseek{.factor = 40, .mscale = 1, .mscale_all_dim = 1};
  return {
      {"llama", "Llama 1 and 2, as Hugging Face stores them", {.layout = half}},
      {"llama-meta", "the same with Meta's own weights", {.layout = interleaved}},
      {"llama3.1", "Llama 3.1 to 3.3", {.layout = half, .base = 500000, .scaling = Llama3{}}},
      {"gpt-neox",
       "the first quarter of a head of 96",
       {.dim = 96, .layout = half, .rotary_dim = 24}},
      {"gptj",
       "the first 64 of 256 features",
       {.dim = 256, .layout = interleaved, .rotary_dim = 64}},
      {"gpt-oss",
       "YaRN whose ramp is not rounded",
       {.dim = 64, .layout = half, .base = 150000, .scaling = gpt_oss}},
      {"deepseek-v3",
       "the rotary part of a head; its softmax scale has a factor too",
       {.dim = 64, .layout = interleaved_in_half_out, .scaling = deepseek}},
      {"gemma4",
       "full-attention layers: a quarter of the pairs of the whole head",
       {.dim = 512, .layout = half, .base = 1000000, .scaling = Proportional{}}},
      {"nanochat", "turns the other way", {.layout = half, .sign = Sign::negative}},
      {"xpos", "torchscale", {.dim = 64, .layout = interleaved, .decay = XPos{}}},
      {"llama4-nope",
       "layers without rotation, whose queries grow with the position",
       {.layout = interleaved, .rotary_dim = 0, .temperature = LogTemperature{}}},
      {"qwen2-vl",
       "time, height, width one after the other",
       {.layout = half, .base = 1000000, .axes = Chunked{{16, 24, 24}}}},
      {"qwen3-vl",
       "time, height, width in turn",
       {.layout = half, .base = 5000000, .axes = Alternating{{24, 20, 20}}}},
      {"ernie4.5-vl",
       "height and width in turn, then time",
       {.layout = interleaved, .base = 500000, .axes = ErnieAxes{{22, 22, 20}}}},
      {"qwen-vision",
       "the patches of a picture: y, then x",
       {.dim = 80, .layout = half, .axes = Restart{{20, 20}}}},
      {"pixtral",
       "y has the even, x the odd frequencies",
       {.dim = 64, .layout = half, .axes = Dealt{{16, 16}}}},
      {"llama4-vision",
       "x, then y, counted from 1; the class token stands at -1",
       {.dim = 88, .layout = interleaved, .offset = 1, .axes = Restart{{22, 22}}}},
      {"sam2", "x, then y", {.dim = 256, .layout = interleaved, .axes = Restart{{64, 64}}}},
      {"eva",
       "y, then x, from -1 to 1",
       {.dim = 64, .layout = interleaved, .frequencies = Pixels{}, .axes = Restart{{16, 16}}}},
      {"dinov3",
       "y, then x, from -1 to 1, in turns",
       {.dim = 64,
        .layout = half,
        .base = 100,
        .frequencies = Powers{Unit::turns},
        .axes = Restart{{16, 16}}}},
      {"gemma4-vision",
       "each half of the head has an axis and halves of its own",
       {.dim = 64, .layout = half, .base = 100, .blocks = 2, .axes = Restart{{16, 16}}}},
      {"rope-vit",
       "learned frequencies that mix x and y, for each of 12 heads",
       {.dim = 64, .layout = interleaved, .frequencies = LearnedFrequencies{12, 2}}},
  };
}

}  // namespace posenc
