// rows.cu: what a device keeps of a plan that makes rows.
#include "cuda/rows.h"

#include <algorithm>
#include <cmath>

#include "base/cuda_state.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

constexpr const char* what = "what a plan holds";

// Whether every odd column is a quarter of a turn ahead of the one before it, or behind.
int mate_of(const Waves& w) {
  int mate = 0;
  const auto padded = static_cast<size_t>(w.padded);
  for (size_t c = 0; c + 1 < static_cast<size_t>(w.dim) || c == 0; c += 2) {
    if (c + 1 >= static_cast<size_t>(w.dim)) return 0;
    const Turn ahead = w.phase[c + 1] - w.phase[c];
    const int here = ahead == quarter_turn ? 1 : ahead == 0 - quarter_turn ? -1 : 0;
    if (here == 0 || (mate != 0 && here != mate) || w.amplitude[c] != w.amplitude[c + 1]) return 0;
    for (size_t a = 0; a < w.hi.size(); a += padded)
      if (w.hi[a + c] != w.hi[a + c + 1] || w.lo[a + c] != w.lo[a + c + 1] ||
          w.turns[a + c] != w.turns[a + c + 1] || w.radians32[a + c] != w.radians32[a + c + 1])
        return 0;
    mate = here;
  }
  return w.dim % 2 == 0 ? mate : 0;
}

// The arrays of some waves, and where they lie in the memory they will be in.
class Upload {
 public:
  void add(Arrays& arrays, const Waves& w) {
    const auto padded = static_cast<size_t>(w.padded), all = padded * static_cast<size_t>(w.axes);
    std::vector<double> slope(all), intercept(padded);
    std::vector<uint8_t> is_line(padded);
    std::vector<Amplitude> amplitude32;
    for (const double a : w.amplitude) amplitude32.push_back(split_amplitude(a));
    for (const int64_t line : w.lines) {
      const auto c = static_cast<size_t>(line);
      is_line[c] = 1, intercept[c] = w.columns[c].intercept;
      for (size_t a = 0; a < w.columns[c].slope.size(); ++a)
        slope[a * padded + c] = w.columns[c].slope[a];
    }
    hi_ = arrays.add(w.hi), lo_ = arrays.add(w.lo), turns_ = arrays.add(w.turns);
    phase_ = arrays.add(w.phase), amplitude_ = arrays.add(w.amplitude);
    slope_ = arrays.add(slope), intercept_ = arrays.add(intercept);
    amplitude32_ = arrays.add(amplitude32), radians32_ = arrays.add(w.radians32);
    is_line_ = arrays.add(is_line), cos_step_ = arrays.add(w.cos_step);
    const Frequency radian = frequency(1);
    out_.padded = w.padded, out_.axes = static_cast<int>(w.axes);
    out_.shift_whole = w.shift_whole, out_.shift_part = w.shift_part;
    out_.shift = static_cast<double>(w.shift_whole) + static_cast<double>(w.shift_part) * 0x1p-64;
    out_.f32_product = w.f32_product, out_.has_lines = !w.lines.empty();
    out_.steady = w.steady, out_.raise = w.raise;
    out_.mate = out_.has_lines ? 0 : mate_of(w);
    out_.radian_hi = radian.hi, out_.radian_lo = radian.lo;
  }
  DeviceWaves in(const char* memory) const {
    DeviceWaves out = out_;
    const auto at = [&]<class T>(const T*& to, size_t offset) {
      to = reinterpret_cast<const T*>(memory + offset);
    };
    at(out.hi, hi_), at(out.lo, lo_), at(out.turns, turns_), at(out.phase, phase_);
    at(out.amplitude, amplitude_), at(out.slope, slope_), at(out.intercept, intercept_);
    at(out.amplitude32, amplitude32_), at(out.radians32, radians32_), at(out.is_line, is_line_);
    at(out.cos_step, cos_step_);
    return out;
  }

 private:
  DeviceWaves out_;
  size_t hi_, lo_, turns_, phase_, amplitude_, slope_, intercept_, amplitude32_, radians32_,
      is_line_, cos_step_;
};

PlainWaves plain_waves(const RowSource& rows, int mate) {
  const Waves& w = rows.waves;
  PlainWaves out;
  if (rows.zero_row || rows.end != INT64_MAX || !w.steady || w.axes != 1 || w.shift_part != 0 ||
      w.dim == 0)
    return out;
  const auto dim = static_cast<size_t>(w.dim), step = mate != 0 ? size_t{2} : size_t{1};
  size_t second = 0;
  while (second < dim && w.phase[second] == w.phase[0]) second += step;
  for (size_t i = 0; i < dim; ++i) {
    if (w.amplitude[i] != w.amplitude[0]) return out;
    if (i >= second && i % step == 0 && w.phase[i] != w.phase[second]) return out;
  }
  constexpr size_t widest = 8;  // of packs
  if (second < dim && second % widest != 0) return out;
  out.are = true, out.phases[0] = w.phase[0], out.phases[1] = second < dim ? w.phase[second] : 0;
  out.second = static_cast<int64_t>(second), out.amplitude = split_amplitude(w.amplitude[0]);
  return out;
}

// The links of all columns, by the number they lead to; those of a number as the columns are.
class UploadLinks {
 public:
  void add(Arrays& arrays, const Waves& w) {
    struct Term {
      Link link;
      int64_t value;
    };
    std::vector<Term> terms;
    for (int64_t c = 0; c < w.dim; ++c) {
      const Wave& wave = w.columns[static_cast<size_t>(c)];
      const auto add_link = [&](const Link& link, int64_t slot) {
        if (link.weight >= 0) terms.push_back({link, c * (w.axes + 2) + slot});
      };
      for (int64_t a = 0; a < std::ssize(wave.rate_link); ++a)
        add_link(wave.rate_link[static_cast<size_t>(a)], a);
      add_link(wave.offset_link, w.axes), add_link(wave.amplitude_link, w.axes + 1);
    }
    const auto target = [](const Term& t) { return std::pair(t.link.weight, t.link.entry); };
    std::stable_sort(terms.begin(), terms.end(),
                     [&](const Term& a, const Term& b) { return target(a) < target(b); });
    std::vector<int64_t> weight, entry, first, value;
    std::vector<double> factor;
    for (size_t i = 0; i < terms.size(); ++i) {
      if (i == 0 || target(terms[i - 1]) != target(terms[i]))
        weight.push_back(terms[i].link.weight), entry.push_back(terms[i].link.entry),
            first.push_back(static_cast<int64_t>(i));
      value.push_back(terms[i].value), factor.push_back(terms[i].link.factor);
    }
    first.push_back(std::ssize(terms));
    out_.targets = std::ssize(weight), out_.terms = std::ssize(terms);
    weight_ = arrays.add(weight), entry_ = arrays.add(entry), first_ = arrays.add(first);
    value_ = arrays.add(value), factor_ = arrays.add(factor);
  }
  DeviceLinks in(const char* memory) const {
    DeviceLinks out = out_;
    const auto at = [&](size_t offset) {
      return reinterpret_cast<const int64_t*>(memory + offset);
    };
    out.weight = at(weight_), out.entry = at(entry_), out.first = at(first_);
    out.value = at(value_);
    out.factor = reinterpret_cast<const double*>(memory + factor_);
    return out;
  }

 private:
  DeviceLinks out_;
  size_t weight_, entry_, first_, value_, factor_;
};

struct RowsCopy {
  Upload waves, slopes, units;
  UploadLinks links;
  PlainWaves plain;
  size_t kept, bytes;
  DeviceMemory memory;
};

RowsCopy copy_rows(const DeviceStream& stream, const RowSource& rows) {
  Arrays arrays;
  RowsCopy out{};
  out.waves.add(arrays, rows.waves), out.slopes.add(arrays, rows.slopes);
  out.units.add(arrays, rows.units), out.links.add(arrays, rows.waves);
  out.kept = arrays.add(rows.kept), out.bytes = arrays.bytes();
  out.memory = arrays.upload(stream, what);
  out.plain = plain_waves(rows, out.waves.in(out.memory.data()).mate);
  return out;
}

const RowsCopy& copy_of(const DeviceStream& stream, const RowSource& rows) {
  return rows.copies->get<RowsCopy>(stream.device(), [&] { return copy_rows(stream, rows); });
}

__global__ void copy_words(const uint4* from, uint4* to, int64_t count) {
  const int64_t n = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (n < count) to[n] = from[n];
}

// The copy, or one for this call with the numbers of weights that stay on the device.
const char* memory_of(const DeviceStream& stream, const RowSource& rows, const RowsCopy& copy) {
  if (rows.device_weights.empty()) return copy.memory.data();
  auto* memory = static_cast<char*>(stream.take(copy.bytes));
  const auto words = static_cast<int64_t>(copy.bytes / sizeof(uint4));
  launch(stream, "numbers of waves", shape_of(words, 128), copy_words,
         reinterpret_cast<const uint4*>(copy.memory.data()), reinterpret_cast<uint4*>(memory),
         words);
  follow_weights(stream, copy.links.in(memory), rows.device_weights,
                 {copy.waves.in(memory), copy.slopes.in(memory), copy.units.in(memory)});
  return memory;
}

// Waves of such weights: what was seen of the copy's numbers is not true of them.
DeviceWaves followed(const RowSource& rows, DeviceWaves waves) {
  if (!rows.device_weights.empty()) waves.steady = false, waves.mate = 0;
  return waves;
}

// The table that a plan made, there.
const void* own_table_on(const DeviceStream& stream, const RowSource& rows) {
  const auto& copy = rows.copies->get<DeviceMemory>(stream.device(), [&] {
    return DeviceMemory(stream, rows.own_table.data(), rows.own_table.size() * sizeof(double),
                        what);
  });
  return copy.data();
}

}  // namespace

void keep(const RowSource& rows, int device) {
  check_there(device);
  if (rows.has_waves()) copy_of(DeviceStream(device, {}), rows);
  if (!rows.own_table.empty()) own_table_on(DeviceStream(device, {}), rows);
  if (!rows.lookups.list.empty()) lookups_on(DeviceStream(device, {}), rows);
}

DeviceRows rows_on(const DeviceStream& stream, const RowSource& rows) {
  DeviceRows out;
  out.dim = rows.dim, out.end = rows.end;
  if (rows.table) {
    const Table& t = *rows.table;
    out.is_table = true, out.dtype = t.rows.dtype;
    out.table = rows.own_table.empty() ? t.rows.data : own_table_on(stream, rows);
    out.table_rows = t.rows.size(0), out.columns = t.rows.size(1);
    out.row_step = t.rows.step(0), out.column_step = t.rows.step(1);
    if (t.more.rank > 0)
      out.more = t.more.data, out.more_row_step = t.more.step(0),
      out.more_column_step = t.more.step(1);
    out.offset = t.offset, out.factor = t.factor;
    return out;
  }
  if (!rows.has_waves()) {
    out.lookups = lookups_on(stream, rows);
    out.lookup_count = static_cast<int>(rows.lookups.list.size());
    return out;
  }
  const RowsCopy& copy = copy_of(stream, rows);
  const char* memory = memory_of(stream, rows, copy);
  out.waves = followed(rows, copy.waves.in(memory));
  if (rows.device_weights.empty()) out.plain = copy.plain;
  out.kept = reinterpret_cast<const float*>(memory + copy.kept), out.kept_rows = rows.kept_rows;
  out.has_zero_row = rows.zero_row.has_value();
  if (rows.zero_row) out.zero_row = static_cast<double>(*rows.zero_row - rows.waves.shift_whole);
  return out;
}

DeviceDerivatives derivatives_on(const DeviceStream& stream, const RowSource& rows) {
  const RowsCopy& copy = copy_of(stream, rows);
  const char* memory = memory_of(stream, rows, copy);
  return {followed(rows, copy.slopes.in(memory)), followed(rows, copy.units.in(memory)),
          copy.links.in(memory)};
}

}  // namespace posenc::cuda
