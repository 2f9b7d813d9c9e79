# cxx17.cmake: under an older standard every public header says what it needs, in a few lines.
#   cmake -D compiler=... -D include=... -D work=... -P cxx17.cmake
cmake_minimum_required(VERSION 3.22)
file(GLOB_RECURSE headers RELATIVE ${include} ${include}/posenc/*.h)
list(REMOVE_ITEM headers posenc/posenc_c.h)  # which is C
foreach(header ${headers})
  file(WRITE ${work}/cxx17.cc "#include \"${header}\"\n")
  execute_process(COMMAND ${compiler} -std=c++17 -fsyntax-only -I${include} ${work}/cxx17.cc
                  RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_QUIET)
  string(REGEX MATCHALL "\n" lines "${said}")
  list(LENGTH lines count)
  if(code EQUAL 0 OR NOT said MATCHES "error: (#error )?posenc needs C..20\n" OR count GREATER 20)
    message(FATAL_ERROR "expected ${header} to say that posenc needs C++20, got code ${code} and ${count} lines:\n${said}")
  endif()
endforeach()
list(LENGTH headers count)
if(count LESS 50)
  message(FATAL_ERROR "expected the public headers in ${include}, got ${count}")
endif()
