// documents.h: the README and the docs as lines, and commands as they are typed there.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace posenc {

namespace fs = std::filesystem;
inline const fs::path source = source_path();

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Result {
  int status;
  std::string output;
};

inline Result run(const std::string& command, const fs::path& folder) {
  const std::string shell = "cd '" + folder.string() + "' && PATH='" + tool_dir() +
                            "':\"$PATH\" && { " + command + "; } 2>&1";
  FILE* pipe = popen(shell.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  return {pclose(pipe), output};
}

}  // namespace posenc
