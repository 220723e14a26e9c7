// The programs that are compared. Each is a shared library that build.sh made of one source file, so that all
// of them can define the lab's function under its own name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace challenge {

struct Program {
  std::string name;  ///< "naive", "taught", or the file of a step: "1_wide_loads"
  void* function;    ///< of the lab, with the type that its header gives it

  bool is_step() const { return name != "naive" && name != "taught"; }
};

/// The programs of `folder`/`lab` that define `function`, in the order naive, taught, steps. Where a lab has
/// ladders for several functions, the names of a step's file begin with the function.
std::vector<Program> load_programs(const std::filesystem::path& folder, const std::string& lab,
                                   const std::string& function);

/// A function of a shared library, or null if the library does not exist. Ends the program if it cannot be
/// loaded.
void* load_function(const std::filesystem::path& library, const char* function);

template <class Function, class... Arguments>
void call(void* function, Arguments... arguments) {
  reinterpret_cast<Function*>(function)(arguments...);
}

}  // namespace challenge
