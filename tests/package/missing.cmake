# missing.cmake: a build without Highway fails, and so does one that cannot fetch it; one line says what is missing and what to do.
#   cmake -D source=... -D work=... -D compiler=... -P missing.cmake
file(REMOVE_RECURSE ${work})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${work} -D CMAKE_CXX_COMPILER=${compiler}
  -D CMAKE_DISABLE_FIND_PACKAGE_hwy=ON -D POSENC_TESTS=OFF -D POSENC_CLI=OFF RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
if(code EQUAL 0 OR NOT said MATCHES "posenc needs Highway: [^\n]*libhwy-dev[^\n]*POSENC_FETCH=ON")
  message(FATAL_ERROR "expected a sentence about Highway, got code ${code} and ${said}")
endif()
# Nobody listens at that port.
execute_process(COMMAND ${CMAKE_COMMAND} -E env https_proxy=http://127.0.0.1:9 http_proxy=http://127.0.0.1:9 ALL_PROXY= no_proxy=
  ${CMAKE_COMMAND} -S ${source} -B ${work}/fetch -D CMAKE_CXX_COMPILER=${compiler} -D POSENC_FETCH=ON -D POSENC_TESTS=OFF -D POSENC_CLI=OFF
  RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
if(code EQUAL 0 OR NOT said MATCHES "posenc cannot fetch Highway, got [^\n]*libhwy-dev[^\n]*highway-1.0.3.tar.gz")
  message(FATAL_ERROR "expected a sentence about fetching Highway, got code ${code} and ${said}")
endif()
