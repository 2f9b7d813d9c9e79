# posenc_native: with POSENC_NATIVE the library is made of parts. Loops over elements are optimized as ever, as the eigenvectors of
# graphs are, and kernels are compiled for the instruction set of this machine alone. What `posenc demo` never calls is apart from
# what it does, so that ./run demo need not wait for it: the linker drops the functions that would call it, and names the one that
# is missing where the demo comes to call it, which then leaves this list. Of positions/, the demo needs positions.cc alone.
if(NOT POSENC_NATIVE)
  return()
endif()
set(beyond_demo attend/ convolution/convolve convolution/plan graph/adjacency graph/components graph/edge graph/graph
  graph/laplacian_matrix graph/paths inspect/ model/graph/ positions/[^p] positions/pa positions/pl c_json posenc_c base/sums
  content/call model/c_model model/diff_json relative/call relative/fill relative/resize rotary/layout rotary/polar cpu/kernels/heads cpu/kernels/softmax)
foreach(family absolute content relative rotary)
  list(APPEND beyond_demo ${family}/add ${family}/backward ${family}/cache ${family}/move ${family}/rotate_into)
endforeach()
foreach(loop activation add_bias add_term attend convol fill_bias move outputs polar reorder rotate_into [a-z]+_gradient)
  list(APPEND beyond_demo cpu/${loop})
endforeach()
list(JOIN beyond_demo "|" beyond_demo)
set(beyond_demo "/src/(${beyond_demo})[^/]*$|/src/graph/eigen/")
if(NOT CMAKE_EXECUTABLE_FORMAT STREQUAL ELF)
  set(beyond_demo "^$")
endif()

file(GLOB kernels CONFIGURE_DEPENDS src/cpu/kernels/*.cc)
set_source_files_properties(${kernels} PROPERTIES
  COMPILE_OPTIONS -march=native COMPILE_DEFINITIONS HWY_COMPILE_ONLY_STATIC)
set_property(SOURCE src/graph/eigen/eigenvectors.cc src/graph/eigen/lanczos.cc APPEND PROPERTY COMPILE_OPTIONS -O2)

# posenc_part(NAME SOURCES...): makes the list NAME of objects: of posenc_part_NAME, for the demo, appended to posenc_part, and of
# posenc_rest_NAME, appended to posenc_rest, which the tool has besides.
function(posenc_part name)
  set(part ${ARGN})
  set(rest ${ARGN})
  list(FILTER part EXCLUDE REGEX "${beyond_demo}")
  list(FILTER rest INCLUDE REGEX "${beyond_demo}")
  set(objects "")
  foreach(kind part rest)
    if(${kind})
      set(target posenc_${kind}_${name})
      add_library(${target} OBJECT ${${kind}})
      posenc_library(${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 60)
      target_include_directories(${target} PRIVATE include src)
      target_link_libraries(${target} PRIVATE hwy::hwy ${posenc_cuda})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
      set(posenc_${kind} ${posenc_${kind}} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
    endif()
  endforeach()
  set(${name} ${objects} PARENT_SCOPE)
endfunction()

set(loops ${sources})
list(FILTER loops INCLUDE REGEX "/src/cpu/")
list(REMOVE_ITEM sources ${loops})
posenc_part(loops ${loops})
posenc_part(sources ${sources} ${posenc_highway_sources})
set(posenc_highway_sources "")
posenc_part(model_sources ${model_sources})
list(APPEND sources ${loops})
if(POSENC_TESTS OR POSENC_PYTHON)  # which call everything
  list(APPEND posenc_part ${posenc_rest})
  set(posenc_rest "")
endif()
