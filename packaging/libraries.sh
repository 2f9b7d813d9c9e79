#!/usr/bin/env bash
# libraries.sh [PREFIX]: what the tool inside a wheel is built with, from pinned sources, for systems whose packages do not have it,
# such as the images of manylinux: headers and static libraries, into /usr/local or PREFIX.
set -euo pipefail

prefix=${1:-/usr/local}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"

get() {  # get NAME URL SHA256: unpacked in the folder NAME
  echo "libraries: $1" >&2
  curl -fsSL --retry 3 -o "$1.archive" "$2"
  echo "$3  $1.archive" | sha256sum --check --quiet
  mkdir "$1" && tar xf "$1.archive" --strip-components 1 -C "$1"
}
by_cmake() {  # json 3.11 asks for a CMake older than CMake 4 agrees to be
  cmake -S "$1" -B "$1/made" -D CMAKE_POLICY_VERSION_MINIMUM=3.5 -D CMAKE_INSTALL_PREFIX="$prefix" "${@:2}" >&2 &&
    cmake --build "$1/made" >&2 && cmake --install "$1/made" >&2
}
by_configure() { (cd "$1" && ./configure --quiet --prefix="$prefix" --disable-shared --with-pic "${@:2}" && make -s -j "$(nproc)" install) >&2; }

get fmt https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz 5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
by_cmake fmt -D FMT_TEST=OFF -D FMT_DOC=OFF -D CMAKE_BUILD_TYPE=Release
get eigen https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.bz2 b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626
mkdir -p "$prefix/include/eigen3" && cp -r eigen/Eigen eigen/unsupported "$prefix/include/eigen3"
get spectra https://github.com/yixuan/spectra/archive/v1.0.1.tar.gz 919e3fbc8c539a321fd5a0766966922b7637cc52eb50a969241a997c733789f3
cp -r spectra/include/Spectra "$prefix/include"
get gmp https://ftp.gnu.org/gnu/gmp/gmp-6.3.0.tar.bz2 ac28211a7cfb609bae2e2c8d6058d66c8fe96434f740cf6fe2e47b000d1c20cb
command -v m4 >/dev/null || yum install -y m4 >&2  # GMP asks for it
generic=$(uname -m)-pc-linux-gnu  # for every processor, not only this machine's
by_configure gmp --build="$generic" --host="$generic" --disable-assembly CFLAGS=-O2
get mpfr https://ftp.gnu.org/gnu/mpfr/mpfr-4.2.2.tar.xz b67ba0383ef7e8a8563734e2e889ef5ec3c3b898a01d00fa0a6869ad81c6ce01
by_configure mpfr --with-gmp="$prefix"
