// cache.h: a cache of keys and values, checked.
#pragma once

#include "orders/orders.h"
#include "posenc/rotate_into.h"

namespace posenc {

// Writes the caches of the options and the places of the tokens in them into the order, of which
// the rotation and v are there already.
void check_cache(const char* verb, const Cache& cache, RotateIntoOrder& order);

}  // namespace posenc
