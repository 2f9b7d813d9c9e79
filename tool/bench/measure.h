// measure.h: times contenders side by side.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace posenc::bench {

struct Contender {
  std::string name;
  std::function<double(int64_t)> run;  // does the work this many times; returns the seconds it took
  int64_t calls = 1;                   // per sample
  double spent = 0;                    // seconds
  std::vector<double> samples{};       // seconds per call

  double median() const;
  double least() const;
};

// Turns work without arguments into what a contender needs.
template <class Work>
std::function<double(int64_t)> timed(Work work) {
  return [work = std::move(work)](int64_t calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls; ++i) work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
}

// Takes samples of every contender in turn (a, b, c, a, b, c, ...) until the first has had its
// seconds and each has three samples; a slow one drops out when its seconds are spent. Short work
// is repeated to a millisecond a sample, after a call that is not timed and warms the cache.
void measure(std::vector<Contender>& contenders, double seconds);

}  // namespace posenc::bench
