// lines.h: text as lines of numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "posenc/graph/graph.h"

namespace posenc::graph {

// Lines of a text, one after the other, cut at blanks, commas and semicolons.
class Lines {
 public:
  // label begins messages: "file.csv: ".
  Lines(std::string_view text, std::string label) : rest_(text), label_(std::move(label)) {}

  // Goes on to the next line that is neither empty nor a comment; false at the end.
  bool next();

  const std::vector<std::string_view>& words() const { return words_; }
  int64_t integer(size_t word) const;
  double number(size_t word) const;
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(ErrorKind::data, "read", label_, "line ", line_, ": ", parts...);
  }
  const std::string& label() const { return label_; }

 private:
  void cut(std::string_view line);

  std::string_view rest_;
  std::string label_;
  int64_t line_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace posenc::graph
