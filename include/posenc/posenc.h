// posenc.h: positional encodings for Transformers; includes everything.
#pragma once

#define POSENC_VERSION "0.1.0"

#include "posenc/absolute.h"
#include "posenc/scheme.h"
#include "posenc/shift.h"
#include "posenc/threads.h"
