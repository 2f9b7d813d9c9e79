// device.cc: the one place where a call goes to the device its tensors live on.
#include "orders/orders.h"

namespace posenc {

template <class Order>
void run(const Order& order) {
  order.device() == Device::cpu ? cpu::run(order) : cuda::run(order);
}

#define POSENC_RUN(Order) template void run(const Order&);
POSENC_ORDERS(POSENC_RUN)
#undef POSENC_RUN

template <>
void run(const AttendOrder& order) {
  cpu::run(order);
}

}  // namespace posenc
