# posenc_eigen: eigenvectors of graphs, as POSENC_EIGEN says; their sources are built with the headers they need.
if(POSENC_EIGEN AND NOT EMSCRIPTEN)
  find_path(EIGEN_HEADERS Eigen/Eigenvalues PATH_SUFFIXES eigen3)
  find_path(SPECTRA_HEADERS Spectra/SymEigsSolver.h)
endif()
if(EIGEN_HEADERS AND SPECTRA_HEADERS AND POSENC_EIGEN)
  list(FILTER sources EXCLUDE REGEX "/src/graph/eigen/none.cc")
  set(eigen_headers ${EIGEN_HEADERS} ${SPECTRA_HEADERS})
  list(REMOVE_ITEM eigen_headers ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM eigen_headers PREPEND "-isystem")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/graph/eigen/eigenvectors.cc
    ${PROJECT_SOURCE_DIR}/src/graph/eigen/lanczos.cc PROPERTIES COMPILE_OPTIONS "${eigen_headers}" COMPILE_DEFINITIONS EIGEN_DONT_PARALLELIZE)  # threads are the library's own
elseif(POSENC_EIGEN STREQUAL "ON")
  message(FATAL_ERROR "POSENC_EIGEN needs Eigen and Spectra (libeigen3-dev, libspectra-dev)")
else()
  list(FILTER sources EXCLUDE REGEX "/src/graph/eigen/(eigenvectors|lanczos).cc")
endif()
