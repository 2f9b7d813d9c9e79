# What the library needs, for WebAssembly: the headers of this system's Highway are enough. Highway's
# vectors of WebAssembly have no f64; its portable ones do, and leave nothing to choose when the program runs.
set(POSENC_OPENMP OFF)
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
find_path(hwy_headers hwy PATHS /usr/include /usr/local/include REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
file(CREATE_LINK ${hwy_headers}/hwy ${headers}/hwy SYMBOLIC)

add_library(hwy::hwy INTERFACE IMPORTED)
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_EMU128)
target_include_directories(hwy::hwy SYSTEM INTERFACE ${headers})
set(posenc_highway hwy::hwy)
add_library(Threads::Threads INTERFACE IMPORTED)  # the system has none, and says so when asked for one
add_compile_options(-fexceptions)
add_link_options(-fexceptions)
