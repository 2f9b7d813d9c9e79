# posenc_options(TARGET): the compiler flags of this project, never passed on to its users.
function(posenc_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
  # Instruction sets nobody gains from here, and SVE, whose vectors cannot be kept in arrays.
  target_compile_definitions(${target} PRIVATE
    "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
  if(POSENC_FAST_MATH)
    target_compile_options(${target} PRIVATE -ffast-math)
  endif()
  if(POSENC_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
