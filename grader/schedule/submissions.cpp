#include "schedule/submissions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "schedule/reasons.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kArchiveEndings = {".zip", ".tar.gz", ".tgz",   ".tar",
                                                             ".7z",  ".rar",    ".tar.xz"};

std::optional<std::string_view> archive_ending(const std::string& name) {
  for (const std::string_view ending : kArchiveEndings)
    if (name.size() > ending.size() && name.ends_with(ending)) return ending;
  return std::nullopt;
}

bool is_plain(unsigned char c) {
  return c < 0x80 && (std::isalnum(c) != 0 ||
                      std::string_view("._+@-").find(static_cast<char>(c)) != std::string_view::npos);
}

Submission submission(const std::string& id, const fs::path& path) {
  return {id, result_folder_name(id), path, std::nullopt};
}

/// Nothing for entries that are no submission.
std::optional<Submission> submission_at(const fs::path& path, fs::file_status status,
                                        const std::set<std::string>& folders) {
  const std::string name = path.filename().string();
  if (name.starts_with('.')) return std::nullopt;
  if (fs::is_directory(status)) return submission(name, path);
  if (fs::is_symlink(status)) {
    Submission link = submission(name, path);
    link.problem = unusable_source("the submission " + name, "is a symbolic link");
    return link;
  }
  const auto ending = archive_ending(name);
  if (!ending) return std::nullopt;
  const std::string stem = name.substr(0, name.size() - ending->size());
  Submission archive = submission(folders.contains(stem) ? name : stem, path);
  archive.problem = archive_not_read(name);
  return archive;
}

}  // namespace

Expected<SubmissionList, Diagnostic> find_submissions(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::path, fs::file_status>> entries;
  std::set<std::string>
      taken;  // ids of folders; then of archives too: a.zip and a.tar.gz are two submissions
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    entries.emplace_back(entry->path(), entry->symlink_status(error));
    if (fs::is_directory(entries.back().second)) taken.insert(entry->path().filename().string());
  }
  if (error) return Unexpected{submissions_unreadable(folder, error.message())};
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  SubmissionList list;
  for (const auto& [path, status] : entries) {
    if (auto found = submission_at(path, status, taken)) {
      taken.insert(found->id);
      list.submissions.push_back(*std::move(found));
    } else if (!path.filename().string().starts_with('.')) {
      list.ignored.push_back(path.filename().string());
    }
  }
  std::sort(list.submissions.begin(), list.submissions.end(),
            [](const Submission& a, const Submission& b) { return a.id < b.id; });
  return list;
}

Expected<fs::path, Diagnostic> find_source(const Submission& submission, const Lab& lab) {
  if (submission.problem) return Unexpected{*submission.problem};
  const std::string& name = lab.sources.front();
  for (const fs::path& folder : {submission.folder / lab.id, submission.folder}) {
    std::error_code error;
    const auto folder_status = fs::symlink_status(folder, error);
    if (fs::is_symlink(folder_status))
      return Unexpected{unusable_source(folder.filename().string(), "is a symbolic link")};
    const auto status = fs::symlink_status(folder / name, error);
    if (!fs::exists(status)) continue;
    if (fs::is_symlink(status)) return Unexpected{unusable_source(name, "is a symbolic link")};
    if (!fs::is_regular_file(status)) return Unexpected{unusable_source(name, "is not a regular file")};
    return folder / name;
  }
  return Unexpected{missing_source(name, lab.id)};
}

bool is_handed_in(const std::vector<Submission>& submissions, const Lab& lab) {
  return std::any_of(submissions.begin(), submissions.end(), [&](const Submission& one) {
    std::error_code error;
    const fs::path flat = one.folder / lab.sources.front();
    return !one.problem && (fs::exists(fs::symlink_status(one.folder / lab.id, error)) ||
                            fs::exists(fs::symlink_status(flat, error)));
  });
}

std::string result_folder_name(const std::string& id) {
  constexpr std::size_t kMaxPlain = 100, kMaxKept = 40, kHashDigits = 16;
  const bool plain = !id.empty() && id.size() <= kMaxPlain && std::all_of(id.begin(), id.end(), is_plain) &&
                     std::isalnum(static_cast<unsigned char>(id.front())) != 0;
  if (plain) return id;
  std::string kept = id.substr(0, kMaxKept);
  std::replace_if(
      kept.begin(), kept.end(), [](char c) { return !is_plain(static_cast<unsigned char>(c)); }, '_');
  return fmt::format("_{}-{}", kept, sha256_hex(id).substr(0, kHashDigits));
}

}  // namespace grader
