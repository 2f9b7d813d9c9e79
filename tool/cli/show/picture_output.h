// picture_output.h: where a picture goes: a file, or the terminal.
#pragma once

#include <string>

#include "draw/plot.h"

namespace posenc::cli {

struct PictureSize {
  int width, height;
};

// Throws a usage error unless it is a name for a PNG or SVG file, or nothing.
// option: by which it was given.
void check_picture(const std::string& out, std::string_view option = "--out");

// To the file, or into the terminal where `out` is empty. size: WIDTHxHEIGHT, in pixels or
// characters, or nothing: as usual.
void write_picture(const draw::Plot& plot, const std::string& out, const std::string& size,
                   PictureSize usual);

}  // namespace posenc::cli
