// paths.h: where tests find the tree, what other libraries answered, and the built tool. Functions
// of one file (main.cc), so that ccache knows all others from another clone.
#pragma once

#include <string>

namespace posenc {

std::string source_path(const std::string& name = "");  // in the tree: "docs/json.md"
std::string golden_path(const std::string& name);       // in tests/golden
std::string tool_dir();                                 // where the built posenc is

}  // namespace posenc
