// `warpgrade nvcc …`: a user's own nvcc command line, made to build for the virtual GPU. Covered by
// tests/toolchain/nvcc_arguments_test.cpp; the programs that it builds by tests/standalone/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "toolchain/front_end.hpp"

namespace grader {

/// The arguments for nvcc: the user's own, in their order, with these changes.
///   - Code is generated as PTX for one architecture: of those asked for, the highest that is not above the
///   virtual
///     GPU's, else the lowest; the virtual GPU's where none was asked for.
///   - Source lines are kept: of kernels (-lineinfo), unless -G keeps them anyway, and of host code
///   (-Xcompiler
///     -g1), unless debug information is asked for anyway; g++ keeps calls apart.
///   - Where nvcc links, `runtime_library` takes the place of the toolkit's runtime, found at run time
///   wherever
///     LD_LIBRARY_PATH leads.
/// The error is a sentence with advice: relocatable device code (-rdc=true, -dc, -dlink, -dlto) has no PTX to
/// run.
Expected<Command, std::string> virtual_nvcc_arguments(const std::vector<std::string>& users,
                                                      const std::filesystem::path& runtime_library);

/// Libraries among the arguments (-lcublas, …) whose kernels exist as machine code only: they link, but need
/// a real GPU to run.
std::vector<std::string> libraries_of_real_gpus(const std::vector<std::string>& users);

}  // namespace grader
