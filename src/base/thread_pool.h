// thread_pool.h: threads that wait for work, for builds without OpenMP.
//
// A thread is started when a call first needs it and then kept: waking one takes a fraction of the
// time that starting one takes. Any number of callers share the pool. A child of fork() has none
// of its parent's threads and starts its own.
#pragma once

#include "base/parallel.h"

namespace posenc {

// Calls work(0) on this thread, and meanwhile work(1), work(2), ... up to work(count - 1) on those
// threads of the pool that are free. Numbers that no thread has taken when work(0) returns are
// left out: work(0) has to do whatever others leave. work must not throw. Nothing is allocated
// once the pool has count - 1 threads.
void call_on_pool(int count, const PieceCall& work);

}  // namespace posenc
