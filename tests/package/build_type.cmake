# build_type.cmake: a project that sets no build type gets posenc optimized, one that sets one gets that.
#   cmake -D source=... -D work=... -D compiler=... -D toolchain=... -P build_type.cmake
cmake_minimum_required(VERSION 3.22)

function(expect type flags said)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/add_subdirectory -B ${work}/${type} -G Ninja --fresh
            -D POSENC_SOURCE=${source} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_TOOLCHAIN_FILE=${toolchain}
            -D CMAKE_BUILD_TYPE=${type} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${work}/${type}/compile_commands.json hot REGEX "command.*kernels/rotate.cc")
  if(NOT hot MATCHES " ${flags} ")
    message(FATAL_ERROR "expected ${flags} for the build type '${type}', got ${hot}")
  endif()
  string(FIND "${output}" "compiling posenc as Release" at)
  if((said AND at EQUAL -1) OR (NOT said AND NOT at EQUAL -1))
    message(FATAL_ERROR "expected a word of the build type: ${said}, got ${output}")
  endif()
endfunction()

expect("" "-O3 -DNDEBUG" TRUE)
expect(Debug "-g" FALSE)
