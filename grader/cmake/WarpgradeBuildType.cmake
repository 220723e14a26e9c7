# Defaults for all targets: build type, language level, folders for binaries.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# -O2 takes half as long again as -O1; targets whose speed matters ask for it (WarpgradeTargets.cmake).
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "Flags of the build type Release" FORCE)

# Sanitizer builds check assertions, too.
if(WARPGRADE_SANITIZE)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the CUDA runtime library is a shared object
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Records what every compilation and link costs; grader/cmake/build_times.py prints the table.
option(WARPGRADE_BUILD_TIMES "Record CPU seconds of the build in build_times.txt; switches ccache off" OFF)
if(WARPGRADE_BUILD_TIMES)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE
    "python3 -S ${PROJECT_SOURCE_DIR}/grader/cmake/build_times.py run ${CMAKE_BINARY_DIR}/build_times.txt")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
    "python3 -S ${PROJECT_SOURCE_DIR}/grader/cmake/build_times.py run ${CMAKE_BINARY_DIR}/build_times.txt")
endif()

find_program(WARPGRADE_CCACHE ccache)
if(WARPGRADE_CCACHE AND NOT WARPGRADE_BUILD_TIMES)
  # Without this sloppiness ccache stores nothing that is compiled against a precompiled header. The header's macros are
  # those of the sources it is made of, which ccache does compare.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${WARPGRADE_CCACHE}")
endif()

# A faster linker if one is installed; ld otherwise.
find_program(WARPGRADE_MOLD mold)
find_program(WARPGRADE_LLD ld.lld)
if(WARPGRADE_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
elseif(WARPGRADE_LLD)
  add_link_options(-fuse-ld=lld)
endif()
