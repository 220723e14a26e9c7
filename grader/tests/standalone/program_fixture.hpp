// CUDA programs with a main() of their own, built by the first front end that is installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "e2e/program.hpp"

namespace testing {

class CudaProgram {
 public:
  /// `source` is a file of tests/kernels/standalone/.
  explicit CudaProgram(const std::string& source);

  std::string path() const { return (folder_.path() / "program").string(); }
  Ended run(std::vector<std::string> arguments, const Setting& setting = {}) const;

 private:
  grader::TemporaryFolder folder_{"standalone"};
};

/// kernels/standalone/modes.cu, built once.
const CudaProgram& modes();

}  // namespace testing
