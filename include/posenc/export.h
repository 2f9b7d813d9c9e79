// export.h: included by every header. Requires C++20, and exports only the names in these headers
// from a shared library.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) <= 201703L
#error posenc needs C++20
#include "posenc needs C++20"  // no such file: compilers go on after #error, and stop here
#endif

#ifdef __GNUC__
#define POSENC_PUBLIC [[gnu::visibility("default")]]
#else
#define POSENC_PUBLIC
#endif
