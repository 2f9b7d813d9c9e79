// emulator.cc: the threads of a block, taken in turns.
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "../../support/sanitizer.h"
#include "cuda_runtime.h"

#ifdef POSENC_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {
namespace {

constexpr size_t stack_bytes = 256 * 1024;

Order order_asked() {
  const char* asked = std::getenv("POSENC_CUDA_ORDER");
  const std::string_view word = asked ? asked : "";
  return word == "reversed"   ? Order::reversed
         : word == "shuffled" ? Order::shuffled
                              : Order::forward;
}
std::atomic<Order> order{order_asked()};

struct Fiber {
  ucontext_t context{};
  jmp_buf jump{};
  bool begun = false;
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
  Here thread{};
};

// One kernel at a time. A fiber runs threads, one after the other, until one of them has to wait;
// then another fiber goes on with the next.
class Machine {
 public:
  void run(dim3 grid, dim3 block, const std::function<void()>& thread) {
    thread_ = &thread;
    here.grid_size = grid, here.block_size = block;
    count_ = block.x * block.y * block.z;
    put_in_order(blocks_, grid.x * grid.y * grid.z);
    for (const unsigned b : blocks_)
      run_block({b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y});
  }

  void wait(std::vector<Fiber*>& waiting) {
    waiting.push_back(running_);
    release();
    const Here mine = here;
    Fiber* self = running_;
    leave(self);
    here = mine, running_ = self;
  }
  void wait_for_block() { wait(at_block_); }
  void wait_for_warp() { wait(at_warp_[warp()]); }

  unsigned index() const {
    const Here& h = here;
    return (h.thread.z * h.block_size.y + h.thread.y) * h.block_size.x + h.thread.x;
  }
  unsigned warp() const { return index() / 32; }
  uint64_t& slot(unsigned lane) { return slots_[warp()][lane]; }

 private:
  // 0, 1, 2, ... as the order says.
  void put_in_order(std::vector<unsigned>& list, unsigned count) {
    list.resize(count);
    std::iota(list.begin(), list.end(), 0u);
    const Order how = order.load(std::memory_order_relaxed);
    if (how == Order::reversed) std::reverse(list.begin(), list.end());
    if (how == Order::shuffled) std::shuffle(list.begin(), list.end(), random_);
  }

  void run_block(uint3 block) {
    put_in_order(threads_, count_);
    started_ = 0, live_ = count_;
    const unsigned warps = (count_ + 31) / 32;
    at_warp_.resize(warps), slots_.resize(warps), live_in_warp_.assign(warps, 0);
    for (unsigned i = 0; i < count_; ++i) ++live_in_warp_[i / 32];
    here.block = block;
    while (live_ > 0) {
      Fiber* next = nullptr;
      if (!ready_.empty()) {
        next = ready_.back(), ready_.pop_back();
      } else if (started_ < count_) {
        next = fresh();
      } else {
        std::abort();  // threads wait for others that ended
      }
      enter(next);
    }
  }

  __attribute__((noinline)) static void make_context(Fiber& f) {
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get(), f.context.uc_stack.ss_size = stack_bytes;
    f.context.uc_link = nullptr;
    makecontext(&f.context, &Machine::begin, 0);
  }
  Fiber* fresh() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Fiber>());
      free_.push_back(all_.back().get());
      make_context(*free_.back());
    }
    Fiber* f = free_.back();
    free_.pop_back();
    return f;
  }

  static void begin();
  void run_threads() {
    finish_switch(nullptr);
    Fiber* self = running_;
    for (;;) {
      while (started_ < count_) {
        const unsigned i = threads_[started_++];
        const dim3& b = here.block_size;
        here.thread = {i % b.x, i / b.x % b.y, i / b.x / b.y};
        (*thread_)();
        running_ = self;
        --live_, --live_in_warp_[warp()];
        release();
        if (!ready_.empty()) break;  // those that waited longest go first
      }
      free_.push_back(self);
      leave(self);
    }
  }

  // Those who wait and have all come go on.
  void release() {
    const auto free_all = [&](std::vector<Fiber*>& waiting, unsigned needed) {
      if (waiting.empty() || waiting.size() < needed) return;
      ready_.insert(ready_.end(), waiting.begin(), waiting.end());
      waiting.clear();
      if (order.load(std::memory_order_relaxed) == Order::shuffled)
        std::shuffle(ready_.begin(), ready_.end(), random_);
    };
    for (size_t w = 0; w < at_warp_.size(); ++w) free_all(at_warp_[w], live_in_warp_[w]);
    free_all(at_block_, live_);
  }

  // By setjmp and longjmp, which call no system, but where a sanitizer wants to know.
  __attribute__((noinline)) void enter(Fiber* f) {
    running_ = f;
#ifdef POSENC_ADDRESS_SANITIZER
    start_switch(&main_fake_, f->stack.get());
    swapcontext(&main_, &f->context);
    finish_switch(main_fake_);
#else
    if (_setjmp(main_jump_) != 0) return;
    if (f->begun) _longjmp(f->jump, 1);
    f->begun = true;
    setcontext(&f->context);
#endif
  }
  __attribute__((noinline)) void leave(Fiber* f) {
#ifdef POSENC_ADDRESS_SANITIZER
    void* fake = nullptr;
    start_switch(&fake, nullptr);
    swapcontext(&f->context, &main_);
    finish_switch(fake);
#else
    if (_setjmp(f->jump) == 0) _longjmp(main_jump_, 1);
#endif
  }
#ifdef POSENC_ADDRESS_SANITIZER
  void start_switch(void** save, char* stack) {
    if (stack) {
      __sanitizer_start_switch_fiber(save, stack, stack_bytes);
    } else {
      __sanitizer_start_switch_fiber(save, main_stack_, main_size_);
    }
  }
  void finish_switch(void* saved) {
    const void* bottom = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(saved, &bottom, &size);
    const char* here_now = reinterpret_cast<const char*>(&size);
    bool ours = false;
    for (const auto& f : all_)
      ours |= here_now >= f->stack.get() && here_now < f->stack.get() + stack_bytes;
    if (ours && !saved && bottom) main_stack_ = bottom, main_size_ = size;
  }
  const void* main_stack_ = nullptr;
  size_t main_size_ = 0;
#else
  void start_switch(void**, char*) {}
  void finish_switch(void*) {}
#endif

  const std::function<void()>* thread_ = nullptr;
  [[maybe_unused]] ucontext_t main_{};
  [[maybe_unused]] jmp_buf main_jump_{};
  [[maybe_unused]] void* main_fake_ = nullptr;
  unsigned count_ = 0, started_ = 0, live_ = 0;
  std::vector<unsigned> blocks_, threads_;  // in the order they run
  std::mt19937 random_;                     // the same in every run
  std::vector<unsigned> live_in_warp_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_, ready_, at_block_;
  std::vector<std::vector<Fiber*>> at_warp_;
  struct Slots {
    uint64_t of[32];
    uint64_t& operator[](unsigned i) { return of[i]; }
  };
  std::vector<Slots> slots_;
  Fiber* running_ = nullptr;
};

Machine machine;
std::mutex mutex;

void Machine::begin() { machine.run_threads(); }

}  // namespace

void wait_for_block() { machine.wait_for_block(); }
void wait_for_warp() { machine.wait_for_warp(); }
unsigned lane() { return machine.index() % 32; }
uint64_t exchange(uint64_t mine, unsigned lane) {
  machine.slot(machine.index() % 32) = mine;
  machine.wait_for_warp();
  const uint64_t theirs = machine.slot(lane);
  machine.wait_for_warp();
  return theirs;
}
unsigned lanes_alike(uint64_t mine) {
  machine.slot(machine.index() % 32) = mine;
  machine.wait_for_warp();
  unsigned out = 0;
  for (unsigned lane = 0; lane < 32; ++lane) out |= machine.slot(lane) == mine ? 1u << lane : 0;
  machine.wait_for_warp();
  return out;
}

Order set_order(Order next) { return order.exchange(next); }

void run(dim3 grid, dim3 block, const std::function<void()>& thread) {
  const std::scoped_lock lock(mutex);
  machine.run(grid, block, thread);
}

}  // namespace emulator
