// lines.cc: text as lines of numbers.
#include "model/graph/lines.h"

#include "base/digits.h"
#include "base/text.h"

namespace posenc::graph {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";
bool is_comma(char c) { return c == ',' || c == ';'; }

template <class T>
bool read_all(std::string_view word, T& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size();
}

}  // namespace

bool Lines::next() {
  while (!rest_.empty()) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty() || line[0] == '#' || line[0] == '%') continue;
    cut(line);
    return true;
  }
  return false;
}

void Lines::cut(std::string_view line) {
  words_.clear();
  for (bool more = true; more;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const size_t end = std::min(line.find_first_of(" \t\r\v\f,;"), line.size());
    words_.push_back(line.substr(0, end));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const bool comma = !line.empty() && is_comma(line[0]);
    if (comma) line.remove_prefix(1);
    more = comma || !line.empty();
  }
}

int64_t Lines::integer(size_t word) const {
  int64_t out = 0;
  if (!read_all(words_[word], out))
    refuse("expected the number of a node, got ", files::in_quotes(words_[word]));
  return out;
}

double Lines::number(size_t word) const {
  double out = 0;
  if (!read_all(words_[word], out))
    refuse("expected a weight, got ", files::in_quotes(words_[word]));
  return out;
}

}  // namespace posenc::graph
