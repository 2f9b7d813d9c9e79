// convert_test.cc: posenc convert layout moves what it must, and nothing else.
#include "posenc/layout.h"
#include "tests/cli/tool.h"

namespace posenc::convert_test {
namespace {

// Rows of f32 whose numbers tell where they came from; small, so that scores are exact enough.
Array rows(std::vector<int64_t> shape) {
  Array out = make_array(DType::f32, std::move(shape));
  float next = 0;
  for (float& x : out.values<float>()) x = 1 / (1 + (next += 1));
  return out;
}

class Convert : public Tool {
 protected:
  // 6 query heads and 2 key heads of 12 features, 8 of which turn from feature 4 on.
  const std::string arguments =
      "--heads 6 --kv_heads 2 --dim 12 --rotary_dim 8 --rotary_offset -8 ";
  const HeadSpan one{1, 12, 8, -8, 1};

  void write_model() const {
    write_arrays(path("m.safetensors"), {{"l.0.attn.q_proj.weight", rows({72, 40})},
                                         {"l.0.attn.k_proj.weight", rows({24, 40})},
                                         {"l.0.attn.q_proj.bias", rows({72})},
                                         {"l.0.attn.k_norm.weight", rows({12})},
                                         {"l.0.attn.q_norm.weight", rows({6, 12})},
                                         {"l.0.attn.v_proj.weight", rows({24, 40})},
                                         {"l.0.mlp.q_projection", numbered(DType::i64, {3})}});
  }
};

TEST_F(Convert, MovesRowsBiasesAndGains) {
  write_model();
  const std::string said = output("convert layout --from half --to interleaved " + arguments +
                                  "--in m.safetensors --out n.safetensors");
  EXPECT_NE(said.find("5 tensors from half to interleaved"), said.npos) << said;
  EXPECT_NE(said.find("scores of 1 layer\ndiffer by"), said.npos) << said;
  const auto order = layout_order(Layout::half, Layout::interleaved, one);
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3, 4, 8, 5, 9, 6, 10, 7, 11}));
  for (const auto& [name, before] : read_arrays(path("m.safetensors"))) {
    Array now = read_array(path("n.safetensors"), name), old = before;
    if (name.find("v_proj") != name.npos || name.find("mlp") != name.npos) {
      expect_same(now, old);
      continue;
    }
    const bool wide = old.shape.size() == 2 && old.shape[1] == 40;
    const size_t columns = wide ? 40 : 1, count = old.values<float>().size() / columns;
    for (size_t r = 0; r < count; ++r)
      for (size_t c = 0; c < columns; ++c) {
        const size_t from = r / 12 * 12 + static_cast<size_t>(order[r % 12]);
        EXPECT_EQ(now.values<float>()[r * columns + c], old.values<float>()[from * columns + c])
            << name << " " << r << " " << c;
      }
  }
}

TEST_F(Convert, AndBackIsTheSameFile) {
  write_model();
  output("convert layout --from half --to interleaved " + arguments +
         "--in m.safetensors --out n.safetensors");
  output("convert layout --from interleaved --to half " + arguments +
         "--in n.safetensors --out n.safetensors");
  for (const auto& [name, before] : read_arrays(path("m.safetensors")))
    expect_same(read_array(path("n.safetensors"), name), before);
  EXPECT_EQ(read_metadata(path("n.safetensors")).at("posenc.l.0.attn.q_proj.weight"),
            "layout half");
}

TEST_F(Convert, TakesNpyAndOtherNames) {
  write_arrays(path("w.npy"), {{"", rows({16, 5})}});
  const std::string half = "convert layout --from half --to interleaved --heads 2 --dim 8 ";
  output(half + "--in w.npy --out v.npy");
  EXPECT_EQ(read_array(path("v.npy")).values<float>()[5], rows({16, 5}).values<float>()[4 * 5]);
  write_arrays(path("b.npy"), {{"", rows({16})}});
  output(half + "--in b.npy --out c.npy");
  EXPECT_EQ(read_array(path("c.npy")).values<float>()[1], rows({16}).values<float>()[4]);
  write_arrays(path("m.safetensors"),
               {{"blocks.3.asks.w", rows({16, 5})}, {"blocks.3.answers.w", rows({16, 5})}});
  const std::string names = "--queries asks --keys answers --in m.safetensors ";
  EXPECT_NE(output(half + names + "--out n.safetensors").find("2 tensors"), std::string::npos);
}

TEST_F(Convert, Refuses) {
  write_model();
  const std::string files = "--in m.safetensors --out n.safetensors ";
  const std::string layouts = "convert layout --from half --to interleaved ";
  const std::pair<std::string, std::string_view> typed[] = {
      {"convert", "expected a CONVERSION"},
      {"convert layuot", "did you mean 'layout'?"},
      {"convert layout --out x.npy", "expected --in FILE"},
      {"convert layout --in m.safetensors", "expected --out FILE"},
      {"convert layout --heads 6 --dim 12 " + files, "expected --from and --to"},
      {layouts + files, "expected --heads N and --dim N"},
      {"convert layout --from half --to half --heads 6 --dim 12 " + files, "two layouts"},
      {"convert layout --from interleaved --to interleaved-in-half-out --heads 6 --dim 12 " + files,
       "two layouts"},
      {layouts + "--heads 6 --dim 11 " + files, "even"},
      {layouts + "--heads 6 --dim 12 --rotary_dim 8 --rotary_offset 6 " + files, "rotary_offset"},
      {layouts + "--heads 0 --dim 12 " + files, "heads"},
      {layouts + "--heads 6 --kv_heads 4 --dim 12 " + files, "expected kv_heads that divide"},
  };
  for (const auto& [line, part] : typed) expect_refusal(line, 2, part);
  expect_refusal(layouts + "--heads 6 --dim 12 " + files, 1,
                 "\"l.0.attn.k_proj.weight\" as [72, inputs]");
  expect_refusal(layouts + "--heads 6 --dim 12 --queries nothing --keys none " + files, 1,
                 "modules such as q_proj and k_proj, got none");
  expect_refusal(layouts + arguments + "--in m.safetensors --out n.npy", 2,
                 "extension .safetensors");
  expect_refusal(layouts + "--heads 6 --dim 12 --in none.npy --out n.npy", 1, "no such file");
  for (const char* kind : {"convert layout", "convert rows"})
    expect_refusal(kind + std::string(" --in meta-llama/Llama-3.2-1B"), 1,
                   "meta-llama/Llama-3.2-1B: no such file or folder; posenc fetches nothing: "
                   "download the model first");
}

}  // namespace
}  // namespace posenc::convert_test
