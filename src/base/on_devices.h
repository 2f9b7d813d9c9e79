// on_devices.h: what other devices than the CPU keep of something that a plan holds.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace posenc {

// One copy for each device, made when a call first needs it and kept as long as the plan lives,
// since work that reads it may still be queued, or captured to be done again. Any thread may ask.
class OnDevices {
 public:
  template <class Copy, class Make>
  const Copy& get(int device, const Make& make) const {
    const auto at = static_cast<size_t>(device);
    const std::scoped_lock lock(mutex_);
    if (at >= copies_.size()) copies_.resize(at + 1);
    if (!copies_[at]) copies_[at] = std::make_shared<const Copy>(make());
    return *static_cast<const Copy*>(copies_[at].get());
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const void>> copies_;
};

}  // namespace posenc
