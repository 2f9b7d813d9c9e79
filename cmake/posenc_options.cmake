# Without a build type CMake compiles without optimization: posenc then takes Release, and says so inside another project.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
  if(NOT PROJECT_IS_TOP_LEVEL)
    message(STATUS "posenc: no CMAKE_BUILD_TYPE is set, compiling posenc as Release")
  endif()
endif()

# What is chosen when posenc is built for itself, unless the caller chooses.
if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT EMSCRIPTEN AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

# Files of a target are compiled eight at a time: what they include takes longer than they do.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()

# posenc_unity(TARGET): groups (of twelve) end with their folder, so that a new file moves no file of another one; folders of a few
# files share theirs. The same in every build, so that ccache knows a library's objects from another's.
function(posenc_unity target)
  if(NOT CMAKE_UNITY_BUILD OR POSENC_NATIVE)
    return()
  endif()
  set(folders)
  get_target_property(files ${target} SOURCES)
  foreach(file ${files})
    get_source_file_property(alone ${file} SKIP_UNITY_BUILD_INCLUSION)
    get_filename_component(folder ${file} DIRECTORY)
    if(file MATCHES "[.]cc$" AND NOT alone)
      list(APPEND folders ${folder})
      list(APPEND files_of_${folder} ${file})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH files_of_${folder} count)
    if(count LESS 8)
      list(APPEND files_of_few ${files_of_${folder}})
      list(REMOVE_ITEM folders ${folder})
    endif()
  endforeach()
  foreach(folder ${folders} few)
    set(n 0)
    foreach(file ${files_of_${folder}})
      math(EXPR group "${n} / 12")
      math(EXPR n "${n} + 1")
      get_filename_component(name ${folder} NAME)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${name}_${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# posenc_options(TARGET): the compiler flags of this project, never passed on to its users.
function(posenc_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr>)
  if(POSENC_WARNINGS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall>)
  endif()
  # g++ 12 warns of overlapping memory, and of too much of it, inside its own std::string.
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
  # clang from 17 on finds what std::stable_sort of libstdc++ 12 calls deprecated.
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-deprecated-declarations>")
  # g++ 13 moves numbers through MMX registers and leaves them so, where long doubles then become NaNs.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-mno-mmx>)
  endif()
  if(POSENC_NATIVE)
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  endif()
  if(POSENC_NATIVE AND NOT target MATCHES "_loops$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  elseif(target STREQUAL posenc_model OR (POSENC_QUICK AND NOT target MATCHES "^posenc(_python)?$"))  # nothing runs hot there
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  # Instruction sets nobody gains from here, and SVE, whose vectors cannot be kept in arrays.
  set(disabled HWY_SSSE3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)
  if(POSENC_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)  # AVX2 alone: minutes less
    string(APPEND disabled |HWY_AVX3)
    target_compile_options(${target} PRIVATE -march=x86-64-v3 -maes -mpclmul)
  endif()
  target_compile_definitions(${target} PRIVATE "HWY_DISABLED_TARGETS=(${disabled})")
  if(POSENC_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# posenc_library(TARGET): what the libraries that are installed have besides.
function(posenc_library target)
  posenc_options(${target})
  posenc_unity(${target})
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON  # but for what export.h shows
    DEFINE_SYMBOL "")  # the objects of a static and of a shared library are the same
  if(POSENC_NATIVE)  # made of objects alone
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()

# posenc_standalone(TARGET): what POSENC_STANDALONE asks of a program or module; linked to the C library in the root file system
# POSENC_OLD_LIBC, where that is given, so that it runs on every system from that one on.
function(posenc_standalone target)
  if(POSENC_STANDALONE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  endif()
  if(POSENC_STANDALONE AND POSENC_OLD_LIBC)
    set(libraries ${POSENC_OLD_LIBC}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/packaging/old_libc.cc)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/packaging/old_libc.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_link_options(${target} PRIVATE -Wl,--sysroot=${POSENC_OLD_LIBC} -B${libraries} -L${libraries})
    # What glibc 2.34 took into libc.so, which CUDA's runtime needs too; also where the linker keeps only what came before asks for.
    target_link_libraries(${target} PRIVATE
      -Wl,--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,-l:librt.so.1,--pop-state)
  endif()
endfunction()
