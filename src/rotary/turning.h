// turning.h: what the rotary verbs are given, checked and written down.
#pragma once

#include "orders.h"
#include "rotary/plan.h"

namespace posenc {

TurnOrder check_turn(const char* verb, const Turning& turning, const RowSource& rows,
                     const QueriesKeys& in, const QueriesKeys& out, const Positions& at);
inline TurnOrder check_turn(const char* verb, const RotaryPlan& plan, const QueriesKeys& in,
                            const QueriesKeys& out, const Positions& at) {
  return check_turn(verb, plan.parts().turning, plan.table().parts(), in, out, at);
}

}  // namespace posenc
