// serve.h: the former name of rotate_into.h.
#pragma once

#include "posenc/rotate_into.h"
