// The paths of the kit's own files.
#pragma once

#include <filesystem>

namespace grader {

struct KitPaths {
  std::filesystem::path root;             ///< the checkout: labs/, solutions/, datasets/, handout/
  std::filesystem::path labs;             ///< usually root/labs
  std::filesystem::path student_include;  ///< labs/include
  std::filesystem::path cuda_include;     ///< the kit's cuda_runtime.h
  std::filesystem::path binaries;         ///< build folder: bin/ with the harness programs, lib/virtual/
};

}  // namespace grader
