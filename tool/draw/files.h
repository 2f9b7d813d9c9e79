// files.h: whether this build makes picture files.
#pragma once

namespace posenc::draw {

bool makes_files();  // a build with cairo does; the tool of a wheel draws in the terminal only

}  // namespace posenc::draw
