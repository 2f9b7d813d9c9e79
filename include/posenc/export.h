// export.h: what a shared library shows: the names of these headers, and nothing else.
#pragma once

#ifdef __GNUC__
#define POSENC_PUBLIC [[gnu::visibility("default")]]
#else
#define POSENC_PUBLIC
#endif
