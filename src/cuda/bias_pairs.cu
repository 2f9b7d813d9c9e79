// bias_pairs.cu: biases at any positions, pair by pair in f64.
#include "cuda/bias.h"
#include "cuda/bias_pairs.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 128;

// Which pairs a kernel takes.
enum class PairSet : uint8_t { all, on_profile, off_profile };

struct PairCall {
  PairPlaces at;
  DeviceProfile profile;
  View scores, out;
  DType dtype;
  int64_t first_head, heads, items;
  int64_t rows_each, heads_each;  // of an item
  double factor, scale;
  bool has_scores;
  PairSet part;
  double* work;
  int64_t workspace;
};

// Stands in for the form where a profile is all there is.
struct NoForm {
  __device__ int at(double, double, double*) const { return 0; }
  __device__ double bias(int64_t, int) const { return not_a_number<double>(); }
};

// out = scale * scores + bias, in the types of the scores.
template <class T>
__device__ void finish(const PairCall& c, int64_t at_row, const ScorePair& p, int64_t head,
                       double bias) {
  using C = Compute<T>;
  const auto element = [&](const View& v) {
    return v.at<T>(at_row) + head * v.last[0] + p.query * v.last[1] + p.key * v.last[2];
  };
  auto sum = static_cast<C>(bias);
  if (c.has_scores && !p.hidden) sum += static_cast<C>(c.scale) * wide(*element(c.scores));
  *element(c.out) = narrow<T>(sum);
}

// An item is a pair with some heads and batch rows. It is a thread's, or all of a block's where
// its inputs take work.
template <class Form>
__global__ void __launch_bounds__(threads)
    bias_pairs(const __grid_constant__ PairCall c, const __grid_constant__ Form form) {
  constexpr bool together = has_workspace<Form>;
  const int64_t blocks = gridDim.x, n = blockIdx.x * int64_t{threads} + threadIdx.x;
  const int64_t rank = together ? threadIdx.x : 0, step = together ? blockDim.x : 1;
  double* work = together ? c.work + blockIdx.x * c.workspace : nullptr;
  for (int64_t i = together ? blockIdx.x : n; i < c.items;
       i += together ? blocks : blocks * threads) {
    const Divided item = divided(i, c.at.all());
    ScorePair p = c.at.find(item.rest);
    int64_t entry = -1;
    if (c.profile.count > 0) {
      entry = c.at.line(p) - c.profile.first;
      if (entry >= c.profile.count) entry = -1;
    }
    if (c.part != PairSet::all && (c.part == PairSet::on_profile) != (entry >= 0)) continue;
    decltype(inputs_of(form, c.at, p, work)) inputs{};
    if (entry < 0 && !p.hidden) inputs = inputs_of(form, c.at, p, work);
    const int64_t first = item.quotient * c.heads_each, end = min(first + c.heads_each, c.heads);
    const int64_t row = p.group * c.rows_each, last = min(row + c.rows_each, c.at.rows);
    for (int64_t head = first + rank; head < end; head += step) {
      double bias;
      if (p.hidden) {
        bias = -INFINITY;
      } else if (!p.exists) {
        bias = not_a_number<double>();
      } else if (entry < 0) {
        bias = c.factor * form.bias(c.first_head + head, inputs);
      } else {
        bias = c.dtype == DType::f64 ? c.profile.read<double>(head, entry)
                                     : static_cast<double>(c.profile.read<float>(head, entry));
      }
      for (int64_t r = row; r < last; ++r) {
        switch (c.dtype) {
          case DType::f32:
            finish<float>(c, r, p, head, bias);
            break;
          case DType::f64:
            finish<double>(c, r, p, head, bias);
            break;
          case DType::f16:
            finish<F16>(c, r, p, head, bias);
            break;
          default:
            finish<BF16>(c, r, p, head, bias);
        }
      }
    }
  }
}

// As many rows and heads for each position as leave enough items.
void divide(PairCall& c, bool shared, int64_t enough) {
  const int64_t pairs = c.at.queries * c.at.keys;
  c.rows_each = shared ? c.at.rows : 1, c.heads_each = c.heads;
  const auto items = [&] {
    return pairs * pieces(c.at.rows, c.rows_each) * pieces(c.heads, c.heads_each);
  };
  while (c.rows_each > 1 && items() < enough) c.rows_each = pieces(c.rows_each, 2);
  while (c.heads_each > 1 && items() < enough) c.heads_each = pieces(c.heads_each, 2);
  c.at.groups = pieces(c.at.rows, c.rows_each), c.at.rows_each = c.rows_each;
  c.items = items();
}

template <class Form>
void launch_pairs(const DeviceStream& stream, PairCall c, const Form& form, bool shared) {
  unsigned block = threads;
  int64_t enough = int64_t{stream.processors()} * 2048, most = INT32_MAX;
  if constexpr (has_workspace<Form>) {
    if (c.profile.is_there()) {  // threads are quicker there than blocks
      c.part = PairSet::on_profile;
      launch_pairs(stream, c, NoForm{}, shared);
      c.part = PairSet::off_profile;
    }
    block = static_cast<unsigned>(std::min<int64_t>(threads, pieces(form.network.hidden, 32) * 32));
    enough = most = int64_t{stream.processors()} * 16;
  }
  divide(c, shared, enough);
  const int64_t blocks = std::min(has_workspace<Form> ? c.items : pieces(c.items, block), most);
  std::optional<Temporary<double>> work;
  if (workspace_of(form) > 0) {
    c.workspace = workspace_of(form);
    c.work = work.emplace(stream, blocks * c.workspace).data();
  }
  launch(stream, "biases of pairs", {dim3(static_cast<unsigned>(blocks)), block}, bias_pairs<Form>,
         c, form);
}

}  // namespace

void add_pairs(const DeviceStream& stream, const BiasCall& call, const DeviceProfile& profile) {
  const BiasSource& b = call.bias;
  PairCall c{};
  c.at = PairPlaces(call.at, b), c.profile = profile, c.dtype = call.out.dtype;
  c.out = View(call.out, 3), c.has_scores = call.scores;
  if (call.scores) c.scores = View(*call.scores, 3);
  c.first_head = b.first_head, c.heads = call.out.size(-3);
  c.factor = b.factor, c.scale = call.scale;
  const bool shared = call.at.shared();
  if (!b.formula) return launch_pairs(stream, c, NoForm{}, shared);
  b.formula->visit(block_on(stream, *b.formula),
                   [&](const auto& form) { launch_pairs(stream, c, form, shared); });
}

}  // namespace posenc::cuda
