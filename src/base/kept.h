// kept.h: tables over a range of whole numbers which a plan keeps, and which grow as calls reach
// further.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace posenc {

inline constexpr int64_t most_kept_bytes = int64_t{64} << 20;  // of a plan

struct Range {
  int64_t first = 0, count = 0;

  int64_t end() const { return first + count; }
  bool holds(const Range& other) const { return first <= other.first && other.end() <= end(); }
};

// What to make where `kept` is there and `wanted` is not in it: both, and as much again on the side
// that grows, up to `most`, so that it seldom does. Where they lie far apart, `wanted` alone.
inline Range grown(const Range& kept, const Range& wanted, int64_t most) {
  if (kept.count == 0) return wanted;
  const int64_t first = std::min(kept.first, wanted.first),
                end = std::max(kept.end(), wanted.end());
  const int64_t both = end - first, more = std::clamp<int64_t>(most - both, 0, both);
  if (both > 8 * (kept.count + wanted.count) + 1024) return wanted;
  if (first < kept.first && end > kept.end()) return {first - more / 2, both + more / 2 * 2};
  return {first < kept.first ? first - more : first, both + more};
}

// A table that a call reads: a kept one, or one of its own.
template <class Table>
struct Borrowed {
  std::shared_ptr<const Table> kept;
  std::optional<Table> own;

  const Table& operator*() const { return kept ? *kept : *own; }
  const Table* operator->() const { return &**this; }
};

// One table, with the range it is for. Any thread may ask for it.
template <class Table>
class Kept {
 public:
  std::shared_ptr<const Table> now() const {
    const std::scoped_lock lock(mutex_);
    return table_;
  }
  std::shared_ptr<const Table> keep(Table table) const {
    const auto made = std::make_shared<const Table>(std::move(table));
    const std::scoped_lock lock(mutex_);
    return table_ = made;
  }
  // One that holds the range. make(range) makes one; it is kept where both it and what was kept
  // take up to `most` entries.
  template <class Make>
  Borrowed<Table> get(Range wanted, int64_t most, const Make& make) const {
    const auto found = now();
    if (found && found->range.holds(wanted)) return {found, {}};
    const Range range = grown(found ? found->range : Range{}, wanted, most);
    if ((found && !range.holds(found->range)) || range.count > most) return {nullptr, make(wanted)};
    return {keep(make(range)), {}};
  }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Table> table_;
};

}  // namespace posenc
