# Libraries from the system. grader/setup.sh installs them; nothing is downloaded at configure time.

option(WARPGRADE_PORTABLE "Link the programs so that they need only the C library and a C++ compiler's libraries" OFF)

# Portable programs contain the libraries. Distributions package fmt only as a shared library and as headers.
if(WARPGRADE_PORTABLE)
  set(shared_library_suffixes "${CMAKE_FIND_LIBRARY_SUFFIXES}")
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
else()
  find_package(fmt REQUIRED)
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto) # SHA-256
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive) # submissions
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1) # Gradescope's list of submissions
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp>=2.5) # system calls of boxed programs
pkg_check_modules(CAPSTONE REQUIRED IMPORTED_TARGET capstone>=4) # decodes submissions' machine code
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng) # pictures of cases

if(WARPGRADE_PORTABLE)
  # What the static libraries use, in the order in which the linker needs it.
  foreach(library IN ITEMS nettle bz2 lzma z)
    find_library(WARPGRADE_STATIC_${library} ${library} REQUIRED)
  endforeach()
  target_link_libraries(PkgConfig::ARCHIVE INTERFACE
    "${WARPGRADE_STATIC_nettle}" "${WARPGRADE_STATIC_bz2}" "${WARPGRADE_STATIC_lzma}" PkgConfig::ZSTD PkgConfig::LZ4
    "${WARPGRADE_STATIC_z}")
  # Leaves out formats that no program uses, and with them libxml2 and others.
  target_link_options(PkgConfig::ARCHIVE INTERFACE LINKER:--gc-sections)
  target_link_libraries(PkgConfig::PNG INTERFACE "${WARPGRADE_STATIC_z}" m)
  # Debian's packages contain the libraries' licenses, which are handed out with the programs.
  foreach(package IN ITEMS libarchive-dev libbz2-dev libcapstone-dev libcli11-dev libfmt-dev liblz4-dev liblzma-dev
                           libpng-dev libseccomp-dev libssl-dev libstdc++6 libyaml-dev libzstd-dev nettle-dev
                           nlohmann-json3-dev zlib1g-dev)
    if(EXISTS "/usr/share/doc/${package}/copyright")
      configure_file("/usr/share/doc/${package}/copyright" "${CMAKE_BINARY_DIR}/licenses/${package}.txt" COPYONLY)
    endif()
  endforeach()
  set(CMAKE_FIND_LIBRARY_SUFFIXES "${shared_library_suffixes}")
endif()

if(WARPGRADE_TESTS)
  find_package(Catch2 REQUIRED) # 2.13 on Debian 12, 3.x on current systems
  include(Catch)
endif()
