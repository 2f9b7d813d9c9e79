# Toolchain for the other of the two architectures, with Debian's cross compiler; programs run under qemu.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
else()
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_LIBRARY_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET ${CMAKE_LIBRARY_ARCHITECTURE})  # for clang, which compiles for every architecture
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-g++)
endif()
set(PKG_CONFIG_EXECUTABLE /usr/bin/${CMAKE_LIBRARY_ARCHITECTURE}-pkg-config)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -cpu max)
