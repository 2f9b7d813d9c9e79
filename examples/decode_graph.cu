// decode_graph.cu: a decoding step, captured once as a CUDA graph and replayed. It normalises,
// rotates and stores heads by positions and slots on the device, which advance between replays.
#include <posenc/posenc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int64_t texts = 3, heads = 16, kv_heads = 8, dim = 128, pages = 32, page_size = 16;
constexpr int64_t most_pages = pages / texts;
constexpr int steps = 40;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// An array on the host, and its copy on the device.
template <class T>
struct Both {
  std::vector<T> host;
  T* device = nullptr;
  explicit Both(std::vector<T> numbers) : host(std::move(numbers)) {
    check(cudaMalloc(&device, host.size() * sizeof(T)));
    check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Both() { cudaFree(device); }
  posenc::Tensor here(std::initializer_list<int64_t> shape) {
    return posenc::tensor(host.data(), shape);
  }
  posenc::Tensor there(std::initializer_list<int64_t> shape) {
    posenc::Tensor t = posenc::tensor(device, shape);
    t.device = posenc::Device::cuda;
    return t;
  }
  // The largest difference between the two.
  double difference() const {
    std::vector<T> copy(host.size());
    check(cudaMemcpy(copy.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    double most = 0;
    for (size_t i = 0; i < host.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(copy[i]) - host[i]));
    return most;
  }
};

// Every text gets one more token, in the next slot of its pages.
__host__ __device__ void advance_text(int64_t text, int64_t* places, int64_t* slots,
                                      const int32_t* table) {
  const int64_t place = ++places[text];
  slots[text] = table[text * most_pages + place / page_size] * page_size + place % page_size;
}
__global__ void advance(int64_t* places, int64_t* slots, const int32_t* table) {
  if (threadIdx.x < texts) advance_text(threadIdx.x, places, slots, table);
}

std::vector<float> noise(size_t count, unsigned seed) {
  std::vector<float> out(count);
  for (float& x : out)
    seed = seed * 1664525 + 1013904223, x = static_cast<float>(seed) * 0x1p-31f - 1;
  return out;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return std::printf("no GPU here\n"), 0;

  Both<float> q(noise(texts * heads * dim, 1)), q_out(q.host), gain(noise(dim, 2));
  Both<float> k(noise(texts * kv_heads * dim, 3)), v(noise(texts * kv_heads * dim, 4));
  Both<float> k_pages(std::vector<float>(pages * page_size * kv_heads * dim)),
      v_pages(k_pages.host);
  std::vector<int32_t> pages_of_texts(texts * most_pages);
  for (size_t i = 0; i < pages_of_texts.size(); ++i)  // pages in arbitrary order
    pages_of_texts[i] = static_cast<int32_t>(i * 7 % pages);
  Both<int32_t> table(pages_of_texts);
  Both<int64_t> places({99, 7, 55}), slots({0, 0, 0});

  const auto plan = posenc::prepare(posenc::Rope{.dim = dim, .layout = posenc::Layout::half});
  const auto step = [&](auto view, posenc::Stream stream) {
    const auto weights = view(gain, {dim});
    posenc::rotate_into(plan, {view(q, {texts, heads, dim}), view(k, {texts, kv_heads, dim})},
                        {.q = view(q_out, {texts, heads, dim})},
                        {.norm = {.q = weights, .k = weights},
                         .v = view(v, {texts, kv_heads, dim}),
                         .cache = {.k = view(k_pages, {pages, page_size, kv_heads, dim}),
                                   .v = view(v_pages, {pages, page_size, kv_heads, dim}),
                                   .slots = view(slots, {texts})}},
                        posenc::positions(view(places, {texts})), stream);
  };
  using Shape = std::initializer_list<int64_t>;
  const auto there = [](auto& array, Shape shape) { return array.there(shape); };
  const auto here = [](auto& array, Shape shape) { return array.here(shape); };

  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  const auto move_on = [&] {
    advance<<<1, 32, 0, stream>>>(places.device, slots.device, table.device);
  };
  move_on();
  step(there, stream);  // the first call copies the plan's data to the device

  cudaGraph_t graph;
  cudaGraphExec_t replay;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  step(there, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&replay, graph, 0));
  for (int i = 1; i < steps; ++i) {
    move_on();
    check(cudaGraphLaunch(replay, stream));
  }
  check(cudaStreamSynchronize(stream));

  for (int i = 0; i < steps; ++i) {  // the same on the CPU
    for (int64_t text = 0; text < texts; ++text)
      advance_text(text, places.host.data(), slots.host.data(), table.host.data());
    step(here, {});
  }
  const double difference =
      std::max({q_out.difference(), k_pages.difference(), v_pages.difference()});
  std::printf("%d steps, %d of them replayed: within %.1e of the CPU\n", steps, steps - 1,
              difference);
  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return difference < 3e-5 ? 0 : 1;
}
