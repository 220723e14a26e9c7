// `warpgrade nvcc …`: adapts a user's own nvcc command line to build for the virtual GPU. Covered by
// tests/toolchain/nvcc_arguments_test.cpp; the built programs are covered by tests/standalone/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "toolchain/front_end.hpp"

namespace grader {

/// The arguments for nvcc: the user's own, in their order, with these changes.
///   - PTX is generated for one architecture: of the requested ones, the highest that is not above the
///     virtual GPU's, else the lowest; if none is requested, the virtual GPU's.
///   - Source lines are kept: for kernels (-lineinfo), unless -G keeps them anyway, and for host code
///     (-Xcompiler -g1), unless debug information is requested; g++ does not merge calls.
///   - If nvcc links, `runtime_library` replaces the toolkit's runtime and is found at run time, whatever
///     LD_LIBRARY_PATH contains.
/// The error is a sentence with advice: relocatable device code (-rdc=true, -dc, -dlink, -dlto) contains no
/// PTX that could be run.
Expected<Command, std::string> virtual_nvcc_arguments(const std::vector<std::string>& users,
                                                      const std::filesystem::path& runtime_library);

/// Libraries among the arguments (-lcublas, …) whose kernels exist only as machine code: they can be linked,
/// but need a real GPU to run.
std::vector<std::string> libraries_of_real_gpus(const std::vector<std::string>& users);

}  // namespace grader
