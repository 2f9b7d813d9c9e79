// device.cc: the one place where a call goes to the device its tensors live on.
#include "orders.h"

namespace posenc {
namespace {

template <class Order>
void hand_over(const Order& order) {
  order.device() == Device::cpu ? cpu::run(order) : cuda::run(order);
}

}  // namespace

void run(const AddOrder& order) { hand_over(order); }
void run(const RowGradientOrder& order) { hand_over(order); }
void run(const ScatterOrder& order) { hand_over(order); }
void run(const TurnOrder& order) { hand_over(order); }
void run(const MoveOrder& order) { hand_over(order); }
void run(const TurnGradientOrder& order) { hand_over(order); }
void run(const ProfileOrder& order) { hand_over(order); }
void run(const AddBiasOrder& order) { hand_over(order); }
void run(const FillBiasOrder& order) { hand_over(order); }
void run(const BiasGradientOrder& order) { hand_over(order); }
void run(const AddTermOrder& order) { hand_over(order); }
void run(const TermGradientOrder& order) { hand_over(order); }
void run(const OutputsOrder& order) { hand_over(order); }
void run(const AttendOrder& order) { hand_over(order); }

}  // namespace posenc
