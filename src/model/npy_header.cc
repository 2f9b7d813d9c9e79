// npy_header.cc: the Python dictionary at the start of a .npy file.
#include <charconv>

#include "base/text.h"
#include "model/npy.h"

namespace posenc::files {
namespace {

// Reads the few Python literals that a header is made of.
class Literals {
 public:
  Literals(std::string_view text, const Source& source) : text_(text), source_(source) {}

  // Whether c comes next; if so, steps over it.
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void need(char c) {
    if (!take(c)) unexpected(std::string("'") + c + "'");
  }

  std::string string(std::string_view what) {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) unexpected(what);
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) unexpected("a string that ends");
    const auto value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(value);
  }

  bool boolean() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    unexpected("True or False for fortran_order");
  }

  // "()", "(3,)", "(2, 3)"; Python 2 wrote "(3L,)".
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    if (!take('(')) unexpected("a tuple of sizes for shape");
    bool comma = true;
    while (!take(')')) {
      if (!comma) unexpected("',' or ')'");
      values.push_back(integer());
      if (values.size() > max_rank) unexpected("at most 8 axes");
      comma = take(',');
    }
    if (values.size() == 1 && !comma) unexpected("a comma in a tuple of one size");
    return values;
  }

  void end() {
    skip_space();
    if (at_ != text_.size()) unexpected("nothing but spaces after the dictionary");
  }

  [[noreturn]] void unexpected(std::string_view what) const {
    source_.refuse("expected ", what, " at byte ", at_, " of the header, got ",
                   at_ < text_.size() ? in_quotes(text_.substr(at_)) : "its end");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != text_.npos) {
      ++at_;
    }
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (result.ec != std::errc() || value < 0) unexpected("a size from 0 to 2^63 - 1");
    at_ = static_cast<size_t>(result.ptr - text_.data());
    take_word("L");
    return value;
  }

  std::string_view text_;
  const Source& source_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& text, const Source& source) {
  Literals in(text, source);
  NpyHeader header;
  int descr = 0, order = 0, shape = 0;  // how often each key came
  in.need('{');
  while (!in.take('}')) {
    const std::string key = in.string("'descr', 'fortran_order', 'shape' or '}'");
    in.need(':');
    if (key == "descr" && !descr++) {
      header.descr = in.string("descr as a string, such as '<f4', not a record type");
    } else if (key == "fortran_order" && !order++) {
      header.fortran_order = in.boolean();
    } else if (key == "shape" && !shape++) {
      header.shape = in.tuple();
    } else {
      source.refuse("expected the keys descr, fortran_order and shape, each once, got ",
                    in_quotes(key));
    }
    if (!in.take(',')) {
      in.need('}');
      break;
    }
  }
  in.end();
  if (!descr || !order || !shape) {
    source.refuse("expected the keys descr, fortran_order and shape, got a header without ",
                  !descr ? "descr" : (!order ? "fortran_order" : "shape"));
  }
  return header;
}

}  // namespace posenc::files
