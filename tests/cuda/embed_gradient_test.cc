// embed_gradient_test.cc: the gradient of an embedding on a device.
#include "tests/cuda/sums.h"

namespace posenc::embed_gradient_test {
namespace {

using CudaEmbedGradient = Cuda;

struct Embedding {
  std::string name;
  std::vector<int64_t> batch;
  int64_t tokens, dim, vocabulary;
  int64_t low, high;  // ids
  bool skewed = false;
};

void expect_embedding(const Embedding& e, DType dtype, DType id_type, Placement placement) {
  SCOPED_TRACE(e.name + " " + std::string(to_string(dtype)));
  Random random(5);
  std::vector<int64_t> shape = e.batch;
  shape.push_back(e.tokens);
  Guarded ids(id_type, shape, placement);
  shape.push_back(e.dim);
  Guarded dout(dtype, shape, placement),
      sums(compute_type(dtype), {e.vocabulary, e.dim}, placement);
  randomize(dout.view(), random), randomize(sums.view(), random);
  randomize_ids(ids.view(), random, e.low, e.high);
  if (e.skewed)  // most tokens are the same one
    for (int64_t n = 0; n < ids.view().elements(); ++n)
      if (random.real() > -0.8) set(ids.view(), n, static_cast<double>(e.high / 2));
  const OnDevice device_ids(ids.view()), device_dout(dout.view());
  const double scale = 1.75;
  const Array wide = widened(dout.view()), sizes = sizes_of(dout.view());
  const Array truth = widened(sums.view()), all = sizes_of(sums.view());
  std::vector<int64_t> list;
  int64_t most = 0;
  for (int64_t n = 0; n < ids.view().elements(); ++n) {
    const auto id = static_cast<int64_t>(get(ids.view(), n));
    if (id < 0 || id >= e.vocabulary) continue;
    for (int64_t c = 0; c < e.dim; ++c)
      for (const auto& [to, from] : {std::pair{&truth, &wide}, std::pair{&all, &sizes}})
        set(to->view(), id * e.dim + c,
            get(to->view(), id * e.dim + c) + scale * get(from->view(), n * e.dim + c));
    list.resize(static_cast<size_t>(e.vocabulary));
    most = std::max(most, ++list[static_cast<size_t>(id)]);
  }
  run_twice({&sums}, [&](std::span<const Tensor> to) {
    embed_backward(device_ids.view(), device_dout.view(), to[0], scale);
  });
  expect_sums(sums.view(), truth.view(), all.view(), static_cast<double>(most));
}

TEST_F(CudaEmbedGradient, Embeddings) {
  for (const DType dtype : float_types) {
    expect_embedding({"few", {2}, 9, 8, 30, 0, 29}, dtype, DType::i32, Placement::dense);
    expect_embedding({"one id", {3}, 700, 8, 1, 0, 0}, dtype, DType::i64, Placement::dense);
    expect_embedding({"few of many ids", {2}, 300, 8, 9000, 0, 8999}, dtype, DType::i64,
                     Placement::dense);
    expect_embedding({"many ids", {3}, 700, 8, 9000, 0, 8999}, dtype, DType::i32, Placement::dense);
    expect_embedding({"skewed", {2, 3}, 401, 5, 77, 0, 76, true}, dtype, DType::i64,
                     Placement::dense);
    expect_embedding({"out of range", {50}, 3, 16, 40, -9, 60}, dtype, DType::i32,
                     Placement::dense);
    for (Placement placement : all_placements)
      expect_embedding({"views", {2, 3}, 50, 8, 13, -1, 13}, dtype, DType::i64, placement);
  }
}

TEST_F(CudaEmbedGradient, ManyTokens) {
  expect_embedding({"runs", {}, 20'000, 2, 2'000'000, 0, 1'999'999, true}, DType::f32, DType::i32,
                   Placement::dense);
  expect_embedding({"spread", {}, 9'000, 1, 1030, -20, 1200}, DType::bf16, DType::i64,
                   Placement::dense);
}

}  // namespace
}  // namespace posenc::embed_gradient_test
