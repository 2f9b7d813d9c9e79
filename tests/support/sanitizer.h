// sanitizer.h: whether the address sanitizer runs, which g++ and clang say differently.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define POSENC_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POSENC_ADDRESS_SANITIZER 1
#endif
#endif
