// sink.h: where bytes go, piece by piece.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace posenc::cli {

using Sink = std::function<void(std::string_view)>;

// Whether the path is the standard output, by whatever name.
bool is_standard_output(const std::string& path);

// Calls write with a sink into the file, which appears when all of it is there, or into the
// standard output, which gets every piece at once.
void write_to(const std::string& path, const std::function<void(const Sink&)>& write);

}  // namespace posenc::cli
