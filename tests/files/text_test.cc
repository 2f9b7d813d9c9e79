// text_test.cc: what of a name reaches a terminal.
#include "base/text.h"

#include <gtest/gtest.h>

namespace posenc::files::text_test {
namespace {

TEST(Text, ShowsOnlyWhatATerminalDoesNotObey) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain q_proj.weight", "plain q_proj.weight"},
      {"层 é \U0001f600", "层 é \U0001f600"},
      {"\033[31m\a\t\n\x7f", "\\x1b[31m\\x07\\x09\\x0a\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},  // CSI in one character
      {"\xe2\x80\xae"
       "abc",
       "\\xe2\\x80\\xaeabc"},                                 // right to left
      {"\xff\xc3", "\\xff\\xc3"},                             // no UTF-8, and cut off
      {"\xc0\x9b\xe0\x80\x9b", "\\xc0\\x9b\\xe0\\x80\\x9b"},  // an escape, written too long
      {"\xed\xa0\x80\xf5\x80", "\\xed\\xa0\\x80\\xf5\\x80"},  // no characters
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
}

TEST(Text, CutsBetweenCharacters) {
  std::string name(59, 'a');
  EXPECT_EQ(in_quotes(name + "层层"), '"' + name + "...\"");
  EXPECT_EQ(in_quotes(name + "b"), '"' + name + "b\"");
}

}  // namespace
}  // namespace posenc::files::text_test
