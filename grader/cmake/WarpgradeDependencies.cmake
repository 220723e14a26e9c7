# Libraries from the system. grader/setup.sh installs them; nothing is downloaded at configure time.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
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

if(WARPGRADE_TESTS)
  find_package(Catch2 REQUIRED) # 2.13 on Debian 12, 3.x on current systems
  include(Catch)
endif()
