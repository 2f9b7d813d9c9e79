// report.cc: one row per case.
#include "report.h"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>

#include "base/json.h"

namespace posenc::bench {
namespace {

// Three significant digits, never an exponent.
std::string number(double x) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(x < 10 ? 2 : x < 100 ? 1 : 0) << x;
  return text.str();
}

std::string fine_number(double x) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(x < 1 ? 3 : 2) << x;
  return text.str();
}

double nanoseconds_per_element(const Result& r) {
  return r.ours.median * 1e9 / static_cast<double>(r.elements);
}
double gigabytes_per_second(const Result& r) {
  return static_cast<double>(r.bytes) * 1e-9 / r.ours.median;
}

std::string times_faster(const Result& r, const std::string& peer) {
  for (const Timing& t : r.peers)
    if (t.name == peer) return number(t.median / r.ours.median) + "x";
  return "-";
}

std::vector<std::string> cells(const Result& r, const std::vector<std::string>& peers) {
  std::vector<std::string> row{r.name, std::to_string(r.threads), number(r.ours.median * 1e6),
                               fine_number(nanoseconds_per_element(r)),
                               r.bytes ? number(gigabytes_per_second(r)) : "-"};
  if (r.limit.empty()) {
    row.insert(row.end(), {"-", "-"});
  } else {
    row.push_back(number(r.ours.median / r.limit[0].median));
    row.push_back(r.limit[0].name);
  }
  for (const auto& peer : peers) row.push_back(times_faster(r, peer));
  return row;
}

void print_row(const std::vector<std::string>& row, const std::vector<size_t>& widths,
               std::ostream& out) {
  for (size_t i = 0; i < row.size(); ++i) {
    const bool text = i == 0 || i == 6;  // the case and the limit's name
    out << (i ? "  " : "") << (text ? std::left : std::right)
        << std::setw(i + 1 < row.size() || !text ? static_cast<int>(widths[i]) : 0) << row[i];
  }
  out << '\n';
}

files::Json to_json(const Timing& t) {
  return {{"name", t.name}, {"median_s", t.median}, {"least_s", t.least}};
}

}  // namespace

void print_table(const std::vector<Result>& results, const std::vector<std::string>& peers,
                 std::ostream& out) {
  std::vector<std::vector<std::string>> rows{
      {"case", "threads", "us/call", "ns/element", "GB/s", "x limit", "limit"}};
  for (const auto& peer : peers) rows[0].push_back(peer);
  for (const Result& r : results) rows.push_back(cells(r, peers));
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) print_row(row, widths, out);
  out << "\nx limit: our time / the time of the limit on as many bytes (less is better)";
  if (!peers.empty()) out << "; peers: their time / ours (more is better)";
  out << ".\n";
}

void print_json(const std::vector<Result>& results, std::ostream& out) {
  files::JsonList all;
  for (const Result& r : results) {
    files::Json one{{"name", r.name},
                    {"threads", r.threads},
                    {"elements", r.elements},
                    {"bytes", r.bytes},
                    {"ours", to_json(r.ours)}};
    if (!r.limit.empty()) one["limit"] = to_json(r.limit[0]);
    one["peers"] = files::JsonList{};
    for (const Timing& t : r.peers) one["peers"].push_back(to_json(t));
    all.push_back(std::move(one));
  }
  const files::Json told{{"version", 1}, {"cases", std::move(all)}};
  out << files::write_json(told, files::JsonStyle::indented) << '\n';
}

}  // namespace posenc::bench
