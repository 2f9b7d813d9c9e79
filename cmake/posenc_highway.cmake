# posenc_highway: Highway, found, or fetched where POSENC_FETCH says so; a fetched one is compiled into the library, whose
# users then need none.
if(POSENC_FETCH)
  include(FetchContent)
  FetchContent_Declare(posenc_highway
    URL https://github.com/google/highway/archive/refs/tags/1.0.3.tar.gz
        http://deb.debian.org/debian/pool/main/h/highway/highway_1.0.3.orig.tar.gz
    URL_HASH SHA256=566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e
    SOURCE_SUBDIR none)  # its sources alone, without its own build
  FetchContent_MakeAvailable(posenc_highway)
  add_library(posenc_highway INTERFACE)
  add_library(hwy::hwy ALIAS posenc_highway)
  target_include_directories(posenc_highway SYSTEM INTERFACE ${posenc_highway_SOURCE_DIR})
  foreach(file aligned_allocator per_target print targets)
    list(APPEND posenc_highway_sources ${posenc_highway_SOURCE_DIR}/hwy/${file}.cc)
  endforeach()
  set_source_files_properties(${posenc_highway_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(posenc_highway $<BUILD_INTERFACE:hwy::hwy>)
else()
  find_package(hwy QUIET)
  if(NOT hwy_FOUND)
    # A space first: CMake then leaves the line whole.
    message(FATAL_ERROR " posenc needs Highway: install it (Debian: libhwy-dev), or have it fetched: -D POSENC_FETCH=ON "
      "(pip: --config-settings=cmake.define.POSENC_FETCH=ON)")
  endif()
  set(posenc_highway hwy::hwy)
endif()
