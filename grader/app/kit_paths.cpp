#include "app/kit_paths.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace grader::app {
namespace {

namespace fs = std::filesystem;

bool is_kit(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "labs" / "include" / "lab", error) &&
         fs::is_directory(folder / "grader", error);
}

bool is_student_archive(const fs::path& root) {
  std::error_code error;
  return !fs::exists(root / "solutions", error);
}

fs::path labs_of(const fs::path& root) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (!error && is_student_archive(root))
    for (fs::path folder = here; folder != folder.parent_path(); folder = folder.parent_path())
      if (fs::is_directory(folder / "include" / "lab", error)) return folder;
  return root / "labs";
}

KitPaths paths_of(const fs::path& root, const fs::path& program, const fs::path& labs) {
  return {.root = root,
          .labs = labs,
          .student_include = labs / "include",
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
    return paths_of(root, program, root / "labs");
  }
  for (fs::path folder = program.parent_path(); folder != folder.parent_path(); folder = folder.parent_path())
    if (is_kit(folder)) return paths_of(folder, program, labs_of(folder));
  const fs::path built_from = WARPGRADE_SOURCE_DIR;  // empty: the program is for other machines
  if (is_kit(built_from)) return paths_of(built_from, program, built_from / "labs");
  return Unexpected{no_kit("the folders above " + program.string() +
                           (built_from.empty() ? "" : " and " + built_from.string()))};
}

std::optional<Diagnostic> only_in_whole_kit(const std::string& command) {
  const auto kit = find_kit();
  if (!kit || !is_student_archive(kit->root)) return std::nullopt;  // a missing kit is reported elsewhere
  return diagnose(
      "WG-G71",
      fmt::format("`{}` is a command for instructors: the archive for students in {} does not contain "
                  "what it needs",
                  command, kit->root.string()),
      "run it in the complete kit, or set WARPGRADE_HOME to that kit");
}

}  // namespace grader::app
