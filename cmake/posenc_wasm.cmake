# What the library needs, for WebAssembly: the headers of this system's Highway are enough. Highway's
# vectors of WebAssembly have no f64; its portable ones do, and leave nothing to choose when the program runs.
set(POSENC_OPENMP OFF)
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
find_path(hwy_headers hwy PATHS /usr/include /usr/local/include REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
file(CREATE_LINK ${hwy_headers}/hwy ${headers}/hwy SYMBOLIC)

# The page shows eigenvectors of graphs; others need no more of the module than they had.
if(POSENC_PAGE)
  find_path(host_eigen Eigen/Eigenvalues PATHS /usr/include/eigen3 /usr/local/include/eigen3 REQUIRED NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  find_path(host_spectra Spectra/SymEigsSolver.h PATHS /usr/include /usr/local/include REQUIRED NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  file(CREATE_LINK ${host_eigen}/Eigen ${headers}/Eigen SYMBOLIC)
  file(CREATE_LINK ${host_spectra}/Spectra ${headers}/Spectra SYMBOLIC)
  set(EIGEN_HEADERS ${headers})
  set(SPECTRA_HEADERS ${headers})
endif()

add_library(hwy::hwy INTERFACE IMPORTED)
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_EMU128)
target_include_directories(hwy::hwy SYSTEM INTERFACE ${headers})
set(posenc_highway hwy::hwy)
add_library(Threads::Threads INTERFACE IMPORTED)  # the system has none, and says so when asked for one
add_compile_options(-fexceptions)
add_link_options(-fexceptions)
