# check.cmake: builds and runs a consumer of the package.
#   cmake -D source=... -D work=... -D beside=... -D way=... -D "settings=..." [-D built=...] -D nm=... -D compiler=... [-D emulator=...] -P check.cmake
# way: static or shared (installed, then found), add_subdirectory or fetch_content; settings: compiler and build type;
# built: a finished build to install, otherwise the library is built in the folder beside; emulator: what runs programs.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work}/prefix ${work}/consumer)

function(do)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(build_consumer folder)
  do(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${folder} -B ${work}/consumer ${settings} ${ARGN})
  do(${CMAKE_COMMAND} --build ${work}/consumer)
  do(${emulator} ${work}/consumer/consumer)
endfunction()

# Who links posenc::posenc alone does not build posenc::model, and may leave it out.
if(way MATCHES "subdirectory|fetch")
  string(COMPARE EQUAL ${way} add_subdirectory model)
  build_consumer(${way} -D POSENC_SOURCE=${source} -D POSENC_MODEL=${model})
  file(GLOB_RECURSE built_model ${work}/consumer/*posenc_model*.o ${work}/consumer/libposenc_model.*)
  if(built_model)
    message(FATAL_ERROR "expected posenc::posenc without posenc::model, got ${built_model}")
  endif()
  return()
endif()

if(NOT built)
  set(built ${beside})
  string(COMPARE EQUAL ${way} shared is_shared)
  do(${CMAKE_COMMAND} -S ${source} -B ${built} ${settings} -D BUILD_SHARED_LIBS=${is_shared}
     -D POSENC_CLI=OFF -D POSENC_TESTS=OFF)
  do(${CMAKE_COMMAND} --build ${built})
endif()
do(${CMAKE_COMMAND} --install ${built} --prefix ${work}/prefix)
if(EXISTS ${work}/prefix/bin/posenc)
  do(${emulator} ${work}/prefix/bin/posenc list)
  foreach(page man/man1/posenc.1 bash-completion/completions/posenc zsh/site-functions/_posenc)
    if(NOT EXISTS ${work}/prefix/share/${page})
      message(FATAL_ERROR "expected share/${page} to be installed")
    endif()
  endforeach()
endif()

# A shared library shows what its headers declare, and nothing of how it is done.
if(way STREQUAL shared)
  file(GLOB_RECURSE library ${work}/prefix/libposenc.so)
  execute_process(COMMAND ${nm} -DC --defined-only ${library} OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  foreach(inner posenc::cpu:: posenc::N_ posenc::check_output posenc::threads_for)
    if(names MATCHES ${inner})
      message(FATAL_ERROR "expected ${library} to hide ${inner}, got it among its symbols")
    endif()
  endforeach()
  foreach(shown posenc::prepare posenc::Rope::check posenc_prepare)
    if(NOT names MATCHES ${shown})
      message(FATAL_ERROR "expected ${library} to show ${shown}, got no such symbol")
    endif()
  endforeach()
endif()

# Users of a shared library need nothing else.
set(unneeded)
if(way STREQUAL shared)
  set(unneeded --no-warn-unused-cli -D CMAKE_DISABLE_FIND_PACKAGE_hwy=ON -D CMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
endif()
build_consumer(find_package -D CMAKE_PREFIX_PATH=${work}/prefix ${unneeded})
do(${emulator} ${work}/consumer/model_consumer)

# The same by pkg-config, without CMake.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND NOT emulator)
  file(GLOB_RECURSE pc ${work}/prefix/posenc.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  set(static)
  if(way STREQUAL static)
    set(static --static)
  endif()
  get_filename_component(libraries ${folder} DIRECTORY)
  foreach(package posenc posenc-model)
    string(REPLACE "posenc-model" model_consumer program ${package})
    string(REPLACE "posenc" consumer program ${program})
    execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${static} ${package} OUTPUT_VARIABLE flags
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags)
    do(${compiler} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/${program}.cc -o ${work}/consumer/by_pkg_config ${flags})
    do(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${work}/consumer/by_pkg_config)
  endforeach()
endif()

# One header that needs none of this.
file(WRITE ${work}/consumer/rope.cc "#include <posenc_rope.h>\nint main() { return posenc_rope::Table({.dim = 4, .layout = posenc_rope::Layout::half}).pairs() - 2; }\n")
do(${compiler} -std=c++20 -I${work}/prefix/include ${work}/consumer/rope.cc -o ${work}/consumer/rope)
do(${emulator} ${work}/consumer/rope)
