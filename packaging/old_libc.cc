// old_libc.cc: what GCC's runtime and a new C library's headers ask of that library, for wheels
// that are linked to an older one (POSENC_OLD_LIBC).
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>

#pragma GCC visibility push(hidden)
extern "C" {

// Of glibc 2.32: whether there is one thread only, which saves atomic operations. 0: unknown.
char __libc_single_threaded = 0;

// Of glibc 2.36, for std::random_device.
uint32_t arc4random() {
  uint32_t bits = 0;
  if (getentropy(&bits, sizeof bits) != 0) __builtin_trap();
  return bits;
}

// Of glibc 2.35, for exceptions: which object holds the code at pc, and where its table of frames
// is.
int _dl_find_object(void* pc, dl_find_object* found) {
  struct Search {
    uintptr_t pc;
    dl_find_object* found;
  } search{reinterpret_cast<uintptr_t>(pc), found};
  const auto look = [](dl_phdr_info* object, size_t, void* given) -> int {
    const auto& [pc, found] = *static_cast<Search*>(given);
    bool inside = false;
    found->dlfo_eh_frame = nullptr;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      const uintptr_t start = object->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD && pc >= start && pc < start + part.p_memsz) inside = true;
      if (part.p_type == PT_GNU_EH_FRAME) found->dlfo_eh_frame = reinterpret_cast<void*>(start);
    }
    return inside;
  };
  return dl_iterate_phdr(look, &search) == 1 && found->dlfo_eh_frame ? 0 : -1;
}

// Of glibc 2.38, whose headers say strtol and mean these, which read binary numbers too. Here by
// the symbols, since a call of strtol would be one of these again.
long strtol_of_libc(const char*, char**, int) __asm__("strtol");
long long strtoll_of_libc(const char*, char**, int) __asm__("strtoll");
unsigned long strtoul_of_libc(const char*, char**, int) __asm__("strtoul");
unsigned long long strtoull_of_libc(const char*, char**, int) __asm__("strtoull");
long __isoc23_strtol(const char* text, char** end, int base) {
  return strtol_of_libc(text, end, base);
}
long long __isoc23_strtoll(const char* text, char** end, int base) {
  return strtoll_of_libc(text, end, base);
}
unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul_of_libc(text, end, base);
}
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull_of_libc(text, end, base);
}

}  // extern "C"
#pragma GCC visibility pop
