// error.cc: the sentences of errors.
#include "posenc/error.h"

#include <cstdio>

namespace posenc::detail {

Sentence::Sentence(std::string_view where) {
  append('[');
  append(where);
  append("] ");
  where_ = {1, where.size()}, sentence_ = text_.size();
}

void Sentence::append(std::string_view part) { text_ += part; }
void Sentence::append(UnknownOption part) {
  unknown_ = {text_.size(), part.name.size()};
  append(part.name);
}
void Sentence::append(char part) { text_ += part; }
void Sentence::append(int part) { text_ += std::to_string(part); }
void Sentence::append(long part) { text_ += std::to_string(part); }
void Sentence::append(long long part) { text_ += std::to_string(part); }
void Sentence::append(unsigned part) { text_ += std::to_string(part); }
void Sentence::append(unsigned long part) { text_ += std::to_string(part); }
void Sentence::append(unsigned long long part) { text_ += std::to_string(part); }

void Sentence::append(double part) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", part);
  for (char* c = digits; *c; ++c) text_ += *c == ',' ? '.' : *c;  // whatever the locale
}

void Sentence::raise(ErrorKind kind) const {
  Error error(text_, kind);
  error.where_ = where_, error.unknown_ = unknown_, error.sentence_ = sentence_;
  throw error;
}

}  // namespace posenc::detail
