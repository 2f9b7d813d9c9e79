// anywhere.h: marks functions that every device may call.
#pragma once

#ifdef __CUDACC__
#define POSENC_ANYWHERE __host__ __device__
#else
#define POSENC_ANYWHERE
#endif
