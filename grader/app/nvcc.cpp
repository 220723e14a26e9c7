// `warpgrade nvcc …`: nvcc with the options that the virtual GPU needs. All arguments are passed to nvcc
// unparsed.

#include <unistd.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "toolchain/front_end.hpp"
#include "toolchain/nvcc_arguments.hpp"

namespace grader::app {
namespace {

/// Returns only if the program cannot be started.
void become(const Command& command) {
  Command words = command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
}

}  // namespace

int run_nvcc(const std::vector<std::string>& arguments) {
  const Console console = open_console(ColorChoice::automatic);
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto front_end = find_front_end(FrontEndKind::nvcc);
  if (!front_end) return complain(console, front_end.error(), kFault);

  auto command = virtual_nvcc_arguments(arguments, paths->binaries / "lib" / "virtual" / "libcudart.so");
  if (!command) {
    say("warpgrade nvcc: " + command.error());
    return kUsage;
  }
  for (const std::string& library : libraries_of_real_gpus(arguments))
    say("warpgrade nvcc: note: " + library + " links, but runs on a real GPU only");
  command->insert(command->begin(), front_end->compiler);
  become(*command);
  say("warpgrade nvcc: cannot start " + front_end->compiler.string());
  return kFault;
}

void add_nvcc(Subcommand root) {
  root.subcommand("nvcc", R"(Examples:
  warpgrade nvcc -O2 -o saxpy saxpy.cu util.cpp
  warpgrade nvcc -c saxpy.cu            objects can be linked later, with `warpgrade nvcc` again

nvcc for the virtual GPU; takes nvcc's own arguments. Run the program directly or with `warpgrade run`.
`warpgrade nvcc` needs a CUDA Toolkit; the labs do not)")
      .allow_extras();
}

}  // namespace grader::app
