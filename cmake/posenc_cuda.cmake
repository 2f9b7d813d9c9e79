# posenc_cuda: the sources of src/cuda as POSENC_CUDA says, and what they link to, posenc_cuda.
set(posenc_cuda "")
file(GLOB cuda_sources CONFIGURE_DEPENDS src/cuda/*.cu)
set_source_files_properties(${cuda_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # CMake 3.31 joins them too
if(POSENC_CUDA STREQUAL EMULATED)
  list(FILTER sources EXCLUDE REGEX "/src/cuda/none.cc")
  set_source_files_properties(${cuda_sources} PROPERTIES LANGUAGE CXX)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # which knows no loops to unroll, and sees too much
    set_source_files_properties(${cuda_sources} PROPERTIES
      COMPILE_OPTIONS "-O1;-Wno-unknown-pragmas;-Wno-maybe-uninitialized")
  else()  # which says where it did not unroll
    set_source_files_properties(${cuda_sources} PROPERTIES COMPILE_OPTIONS "-O1;-Wno-pass-failed")
  endif()
  list(APPEND sources ${cuda_sources} ${PROJECT_SOURCE_DIR}/tests/cuda/emulator/emulator.cc)
  add_library(posenc_cuda_emulated INTERFACE)
  target_include_directories(posenc_cuda_emulated INTERFACE ${PROJECT_SOURCE_DIR}/tests/cuda/emulator)
  set(posenc_cuda $<BUILD_INTERFACE:posenc_cuda_emulated>)
elseif(POSENC_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)  # machine code for what is in use, PTX for what will be
    set(CMAKE_CUDA_ARCHITECTURES 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CMAKE_CUDA_COMPILER nvcc HINTS /usr/local/cuda/bin)
  endif()
  if(CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
  endif()
  enable_language(CUDA)
  if(POSENC_STANDALONE AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)  # which compresses device code first
    string(APPEND CMAKE_CUDA_FLAGS " --compress-mode=size")
  endif()
  if(POSENC_CUDA STREQUAL PTX)  # what nvcc says of the kernels, in a third of the time, and no program
    add_library(posenc_ptx OBJECT EXCLUDE_FROM_ALL ${cuda_sources})
    posenc_options(posenc_ptx)
    set_target_properties(posenc_ptx PROPERTIES CUDA_PTX_COMPILATION ON)
    target_include_directories(posenc_ptx PRIVATE include src)
    # What the tool does with device memory is plain C++ beside CUDA's headers.
    add_library(posenc_cuda_host OBJECT EXCLUDE_FROM_ALL tool/cli/measure/device_memory.cc)
    posenc_options(posenc_cuda_host)
    target_include_directories(posenc_cuda_host PRIVATE include src tool ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    add_dependencies(posenc_ptx posenc_cuda_host)
  else()
    set(POSENC_CUDA ON)
    find_package(CUDAToolkit REQUIRED)
    list(FILTER sources EXCLUDE REGEX "/src/cuda/none.cc")
    list(APPEND sources ${cuda_sources})
    set(posenc_cuda CUDA::cudart_static)  # finds the driver when it runs, and lives without one
  endif()
endif()
