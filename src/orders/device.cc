// device.cc: the one place where a call goes to the device its tensors live on.
#include "orders/orders.h"

namespace posenc {

template <class Order>
void run(const Order& order) {
  order.device() == Device::cpu ? cpu::run(order) : cuda::run(order);
}

template void run(const AddOrder&);
template void run(const RowGradientOrder&);
template void run(const ScatterOrder&);
template void run(const ResizeOrder&);
template void run(const TurnOrder&);
template void run(const ServeOrder&);
template void run(const MoveOrder&);
template void run(const TurnGradientOrder&);
template void run(const ReorderOrder&);
template void run(const PolarOrder&);
template void run(const ProfileOrder&);
template void run(const AddBiasOrder&);
template void run(const FillBiasOrder&);
template void run(const BiasGradientOrder&);
template void run(const AddTermOrder&);
template void run(const TermGradientOrder&);
template void run(const OutputsOrder&);
// Attention is a reference, and the CPU's alone.
template <>
void run(const AttendOrder& order) {
  cpu::run(order);
}

}  // namespace posenc
