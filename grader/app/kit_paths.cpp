#include "app/kit_paths.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace grader::app {
namespace {

namespace fs = std::filesystem;

bool is_kit(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "labs" / "include" / "lab", error) &&
         fs::is_directory(folder / "grader", error);
}

KitPaths paths_of(const fs::path& root, const fs::path& program) {
  return {.root = root,
          .student_include = root / "labs" / "include",
          .cuda_include = root / "grader" / "vgpu" / "cudart" / "include",
          .binaries = program.parent_path().parent_path()};
}

Diagnostic no_kit(const std::string& looked_at) {
  return diagnose("WG-G04", "cannot find the kit's files (labs/, grader/); searched " + looked_at,
                  "set WARPGRADE_HOME to the folder that contains labs/");
}

}  // namespace

Expected<KitPaths, Diagnostic> find_kit() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  // If WARPGRADE_HOME is wrong, report it instead of silently using another folder.
  if (const char* home = std::getenv("WARPGRADE_HOME"); home != nullptr && *home != '\0') {
    const fs::path root = fs::absolute(home, error).lexically_normal();
    if (!is_kit(root)) return Unexpected{no_kit("WARPGRADE_HOME=" + root.string())};
    return paths_of(root, program);
  }
  for (fs::path folder = program.parent_path(); folder != folder.parent_path(); folder = folder.parent_path())
    if (is_kit(folder)) return paths_of(folder, program);
  if (is_kit(WARPGRADE_SOURCE_DIR)) return paths_of(WARPGRADE_SOURCE_DIR, program);
  return Unexpected{no_kit("the folders above " + program.string() + " and " WARPGRADE_SOURCE_DIR)};
}

}  // namespace grader::app
