// call.h: what the rotary verbs are given, checked and written down.
#pragma once

#include "orders/orders.h"
#include "rotary/plan.h"

namespace posenc {

// Which outputs must be there where the input is.
struct NeededOutputs {
  bool q = true, k = true;
};
// The order refers to the rows.
RotateOrder check_rotate(const char* verb, const RotarySettings& settings, const RowSource& rows,
                         const QueriesKeys& in, const QueriesKeys& out, const Positions& at,
                         NeededOutputs needed = {});
inline RotateOrder check_rotate(const char* verb, const RotaryPlan& plan, const QueriesKeys& in,
                                const QueriesKeys& out, const Positions& at) {
  return check_rotate(verb, plan.parts().settings, plan.table().parts(), in, out, at);
}

// Queries alone and keys alone; where the results go is not said yet.
RotateOrder check_queries(const char* verb, const RotaryPlan& plan, const Tensor& q,
                          const Positions& at);
RotateOrder check_keys(const char* verb, const RotaryPlan& plan, const Tensor& k,
                       const Positions& at);

// A table that someone else made, as rows.
struct CheckedTable {
  RowSource rows;
  RotarySettings settings;
};
CheckedTable check_table(const char* verb, const CosSin& table, Layout layout,
                         const QueriesKeys& in);
// An output shares no memory with it.
void check_apart(const char* verb, const Tensor& out, const CosSin& table);

}  // namespace posenc
