#include "lab/datasets.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "lab/distribution.hpp"
#include "lab/json_reader.hpp"
#include "lab/npy.hpp"
#include "lab/workload.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kManifestSchema = "warpgrade.datasets/1";
constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20U;
constexpr const char* kRegenerate = "run `warpgrade datasets generate` and commit its changes";

/// One input array: its entry in the manifest and the bytes of its file.
struct Dataset {
  Json entry;
  std::string file;  ///< relative to datasets/
  std::string bytes;
  bool committed = false;
};

Dataset make_dataset(const Lab& lab, const Case& one, const Array& array, bool committed) {
  Dataset dataset;
  dataset.file = fmt::format("{}/{}/{}.npy", lab.id, one.name, array.name);
  dataset.bytes = write_npy(array);
  dataset.committed = committed;
  dataset.entry = Json{{"file", dataset.file},
                       {"lab", lab.id},
                       {"case", one.name},
                       {"array", array.name},
                       {"generator", {{"name", "splitmix64"}, {"version", kGeneratorVersion}}},
                       {"distribution", one.distribution},
                       {"parameters", one.workload},
                       {"seed", one.seed},
                       {"shape", array.shape},
                       {"bytes", dataset.bytes.size()},
                       {"sha256", sha256_hex(dataset.bytes)},
                       {"committed", committed}};
  return dataset;
}

/// Generates one dataset after another, with the inputs of only one case in memory at a time.
void for_each_dataset(const std::vector<Lab>& labs, const DatasetProgress& progress,
                      const std::function<void(const Dataset&)>& use) {
  std::size_t done = 0, total = 0;
  for (const Lab& lab : labs) total += lab.cases.size();
  for (const Lab& lab : labs) {
    for (const Case& one : lab.cases) {
      if (progress) progress(done++, total, lab.id + "/" + one.name);
      const auto job = make_job(lab, one);  // load_lab() has checked both
      std::size_t value_bytes = 0;
      for (const Array& input : job->inputs) value_bytes += input.values.size() * sizeof(float);
      for (const Array& input : job->inputs)
        use(make_dataset(lab, one, input, value_bytes <= kMaxCommittedBytes));
    }
  }
}

fs::path file_of(const DatasetFolders& folders, const Dataset& dataset) {
  return (dataset.committed ? folders.committed : folders.large) / dataset.file;
}

Diagnostic cannot_write(const fs::path& file, const std::string& reason) {
  return diagnose_file("WG-G08", file.string(), "cannot be written: " + reason,
                       "free some space or check permissions");
}

/// nullopt if the file was written.
std::optional<Diagnostic> write_file(const fs::path& file, const std::string& bytes) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return cannot_write(file, error.message());
  if (const auto written = write_file_atomically(file, bytes); !written)
    return cannot_write(file, written.error());
  return std::nullopt;
}

/// The manifest's entries by file.
std::map<std::string, Json> read_manifest(const std::string& text) {
  const auto document = parse_json(text);
  if (!document)
    throw JsonProblem(fmt::format("is not JSON: line {}, column {}: {}", document.error().line,
                                  document.error().column, document.error().what));
  const JsonNode root(*document);
  root.allow_keys({"schema", "arrays"});
  root.at("schema").one_of({kManifestSchema});
  std::map<std::string, Json> entries;
  std::size_t index = 0;
  for (const JsonNode& node : root.at("arrays").elements()) {
    const std::string file = node.at("file").text();
    if (!entries.emplace(file, (*document)["arrays"][index++]).second)
      node.at("file").refuse_value("a file that differs from those of all other entries");
  }
  return entries;
}

/// Removes the manifest's files that are not in `used`, and folders that become empty: also the committed
/// file of an array that is now too large for that. Does nothing if the manifest cannot be read.
std::size_t remove_stale(const std::string& old_manifest, const std::set<fs::path>& used,
                         const DatasetFolders& folders) {
  std::size_t removed = 0;
  try {
    for (const auto& [file, entry] : read_manifest(old_manifest)) {
      // Remove only possible dataset files: the manifest must not point to other files.
      if (!file.ends_with(".npy") || file.find("..") != std::string::npos) continue;
      for (const fs::path& folder : {folders.committed, folders.large}) {
        const fs::path path = folder / fs::path(file).relative_path();
        if (used.contains(path)) continue;
        std::error_code error;
        if (fs::remove(path, error)) ++removed;
        const fs::path of_case = path.parent_path();
        if (fs::remove(of_case, error)) fs::remove(of_case.parent_path(), error);  // fails unless empty
      }
    }
  } catch (const JsonProblem&) {
    return removed;
  }
  return removed;
}

// ---- verification

/// Describes how a file's bytes differ, as a sentence without a subject.
std::string what_differs(const std::string& is, const std::string& should) {
  if (is.empty()) return "is empty";
  if (is.starts_with("version https://git-lfs")) return "is a Git LFS pointer, not the data";
  if (is.starts_with("/annex/objects/") || is.starts_with("../.git/annex"))
    return "is a git-annex pointer, not the data";
  if (is.find_first_not_of('\0') == std::string::npos) return "contains only zero bytes";
  if (should.starts_with(is))
    return fmt::format("is truncated: it has {} of {} bytes", is.size(), should.size());
  const auto array = read_npy(is);
  return array ? "contains values that differ from the generator's" : array.error();
}

/// "`seed` is 3 when it should be 4", for the first key that differs; empty if none does.
std::string difference(const Json& is, const Json& should) {
  for (const auto& [key, value] : should.items()) {
    if (!is.contains(key)) return fmt::format("`{}` is missing", key);
    if (is[key] != value)
      return fmt::format("`{}` is {} when it should be {}", key, json_text(is[key]), json_text(value));
  }
  return is.size() == should.size() ? "" : "it has an unknown key";
}

class Verification {
 public:
  explicit Verification(DatasetFolders folders)
      : folders_(std::move(folders)), manifest_file_(folders_.committed / "manifest.json") {}

  bool open_manifest() {
    const auto text = read_file(manifest_file_, kMaxManifestBytes);
    try {
      if (!text) throw JsonProblem("cannot be read: " + text.error());
      entries_ = read_manifest(*text);
      return true;
    } catch (const JsonProblem& problem) {
      add("WG-G05", manifest_file_, problem.what(), kRegenerate);
      return false;
    }
  }

  void check(const Dataset& dataset) {
    check_entry(dataset);
    check_file(dataset);
    entries_.erase(dataset.file);
    known_files_.insert(file_of(folders_, dataset));
  }

  /// Reports entries and files that no lab uses.
  void check_rest() {
    for (const auto& [file, entry] : entries_)
      add("WG-G06", manifest_file_, fmt::format("lists {}, which no lab uses", file), kRegenerate);
    for (const fs::path& folder : std::set{folders_.committed, folders_.large}) check_unknown_files(folder);
  }

  std::vector<Diagnostic> take() { return std::move(problems_); }

 private:
  void check_entry(const Dataset& dataset) {
    const auto entry = entries_.find(dataset.file);
    if (entry == entries_.end())
      return add("WG-G06", manifest_file_, fmt::format("does not list {}", dataset.file), kRegenerate);
    const std::string differs = difference(entry->second, dataset.entry);
    if (!differs.empty())
      add("WG-G06", manifest_file_, fmt::format("the entry of {} is out of date: {}", dataset.file, differs),
          kRegenerate);
  }

  void check_unknown_files(const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".npy" && !known_files_.contains(at->path()))
        add("WG-G07", at->path(), "belongs to no case of a lab", "delete it");
  }

  void check_file(const Dataset& dataset) {
    const fs::path file = file_of(folders_, dataset);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(file, ignored))) {
      if (dataset.committed)
        add("WG-G07", file, "is missing", "restore it with git, or " + std::string(kRegenerate));
      return;
    }
    const auto bytes = read_file(file, dataset.bytes.size());
    if (!bytes) return add("WG-G07", file, bytes.error(), kRegenerate);
    if (*bytes != dataset.bytes) add("WG-G07", file, what_differs(*bytes, dataset.bytes), kRegenerate);
  }

  void add(const char* code, const fs::path& file, const std::string& what, const std::string& next) {
    problems_.push_back(diagnose_file(code, file.string(), what, next));
  }

  DatasetFolders folders_;
  fs::path manifest_file_;
  std::map<std::string, Json> entries_;
  std::set<fs::path> known_files_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

Expected<DatasetSummary, Diagnostic> generate_datasets(const std::vector<Lab>& labs,
                                                       const DatasetFolders& folders, DatasetFiles files,
                                                       const DatasetProgress& progress) {
  const fs::path manifest_file = folders.committed / "manifest.json";
  const auto old_manifest = read_file(manifest_file, kMaxManifestBytes);
  DatasetSummary summary;
  Json entries = Json::array();
  std::set<fs::path> used;
  std::optional<Diagnostic> problem;
  for_each_dataset(labs, progress, [&](const Dataset& dataset) {
    entries.push_back(dataset.entry);
    used.insert(file_of(folders, dataset));
    ++summary.arrays;
    if (problem || (!dataset.committed && files == DatasetFiles::committed)) return;
    problem = write_file(file_of(folders, dataset), dataset.bytes);
    ++summary.files;
    summary.bytes += dataset.bytes.size();
  });
  const std::string manifest = json_text(Json{{"schema", kManifestSchema}, {"arrays", entries}}, 2) + "\n";
  if (!problem) problem = write_file(manifest_file, manifest);
  if (problem) return Unexpected{*problem};
  if (old_manifest) summary.removed = remove_stale(*old_manifest, used, folders);
  return summary;
}

std::vector<Diagnostic> verify_datasets(const std::vector<Lab>& labs, const DatasetFolders& folders,
                                        const DatasetProgress& progress) {
  Verification verification(folders);
  if (verification.open_manifest()) {
    for_each_dataset(labs, progress, [&](const Dataset& dataset) { verification.check(dataset); });
    verification.check_rest();
  }
  return verification.take();
}

}  // namespace grader
