// absolute_cases.cu: rows made, added and embedded, and the gradients of tables.
#include "bench/cuda/cases.h"
#include "bench/cuda/sets.h"
#include "posenc/posenc.h"

namespace posenc::bench {
namespace {

struct Rows {
  DType dtype;
  int64_t batch, tokens, dim;
  int64_t bytes() const { return batch * tokens * dim * size_of(dtype); }
  Tensor in(const Buffer& b) const { return b.tensor(dtype, {batch, tokens, dim}); }
  Tensor compared(const Shared& sets) const {
    return four((*sets)[0], dtype, ((batch - 1) * tokens + compared_row(tokens)) * dim);
  }
};

constexpr int64_t vocabulary = 32000;

std::string name_of(const char* verb, const Rows& r) {
  return text(verb, " ", to_string(r.dtype), " ", r.batch, "x", size_name(r.tokens), "x", r.dim);
}
std::string question(const char* verb, const Rows& r) {
  return text(verb, " ", to_string(r.dtype), " ", r.batch, " ", r.tokens, " ", r.dim);
}

AbsolutePlan sinusoidal(int64_t dim) { return prepare(Sinusoidal{.dim = dim}, {.cuda_device = 0}); }

CudaJob fill_job(const Rows& r) {
  const int sets = sets_for(r.bytes());
  const Shared out = make_sets(sets, r.bytes());
  const auto work = [=, plan = sinusoidal(r.dim)](cudaStream_t stream, int set) {
    fill(plan, r.in((*out)[set]), range(), stream);
  };
  return {work, r.bytes(), Plain::fill, sets, r.compared(out)};
}

CudaJob add_job(const Rows& r) {
  const int sets = sets_for(2 * r.bytes());
  const Shared x = make_sets(sets, r.bytes());
  const auto work = [=, plan = sinusoidal(r.dim)](cudaStream_t stream, int set) {
    add(plan, r.in((*x)[set]), range(), stream);
  };
  return {work, 2 * r.bytes(), Plain::rewrite, sets, r.compared(x)};
}

CudaJob embed_job(const Rows& r) {
  const int sets = sets_for(r.bytes());
  const Shared out = make_sets(sets, r.bytes()),
               e = make_sets(1, vocabulary * r.dim * size_of(r.dtype));
  const SharedBuffer ids = scattered_ids(r.batch * r.tokens, vocabulary);
  const auto work = [=, plan = sinusoidal(r.dim)](cudaStream_t stream, int set) {
    embed(plan, ids->tensor(DType::i32, {r.batch, r.tokens}),
          (*e)[0].tensor(r.dtype, {vocabulary, r.dim}), r.in((*out)[set]), {.scale = 22}, stream);
  };
  return {work, 2 * r.bytes() + r.batch * r.tokens * 4, Plain::copy, sets, r.compared(out)};
}

// Nearly every row of the vocabulary is read and written.
CudaJob embed_gradient_job(const Rows& r) {
  const int sets = sets_for(r.bytes());
  const Shared dout = make_sets(sets, r.bytes());
  const int64_t sums_bytes = vocabulary * r.dim * 4;
  const SharedBuffer ids = scattered_ids(r.batch * r.tokens, vocabulary),
                     sums = zeros_on_device(sums_bytes);
  const auto work = [=](cudaStream_t stream, int set) {
    embed_backward(ids->tensor(DType::i32, {r.batch, r.tokens}), r.in((*dout)[set]),
                   sums->tensor(DType::f32, {vocabulary, r.dim}), 1, stream);
  };
  return {work, r.bytes() + r.batch * r.tokens * 4 + 2 * sums_bytes, Plain::copy, sets,
          four(*sums, DType::f32, 0)};
}

CudaJob table_gradient_job(const Rows& r) {
  const int sets = sets_for(r.bytes());
  const Shared dout = make_sets(sets, r.bytes()),
               table = make_sets(1, r.tokens * r.dim * size_of(r.dtype));
  const SharedBuffer sums = zeros_on_device(r.tokens * r.dim * 4);
  const Tensor weights[] = {(*table)[0].tensor(r.dtype, {r.tokens, r.dim})};
  const auto plan =
      prepare(Learned{.dim = r.dim, .rows = r.tokens}, {.weights = weights, .cuda_device = 0});
  const auto work = [=, owner = table](cudaStream_t stream, int set) {
    const Tensor dweights[] = {sums->tensor(DType::f32, {r.tokens, r.dim})};
    backward(plan, r.in((*dout)[set]), dweights, range(), stream);
  };
  return {work, r.bytes() + 2 * r.tokens * r.dim * 4, Plain::read, sets,
          four(*sums, DType::f32, compared_row(r.tokens) * r.dim)};
}

CudaCase make(const char* verb, CudaJob (*job)(const Rows&), const Rows& r) {
  return {name_of(verb, r), [=] { return job(r); }, question(verb, r)};
}

}  // namespace

std::vector<CudaCase> absolute_cases() {
  std::vector<CudaCase> out;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const Rows r{dtype, 32, 4096, 1024};
    out.push_back(make("fill", fill_job, {dtype, 1, 1 << 20, 512}));
    out.push_back(make("add", add_job, r));
    out.push_back(make("embed", embed_job, r));
    out.push_back(make("embed-gradient", embed_gradient_job, r));
    out.push_back(make("table-gradient", table_gradient_job, r));
  }
  return out;
}

}  // namespace posenc::bench
