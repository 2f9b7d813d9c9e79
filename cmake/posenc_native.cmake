# posenc_native: with POSENC_NATIVE the loops of src/cpu are a library of objects of their own, optimized as ever, as the
# eigenvectors of graphs are; kernels are compiled for the instruction set of this machine alone.
if(POSENC_NATIVE)
  set(loops ${sources})
  list(FILTER loops INCLUDE REGEX "/src/cpu/")
  list(REMOVE_ITEM sources ${loops})
  set(kernels ${loops})
  list(FILTER kernels INCLUDE REGEX "/kernels/")
  set_source_files_properties(${kernels} PROPERTIES
    COMPILE_OPTIONS -march=native COMPILE_DEFINITIONS HWY_COMPILE_ONLY_STATIC)
  set_property(SOURCE src/graph/eigen/eigenvectors.cc src/graph/eigen/lanczos.cc APPEND PROPERTY COMPILE_OPTIONS -O2)
  add_library(posenc_loops OBJECT ${loops})
  posenc_options(posenc_loops)
  set_target_properties(posenc_loops PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(posenc_loops PRIVATE include src)
  target_link_libraries(posenc_loops PRIVATE hwy::hwy)
  list(APPEND sources $<TARGET_OBJECTS:posenc_loops>)
endif()
