#include "model/ready.h"

#include <algorithm>

namespace posenc::model {

Component::Component(std::string where, std::string scheme, Facts facts)
    : where(std::move(where)), scheme(std::move(scheme)), facts(std::move(facts)) {}
Component::Component(const Component& other) = default;
Component::Component(Component&& other) noexcept = default;
Component& Component::operator=(const Component& other) = default;
Component& Component::operator=(Component&& other) noexcept = default;
Component::~Component() = default;

void set_ready(Component& component, Scheme scheme) {
  std::visit([](const auto& s) { checked(s); }, scheme);
  component.ready = std::move(scheme);
}

void set_ready(Component& component, const Convolution& convolution) {
  component.convolution = checked(convolution);
}

bool adds_rows(const Component& component) {
  if (component.ready) return as_family<Absolute>(*component.ready).has_value();
  constexpr std::string_view described[] = {"learned", "learned-2d", "learned-resized",
                                            "sinusoidal", "sinusoidal-2d"};
  return std::find(std::begin(described), std::end(described), component.scheme) !=
         std::end(described);
}

}  // namespace posenc::model
