// positions_arg.cc: from text to positions.
#include "cli/positions/positions_arg.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cli/error.h"
#include "cli/memory.h"
#include "posenc/field.h"

namespace posenc::cli {
namespace {

// A number as it was typed: whole when it has only digits.
struct Number {
  bool whole = true;
  int64_t integer = 0;
  double real = 0;
};

// count numbers: first, first + step, ...
struct Run {
  Number first, step;
  int64_t count = 1;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Number parse_number(std::string_view text) {
  if (text.empty()) refuse("expected a number in positions, got nothing");
  Number out;
  out.whole = text.find_first_not_of("-0123456789") == text.npos;
  if (out.whole) {
    text::read("positions", text, out.integer);
    out.real = static_cast<double>(out.integer);
  } else {
    text::read("positions", text, out.real);
  }
  return out;
}

// How many steps lie before the end. A billionth of a step off counts as on the end, because
// decimal steps such as 0.1 are rounded.
double steps_between(const Run& run, const Number& end) {
  const double steps = (end.real - run.first.real) / run.step.real;
  const double nearest = std::round(steps);
  return std::abs(steps - nearest) <= 1e-9 ? nearest : std::ceil(steps);
}

int64_t whole_steps_between(const Run& run, const Number& end) {
  __extension__ using Wide = __int128;
  const Wide step = run.step.integer, distance = Wide{end.integer} - run.first.integer;
  const Wide steps = (distance + step + (step > 0 ? -1 : 1)) / step;
  if (steps > INT64_MAX) refuse("expected positions that fit 64 bits, got a range of more");
  return static_cast<int64_t>(std::max<Wide>(steps, 0));
}

Run parse_run(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() > 3)
    refuse("expected positions as first:end:step, got '", text, "' with ", parts.size(), " parts");
  Run run{parse_number(parts[0]), {true, 1, 1}};
  if (parts.size() == 1) return run;
  const Number end = parse_number(parts[1]);
  if (parts.size() == 3) run.step = parse_number(parts[2]);
  if (run.step.real == 0) refuse("expected a step other than 0 in positions, got '", text, "'");
  if (run.first.whole && run.step.whole && end.whole) {
    run.count = whole_steps_between(run, end);
  } else {
    const double steps = steps_between(run, end);
    if (!(steps < 0x1p62)) refuse("expected positions that fit 64 bits, got '", text, "'");
    run.count = static_cast<int64_t>(std::max(steps, 0.0));
    run.first.whole = run.step.whole = false;
  }
  if (run.count == 0) refuse("expected at least one position, got '", text, "', which has none");
  return run;
}

std::vector<Run> parse_axis(std::string_view text) {
  std::vector<Run> runs;
  for (const auto part : split(text, ',')) runs.push_back(parse_run(part));
  return runs;
}

int64_t count_of(const std::vector<Run>& runs) {
  int64_t count = 0;
  for (const Run& run : runs)
    if (__builtin_add_overflow(count, run.count, &count))
      refuse("expected positions that fit 64 bits, got a list of more");
  return count;
}

template <class T>
void write_axis(const std::vector<Run>& runs, T* out) {
  for (const Run& run : runs)
    for (int64_t i = 0; i < run.count; ++i)
      if constexpr (std::is_same_v<T, double>) {
        *out++ = run.first.real + static_cast<double>(i) * run.step.real;
      } else {
        *out++ = run.first.integer + i * run.step.integer;
      }
}

bool is_whole(const std::vector<Run>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.first.whole; });
}

PositionList from_axes(const std::vector<std::vector<Run>>& axes) {
  PositionList out{count_of(axes[0]), std::ssize(axes)};
  for (const auto& runs : axes)
    if (count_of(runs) != out.count)
      refuse("expected as many positions on every axis, got ", out.count, " and ", count_of(runs));
  const bool whole = std::all_of(axes.begin(), axes.end(), is_whole);
  const Run& run = axes[0][0];
  if (whole && axes.size() == 1 && axes[0].size() == 1 && run.step.integer == 1) {
    out.first = run.first.integer;
    return out;
  }
  check_fits("positions", out.count, out.axes, sizeof(double));
  out.ids = make_array(whole ? DType::i64 : DType::f64, {out.axes, out.count});
  for (size_t a = 0; a < axes.size(); ++a) {
    const size_t at = a * static_cast<size_t>(out.count);
    if (whole) {
      write_axis(axes[a], &out.ids.values<int64_t>()[at]);
    } else {
      write_axis(axes[a], &out.ids.values<double>()[at]);
    }
  }
  return out;
}

// A file that posenc positions or NumPy wrote.
PositionList from_file(const std::string& path, int64_t axes) {
  Array ids = read_array(path);
  const Positions at = positions(ids.view());
  PositionList out{at.ids.size(1) * at.ids.size(2), at.ids.size(0)};
  out.rows = at.ids.size(1), out.typed = path;
  if (out.axes != axes || out.count == 0)
    fail("positions", path, ": expected positions on ", axes, axes == 1 ? " axis" : " axes", ", [",
         axes == 1 ? "" : "axes, ", "rows, tokens], got ", describe(ids.view()));
  if (ids.dtype == DType::i32) {
    out.ids = make_array(DType::i64, {out.axes, out.count});
    std::copy_n(ids.values<int32_t>().begin(), out.axes * out.count,
                out.ids.values<int64_t>().begin());
  } else {
    out.ids = std::move(ids);
    out.ids.shape = {out.axes, out.count};
  }
  return out;
}

}  // namespace

Positions PositionList::batch() const {
  if (is_run()) return range(first);
  Tensor t = tensor(nullptr, ids.dtype, std::array{axes, rows, count / rows});
  t.data = const_cast<std::byte*>(ids.bytes.data());
  return positions(t);
}

Positions PositionList::at(int64_t from, int64_t tokens) const {
  if (is_run()) return range(first + from);
  Tensor t = tensor(nullptr, ids.dtype, std::array{axes, int64_t{1}, count});
  t.data = const_cast<std::byte*>(ids.bytes.data()) + from * size_of(ids.dtype);
  t.shape[2] = tokens;
  return positions(t);
}

int64_t PositionList::whole(int64_t token) const {
  if (is_run()) return first + token;
  if (ids.dtype == DType::f64) {
    int64_t real = 0;
    while (real + 1 < count && value(0, real) == std::trunc(value(0, real))) ++real;
    refuse("expected whole positions, got ", value(0, real));
  }
  return reinterpret_cast<const int64_t*>(ids.bytes.data())[token];
}

double PositionList::value(int64_t axis, int64_t token) const {
  if (is_run()) return static_cast<double>(first + token);
  const auto* at = ids.bytes.data() + (axis * count + token) * 8;
  if (ids.dtype == DType::f64) return *reinterpret_cast<const double*>(at);
  return static_cast<double>(*reinterpret_cast<const int64_t*>(at));
}

std::string PositionList::text(int64_t axis, int64_t token) const {
  if (is_run()) return text::write(first + token);
  if (ids.dtype == DType::f64) return text::write(value(axis, token));
  return text::write(reinterpret_cast<const int64_t*>(ids.bytes.data())[axis * count + token]);
}

PositionList parse_positions(std::string_view text, int64_t axes) {
  if (text.empty()) refuse("expected positions such as 5, 0:4, 0:100:10 or 0,3,100, got nothing");
  if (text.ends_with(".npy") || text.ends_with(".safetensors"))
    return from_file(std::string(text), axes);
  const auto parts = split(text, ';');
  if (std::ssize(parts) != axes)
    refuse("expected positions on ", axes, axes == 1 ? " axis" : " axes, separated by ';'",
           ", got ", parts.size(), parts.size() == 1 ? " axis" : " axes");
  return as_usage_error([&] {
    std::vector<std::vector<Run>> lists;
    for (const auto part : parts) lists.push_back(parse_axis(part));
    PositionList out = from_axes(lists);
    out.typed = text;
    return out;
  });
}

}  // namespace posenc::cli
