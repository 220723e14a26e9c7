#include "packing/student_archive.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sealed_text.hpp"
#include "base/sha256.hpp"
#include "lab/datasets.hpp"
#include "lab/lab.hpp"
#include "lab/workload.hpp"
#include "packing/linked_pages.hpp"
#include "packing/pack_diagnostics.hpp"
#include "packing/public_lab.hpp"
#include "packing/skeletons.hpp"
#include "schedule/promises.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Kind = PackedFile::Kind;
using Problem = std::optional<Diagnostic>;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20U;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

/// True if the text contains the name, not as a part of a longer one.
bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

/// Collects the files. After the first problem, its functions do nothing.
class Collection {
 public:
  Collection(const KitPaths& kit, const StudentArchiveOptions& options) : kit_(kit), options_(options) {}

  Expected<PackedFiles, Diagnostic> run() {
    auto labs = load_labs(kit_.root / "labs");
    if (!labs) return Unexpected{labs.error()};
    add_programs();
    add_start();
    for (const Lab& lab : *labs) add_lab(lab);
    add_folder("labs/include/lab", {".hpp"});
    add("labs/CMakeLists.txt");
    add_datasets();
    add_folder("handout/student", {".md", ".svg", ".png"});
    if (!options_.book.empty()) add_tree(options_.book, "handout/book", {});
    if (problem_) return Unexpected{*problem_};
    return packed();
  }

 private:
  void fail(const std::string& why, const std::string& next_step) {
    if (!problem_) problem_ = no_student_archive(why, next_step);
  }

  std::string read(const fs::path& file) {
    if (problem_) return "";
    auto bytes = read_file(file, kMaxFileBytes);
    if (bytes) return *std::move(bytes);
    fail(fmt::format("{} {}", file.string(), bytes.error()), "build the kit, and restore missing files");
    return "";
  }

  void put(const std::string& path, std::string bytes, Kind kind = Kind::text) {
    files_[path] = {std::move(bytes), kind};
  }
  /// A file of the kit, at the same place in the archive.
  void add(const std::string& path) { put(path, read(kit_.root / path)); }

  /// Regular files with these endings (none: all), in all folders below `from`.
  void add_tree(const fs::path& from, const std::string& to, const std::set<std::string>& endings) {
    std::error_code error;
    fs::recursive_directory_iterator entry(from, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
      const fs::path& file = entry->path();
      if (!entry->is_regular_file(error) || entry->is_symlink(error)) continue;
      if (!endings.empty() && !endings.contains(file.extension().string())) continue;
      put((to / file.lexically_relative(from)).generic_string(), read(file));
    }
    if (error) fail(from.string() + " cannot be read: " + error.message(), "restore the folder");
  }
  void add_folder(const std::string& path, const std::set<std::string>& endings) {
    add_tree(kit_.root / path, path, endings);
  }

  void add_programs() {
    for (const char* name : {"warpgrade", "harness-virtual", "box-init"})
      put(std::string("grader/bin/") + name, read(kit_.binaries / "bin" / name), Kind::program);
    std::error_code error;
    if (fs::exists(kit_.binaries / "bin/harness-cuda", error))
      put("grader/bin/harness-cuda", read(kit_.binaries / "bin/harness-cuda"), Kind::program);
    put("grader/lib/virtual/libcudart.so.13", read(kit_.binaries / "lib/virtual/libcudart.so.13"),
        Kind::program);
    put("grader/lib/virtual/libcudart.so", "libcudart.so.13", Kind::link);
    put("warpgrade", "grader/bin/warpgrade", Kind::link);
    add_folder("grader/vgpu/cudart/include", {".h", ".hpp"});
    add("grader/cmake/WarpgradeLabs.cmake");
    // To copy and change, for `run --profile FILE`.
    for (const char* name : {"grader/vgpu/model/lecture.json", "grader/vgpu/model/h200.json",
                             "grader/schema/profile.schema.json"})
      add(name);
    if (fs::is_directory(kit_.binaries / "licenses", error))
      add_tree(kit_.binaries / "licenses", "grader/licenses", {});
  }

  /// What a student sees first: these files are for the archive's top level.
  void add_start() {
    for (const char* name : {"README.md", "CMakeLists.txt", "CMakePresets.json"})
      put(name, read(kit_.root / "handout" / "archive" / name));
  }

  void add_lab(const Lab& lab) {
    const std::string folder = "labs/" + lab.id + "/";
    put(folder + "lab.json", public_lab_json(lab, read(kit_.root / folder / "lab.json")));
    for (const std::string& source : lab.sources) add(folder + source);
    require_skeleton(lab, files_[folder + lab.sources.front()].bytes);
    for (const char* page : {"README.md", "hints.md"}) {
      std::error_code error;
      if (!fs::exists(kit_.root / folder / page, error)) continue;
      add(folder + page);
      require_no_hidden_case(lab, folder + page);
    }
    const fs::path baseline = baseline_source(lab.workload);
    put(fs::path(baseline).replace_extension(".sealed").generic_string(), sealed(read(kit_.root / baseline)));
  }

  void require_skeleton(const Lab& lab, const std::string& source) {
    if (problem_) return;
    const auto promises = read_promises(kit_.root / "solutions" / lab.id);
    if (!promises)
      return fail("solutions/" + lab.id + "/expected.json: " + promises.error(), "restore the file");
    const auto& known = promises->skeleton_sha256;
    for (const std::string& digest : known)
      files_[kSkeletonDigests].bytes += fmt::format("{}  {}\n", digest, lab.sources.front());
    if (std::find(known.begin(), known.end(), sha256_hex(source)) == known.end())
      fail(fmt::format("labs/{}/{} is not the skeleton", lab.id, lab.sources.front()),
           fmt::format(
               "restore the file with git checkout; if the skeleton itself has changed, add its SHA-256 to "
               "solutions/{}/expected.json",
               lab.id));
  }

  void require_no_hidden_case(const Lab& lab, const std::string& page) {
    for (const std::string& name : hidden_cases(lab))
      if (mentions(files_[page].bytes, name))
        fail(fmt::format("{} names the hidden case `{}`", page, name), "remove the name, or rename the case");
  }

  /// The labs as students get them determine the datasets. This also shows that these labs are valid.
  void add_datasets() {
    if (problem_) return;
    const TemporaryFolder folder("warpgrade-release");
    std::vector<Lab> labs;
    for (const auto& [path, file] : files_) {
      if (!path.ends_with("/lab.json")) continue;
      const fs::path copy = folder.path() / path;
      std::error_code error;
      fs::create_directories(copy.parent_path(), error);
      if (const auto written = write_file_atomically(copy, file.bytes); !written)
        return fail(copy.string() + " cannot be written: " + written.error(),
                    "make room for temporary files");
      auto lab = load_lab(copy.parent_path());
      if (!lab)
        return fail("without its hidden cases, " + path + " is invalid: " + lab.error().what,
                    "let every task that others need keep a visible case");
      labs.push_back(*std::move(lab));
    }
    const fs::path datasets = folder.path() / "datasets";
    const auto made = generate_datasets(labs, {datasets, datasets}, DatasetFiles::committed);
    if (!made) return fail(made.error().what, made.error().next_step);
    add_tree(datasets, "datasets", {".json", ".npy"});
  }

  bool is_packed(const std::string& path) const {
    const auto found = files_.lower_bound(path);
    return found != files_.end() && (found->first == path || found->first.starts_with(path + "/"));
  }

  /// The files below the archive's folder, without links to pages that are not in it.
  PackedFiles packed() const {
    PackedFiles result;
    for (const auto& [path, file] : files_) {
      PackedFile& one = result[options_.folder + "/" + path] = file;
      if (path.ends_with(".md"))
        one.bytes = without_dangling_links(path, file.bytes,
                                           [&](const std::string& target) { return is_packed(target); });
    }
    return result;
  }

  const KitPaths& kit_;
  const StudentArchiveOptions& options_;
  PackedFiles files_;  ///< by path below the archive's folder
  Problem problem_;
};

}  // namespace

Expected<PackedFiles, Diagnostic> student_archive(const KitPaths& kit, const StudentArchiveOptions& options) {
  return Collection(kit, options).run();
}

}  // namespace grader
