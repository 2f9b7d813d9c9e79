// posenc.h: positional encodings for Transformers; includes everything.
#pragma once

#define POSENC_VERSION "0.1.0"

#include "posenc/absolute.h"
#include "posenc/attend.h"
#include "posenc/content.h"
#include "posenc/model.h"
#include "posenc/positions/coordinates.h"
#include "posenc/positions/grid.h"
#include "posenc/positions/padding.h"
#include "posenc/positions/segments.h"
#include "posenc/positions/sequence.h"
#include "posenc/positions/shard.h"
#include "posenc/relative.h"
#include "posenc/rotary.h"
#include "posenc/scheme.h"
#include "posenc/serve.h"
#include "posenc/shift.h"
#include "posenc/threads.h"
