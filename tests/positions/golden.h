// golden.h: the lines of golden/positions.txt that begin with a word.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace posenc {

// What follows the word, one stream for each line.
inline std::vector<std::istringstream> golden_lines(const std::string& word) {
  std::vector<std::istringstream> out;
  std::ifstream file(golden_path("positions.txt"));
  EXPECT_TRUE(file) << "no positions.txt";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(word + " ")) out.emplace_back(line.substr(word.size() + 1));
  return out;
}

template <class T>
T next(std::istream& in) {
  T value{};
  EXPECT_TRUE(in >> value) << "a line of positions.txt is too short";
  return value;
}

template <class T>
std::vector<T> next_values(std::istream& in, int64_t count) {
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(next<T>(in));
  return out;
}

}  // namespace posenc
