// scaling_base.cc: options and checks of the length rules that divide frequencies or change the
// base.
#include "rotary/scaling.h"

namespace posenc {
namespace {

constexpr const char* times_longer = "how many times longer";

}  // namespace

void check_length(std::string_view rule, std::string_view option, int64_t value) {
  if (value < 1 || value > int64_t{1} << 53)
    fail(rule, "expected ", option, " from 1 to 2^53, got ", value);
}

Fields Linear::fields() { return {{"factor", &Linear::factor, times_longer}}; }

void Linear::check() const { check_positive(name, "scaling.factor", factor); }

Fields DynamicLinear::fields() {
  using S = DynamicLinear;
  return {{"factor", &S::factor, times_longer},
          {"pretrained_max_position_embeddings", &S::pretrained_max_position_embeddings,
           "the length the model was trained on"}};
}

bool DynamicLinear::is_long(int64_t length) const {
  return static_cast<double>(length) >
         factor * static_cast<double>(pretrained_max_position_embeddings);
}

int64_t DynamicLinear::serves(int64_t length) const {
  if (is_long(length)) return length;
  const double end = factor * static_cast<double>(pretrained_max_position_embeddings);
  return end < 0x1p62 ? static_cast<int64_t>(end) : INT64_MAX;
}

void DynamicLinear::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.pretrained_max_position_embeddings",
               pretrained_max_position_embeddings);
}

Fields Proportional::fields() {
  using S = Proportional;
  return {{"partial_rotary_factor", &S::partial_rotary_factor, "share of the pairs that rotate"},
          {"factor", &S::factor, times_longer}};
}

void Proportional::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.partial_rotary_factor", partial_rotary_factor);
  if (partial_rotary_factor > 1)
    fail(name, "expected scaling.partial_rotary_factor of at most 1, got ", partial_rotary_factor);
}

Fields Ntk::fields() {
  return {{"factor", &Ntk::factor, "how many times longer (HunYuan: alpha)"}};
}

void Ntk::check() const { check_positive(name, "scaling.factor", factor); }

Fields DynamicNtk::fields() {
  using S = DynamicNtk;
  return {{"factor", &S::factor, "how fast the base grows with the text"},
          {"max_position_embeddings", &S::max_position_embeddings,
           "the length up to which nothing changes"}};
}

void DynamicNtk::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.max_position_embeddings", max_position_embeddings);
}

Fields VllmNtk::fields() {
  return {{"factor", &VllmNtk::factor, times_longer},
          {"mixed_b", &VllmNtk::mixed_b, "exponent of the mixed form"}};
}

void VllmNtk::check() const {
  check_positive(name, "scaling.factor", factor);
  if (mixed_b) check_finite(name, "scaling.mixed_b", *mixed_b);
}

}  // namespace posenc
