// continuous.cc: a network of the offset, evaluated once for each offset.
#include "posenc/relative/continuous.h"

#include <array>
#include <cmath>
#include <memory>

#include "base/scratch.h"
#include "relative/mlp.h"
#include "relative/offsets.h"

namespace posenc {
namespace {

constexpr double gain = 16;
double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

struct Network {
  ContinuousBias s;
  Mlp mlp;

  std::array<double, 2> input(double entry) const {
    const Offset d = offset_of(s.window(), static_cast<int64_t>(entry));
    return {s.input(d.dy, s.pretrained_height.value_or(s.height)),
            s.input(d.dx, s.pretrained_width.value_or(s.width))};
  }
  void bias(HeadRange heads, double entry, double* out) const {
    mlp.forward(heads, input(entry).data(), out);
    for (int64_t i = 0; i < heads.count && s.form == ContinuousForm::swin_v2; ++i)
      out[i] = gain * sigmoid(out[i]);
  }
  void backward(HeadRange heads, double entry, const double* g, Gradients dw) const {
    Scratch<double, 256> dz(heads.count), out(heads.count);
    bias(heads, entry, out.data());
    for (int64_t i = 0; i < heads.count; ++i)
      dz[i] = s.form == ContinuousForm::swin_v2 ? g[i] * (out[i] * (1 - out[i] / gain)) : g[i];
    double unused[2] = {};
    mlp.backward(heads, input(entry).data(), dz.data(), dw, unused);
  }
};

}  // namespace

Fields ContinuousBias::fields() {
  using S = ContinuousBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"height", &S::height, "rows of tokens in the window"},
          {"width", &S::width, "tokens in a row"},
          {"pretrained_height", &S::pretrained_height, "of the window trained on; height"},
          {"pretrained_width", &S::pretrained_width, "of the window trained on; width"},
          {"hidden", &S::hidden, "width of the hidden layer"},
          {"form", &S::form, "what the network reads, and what becomes of its output"}};
}

std::vector<Preset<ContinuousBias>> ContinuousBias::presets() {
  using S = ContinuousBias;
  return {
      {"swin-v2", "Swin-V2 tiny, first stage", {}},
      {"swin-v2-12-to-16", "Swin-V2 base, window 12 made 16",
       S{.heads = 4, .height = 16, .width = 16, .pretrained_height = 12, .pretrained_width = 12}},
      {"timm-cr", "timm's variant",
       S{.height = 7, .width = 7, .hidden = 128, .form = ContinuousForm::plain}}};
}

void ContinuousBias::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  check_window(name, window());
  for (const auto& side : {pretrained_height, pretrained_width})
    if (side && *side < 2)
      fail(name, "expected pretrained_height and pretrained_width of at least 2, got ", *side);
}

double ContinuousBias::input(int64_t offset, int64_t side) const {
  if (offset == 0) return 0;
  const auto d = static_cast<double>(offset);
  if (form == ContinuousForm::plain) return std::copysign(std::log1p(std::abs(d)), d);
  return std::copysign(std::log2(1 + std::abs(8 * d / static_cast<double>(side - 1))) / 3, d);
}

std::vector<Weight> ContinuousBias::weights() const {
  return mlp_weights(2, hidden, 1, heads, form == ContinuousForm::plain);
}

BiasFormula ContinuousBias::formula(const WeightValues& weights) const {
  const auto network =
      std::make_shared<const Network>(Network{*this, Mlp(weights, 0, 2, Mlp::Activation::relu)});
  BiasFormula out{Reads::entry, true};
  out.tokens = window().tokens(), out.entries = window().offsets();
  out.entry = [w = window()](int64_t query, int64_t key) {
    return index_of(w, offset_between(w, key, query));
  };
  std::vector<double> table(static_cast<size_t>(out.entries * heads));
  for (int64_t e = 0; e < out.entries; ++e)
    network->bias({0, heads}, static_cast<double>(e), table.data() + e * heads);
  out.bias = each_head([table, n = heads](int64_t head, double, double entry) {
    return table[static_cast<size_t>(static_cast<int64_t>(entry) * n + head)];
  });
  out.backward = [network](HeadRange some, double, double entry, const double* g, Gradients dw) {
    network->backward(some, entry, g, dw);
  };
  return out;
}

}  // namespace posenc
