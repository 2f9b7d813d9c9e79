// device.cc: the one place where a call goes to the device its tensors live on.
#include "orders.h"

namespace posenc {

void run(const AddOrder& order) {
  order.device() == Device::cpu ? cpu::run(order) : cuda::run(order);
}

}  // namespace posenc
