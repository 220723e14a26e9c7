#include "packages/open_class.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.hpp"
#include "packages/entry_path.hpp"
#include "packages/package.hpp"
#include "packages/package_diagnostics.hpp"
#include "questions/answers.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDownload = std::size_t{8} << 30U, kMaxRoster = std::size_t{64} << 20U;
/// Maximum size of a student's archive in the archive of a class.
constexpr std::size_t kMaxInnerArchive = std::size_t{64} << 20U;

/// Limits for the archive of a whole class. A single student's files must not prevent the others from being
/// read: bombs and huge numbers of files are found later and reported for that student only.
UnpackLimits download_limits() {
  UnpackLimits limits;
  limits.archive.entries = 1'000'000;
  limits.archive.unpacked_bytes = std::uint64_t{1} << 50U;
  limits.archive.selected_bytes = std::uint64_t{4} << 30U;
  limits.archive.bomb_ratio = limits.archive.unpacked_bytes;
  limits.archive.entries_each = PackageLimits{}.entries + 1;
  limits.archive.selected_bytes_each = 2 * kMaxInnerArchive;
  limits.time = std::chrono::seconds(300);
  return limits;
}

std::vector<SelectedFile> selected_in_download(const std::vector<Lab>& labs) {
  std::vector<SelectedFile> selected = selected_sources(labs);
  selected.push_back({kGradescopeRoster, kMaxRoster});
  for (const char* ending : {".zip", ".tar", ".gz", ".tgz", ".xz", ".txz", ".7z"})
    selected.push_back({ending, kMaxInnerArchive});
  return selected;
}

/// Paths without a leading "./" and with '/' between parts. Names that lead out of the archive come neither
/// from an LMS nor from a student, so the whole archive is refused.
Expected<FileTree, UnpackFailure> with_plain_paths(const FileTree& tree, const std::string& name) {
  std::vector<TreeEntry> entries;
  for (TreeEntry entry : tree.entries()) {
    if (entry.path.find('/') == std::string::npos)
      std::replace(entry.path.begin(), entry.path.end(), '\\', '/');
    while (entry.path.starts_with("./")) entry.path.erase(0, 2);
    if (entry.path.empty() || entry.path == ".") continue;
    const std::string top = entry.path.substr(0, entry.path.find('/'));
    if (top.empty() || top == "..")
      return refused_archive(
          hostile_archive(name, "the name " + shown_name(entry.path) + " leads out of it"));
    entries.push_back(std::move(entry));
  }
  return tree.with(std::move(entries));
}

Expected<FileTree, UnpackFailure> open_tree(const fs::path& place, const std::vector<Lab>& labs,
                                            const Unpacker& unpacker) {
  std::error_code error;
  const fs::path real = fs::canonical(place, error);  // links of the instructor are followed
  if (error) return refused_archive(class_unreadable(place, error.message()));
  if (fs::is_directory(real, error)) {
    auto tree = FileTree::of_folder(real, PackageLimits{}.entries);
    return tree ? Expected<FileTree, UnpackFailure>(*std::move(tree))
                : refused_archive(class_unreadable(place, tree.error()));
  }
  const auto file = open_regular_file(real, kMaxDownload);
  if (!file) return refused_archive(class_unreadable(place, "it " + file.error()));
  const std::string name = place.filename().string();
  const auto tree = unpacker.unpack(file->get(), name, selected_in_download(labs), download_limits());
  if (!tree) return Unexpected{tree.error()};
  return with_plain_paths(*tree, name);
}

Expected<HandInRoster, UnpackFailure> read_roster(const OpenedClass& opened, const Unpacker& unpacker) {
  const std::string path = opened.layout.root + kGradescopeRoster;
  for (const TreeEntry& entry : opened.tree.entries()) {
    if (entry.path != path) continue;
    const auto yaml = opened.tree.read(entry, kMaxRoster);
    if (!yaml)
      return refused_archive(layout_unclear(fmt::format("{} {}", kGradescopeRoster, yaml.error()),
                                            "download the submissions from Gradescope again"));
    return unpacker.read_roster(*yaml);
  }
  return HandInRoster{};
}

}  // namespace

std::vector<SelectedFile> selected_sources(const std::vector<Lab>& labs) {
  std::vector<SelectedFile> selected;
  for (const Lab& lab : labs) {
    const std::string extension = fs::path(lab.sources.front()).extension().string();
    selected.push_back({extension.empty() ? lab.sources.front() : extension, kMaxSourceBytes});
  }
  selected.push_back({fs::path(kAnswersFile).extension().string(), kMaxAnswersBytes});
  return selected;
}

Expected<OpenedClass, UnpackFailure> open_class(const fs::path& place, const std::vector<Lab>& labs,
                                                Layout requested, const Unpacker& unpacker) {
  auto tree = open_tree(place, labs, unpacker);
  if (!tree) return Unexpected{tree.error()};
  auto layout = recognise_class(*tree, labs, requested);
  if (!layout) return refused_archive(layout.error());
  OpenedClass opened{*std::move(tree), *std::move(layout)};
  if (opened.layout.layout != Layout::gradescope) return opened;
  const auto roster = read_roster(opened, unpacker);
  if (!roster) return Unexpected{roster.error()};
  apply_roster(opened.layout, *roster);
  return opened;
}

}  // namespace grader
