#include "challenge/programs.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace challenge {
namespace {

namespace fs = std::filesystem;

// If the ladder of `function` has the step of this name, which can also be another function's.
bool is_step_of(const std::string& name, const std::string& function) {
  return std::isdigit(static_cast<unsigned char>(name.front())) != 0 || name.starts_with(function + "_");
}

}  // namespace

void* load_function(const fs::path& library, const char* function) {
  if (!fs::exists(library)) return nullptr;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = handle != nullptr ? dlsym(handle, function) : nullptr;
  if (found != nullptr) return found;
  std::fprintf(stderr, "bench-solutions: %s\n", dlerror());
  std::exit(3);
}

std::vector<Program> load_programs(const fs::path& folder, const std::string& lab,
                                   const std::string& function) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / lab)) {
    const std::string name = entry.path().stem();
    if (name != "naive" && name != "taught" && is_step_of(name, function)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), {"naive", "taught"});
  std::vector<Program> programs;
  for (const std::string& name : names)
    programs.push_back({name, load_function(folder / lab / (name + ".so"), function.c_str())});
  return programs;
}

}  // namespace challenge
