// foreign_openmp.cc: a program with an OpenMP of its own (clang's) loads the library, which
// has g++'s, and calls it from plain threads and from inside its own parallel regions.
//   foreign_openmp libposenc.so shared|apart
// shared: the linker gives the library the functions of this program's OpenMP, as it does by
// default; apart: the library keeps its own, so that two live in one process.
#include <dlfcn.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "posenc/posenc_c.h"

namespace {

constexpr int64_t rows = 600, dim = 512;
using Table = std::vector<float>;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("expected %s\n", what);
  std::exit(1);
}

template <class F>
F* function(void* library, const char* name) {
  auto* f = reinterpret_cast<F*>(dlsym(library, name));
  expect(f != nullptr, name);
  return f;
}

struct Library {
  void* handle;
  decltype(posenc_prepare)* prepare = function<decltype(posenc_prepare)>(handle, "posenc_prepare");
  decltype(posenc_fill)* fill = function<decltype(posenc_fill)>(handle, "posenc_fill");
  decltype(posenc_free)* free = function<decltype(posenc_free)>(handle, "posenc_free");
  decltype(posenc_set_threads)* set_threads =
      function<decltype(posenc_set_threads)>(handle, "posenc_set_threads");

  Table table() const {
    Table out(rows * dim);
    int64_t shape[] = {rows, dim};
    const posenc_tensor t{out.data(), {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0};
    posenc_plan* plan = nullptr;
    expect(prepare("sinusoidal", "{\"dim\": 512}", nullptr, 0, 0, 0, &plan) == 0, "a plan");
    expect(fill(plan, &t, nullptr, nullptr) == 0, "a table");
    free(plan);
    return out;
  }
};

void expect_settings() {
  expect(omp_get_max_threads() == 3, "as many threads as were set");
  expect(omp_get_max_active_levels() == 1, "as many levels as were set");
  expect(!omp_get_dynamic(), "a number of threads that stays");
}

void call_from_region(const Library& library, const Table& wanted) {
  int equal = 0, team = 0;
#pragma omp parallel reduction(+ : equal)
  {
    equal += library.table() == wanted;
#pragma omp single
    team = omp_get_num_threads();
    expect(omp_in_parallel() && omp_get_level() == 1, "to be in one region");
  }
  expect(team == 3 && equal == 3, "the same table from each of three threads");
}

void call_from_threads(const Library& library, const Table& wanted) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { expect(library.table() == wanted, "the same table"); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int count, char** words) {
  expect(count == 3, "a library, and shared or apart");
  const bool apart = std::string_view(words[2]) == "apart";
  void* handle = dlopen(words[1], RTLD_NOW | RTLD_LOCAL | (apart ? RTLD_DEEPBIND : 0));
  expect(handle != nullptr, "a library that loads");
  const Library library{handle};
  omp_set_num_threads(3);
  omp_set_max_active_levels(1);
  library.set_threads(1);
  const Table wanted = library.table();
  library.set_threads(4);
  for (int trial = 0; trial < 10; ++trial) {
    expect(library.table() == wanted, "the same table from four threads");
    call_from_region(library, wanted);
    call_from_threads(library, wanted);
    expect_settings();
  }
  std::puts("ok");
}
