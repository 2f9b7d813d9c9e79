// numpy.h: NumPy's C functions, which given.cc looks up for all files.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL posenc_numpy
#include <numpy/arrayobject.h>
