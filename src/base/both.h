// both.h: marks functions that run on the CPU and in CUDA kernels alike.
//
// They use no memory but what they are given, throw nothing and call only their like.
#pragma once

#ifdef __CUDACC__
#define POSENC_BOTH __host__ __device__
#else
#define POSENC_BOTH
#endif
