#include "packages/package.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/files.hpp"
#include "packages/entry_path.hpp"
#include "packages/package_diagnostics.hpp"
#include "packages/receipt.hpp"
#include "packages/unpacking.hpp"
#include "questions/answers.hpp"

namespace grader {
namespace {

/// An entry with its normalised path.
struct Item {
  std::string path;
  const TreeEntry* entry = nullptr;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "3 symbolic links were left out"
void note_count(std::vector<std::string>& notes, std::size_t count, const std::string& one,
                const std::string& many) {
  if (count > 0)
    notes.push_back(fmt::format("{} {} left out", count, count == 1 ? one + " was" : many + " were"));
}

class Inspector {
 public:
  Inspector(const FileTree& tree, std::string name, const std::vector<Lab>& labs)
      : tree_(tree), name_(std::move(name)), labs_(labs) {}

  PackageContents run(const PackageLimits& limits) {
    if (tree_.entries().size() > limits.entries)
      return refuse(archive_too_large(name_, "has too many entries"));
    for (const TreeEntry& entry : tree_.entries())
      if (auto reason = take(entry)) return refuse(*std::move(reason));
    if (auto reason = file_below_link()) return refuse(*std::move(reason));
    unwrap();
    for (const Lab& lab : labs_) {
      find(lab);
      if (!lab.questions.empty()) find_answers(lab);
    }
    find_other_programs();
    contents_.is_empty = tree_.entries().empty();
    write_notes();
    return std::move(contents_);
  }

 private:
  static PackageContents refuse(Diagnostic reason) {
    PackageContents contents;
    contents.refused = std::move(reason);
    return contents;
  }

  /// Classifies an entry. Returns a diagnostic if the entry is a reason to refuse the whole package.
  std::optional<Diagnostic> take(const TreeEntry& entry) {
    EntryPath path = read_entry_path(entry.path);
    if (path.kind == EntryPath::Kind::hostile)
      return hostile_archive(name_, "the name " + shown_name(entry.path) + " leads out of it");
    if (entry.kind == EntryKind::special)
      return hostile_archive(name_, shown_name(entry.path) + " is a device or pipe");
    if (path.kind == EntryPath::Kind::odd) ++odd_;
    if (path.kind != EntryPath::Kind::usable || path.path.empty()) return std::nullopt;
    if (entry.kind == EntryKind::symbolic_link || entry.kind == EntryKind::hard_link)
      links_.insert(path.path);
    items_.push_back({std::move(path.path), &entry});
    return std::nullopt;
  }

  /// If a link is followed by a file "below" it, unpacking writes the file through the link.
  std::optional<Diagnostic> file_below_link() const {
    for (const Item& item : items_)
      for (std::size_t at = item.path.find('/'); at != std::string::npos && !links_.empty();
           at = item.path.find('/', at + 1))
        if (links_.contains(item.path.substr(0, at)))
          return hostile_archive(name_, shown_name(item.path) + " leads through a link");
    return std::nullopt;
  }

  /// Removes outer folders that contain everything else, unless they have the name of a lab.
  void unwrap() {
    for (;;) {
      std::set<std::string> tops;
      for (const Item& item : items_) {
        const std::size_t end = item.path.find('/');
        if (end == std::string::npos && item.entry->kind != EntryKind::folder) return;
        tops.insert(item.path.substr(0, end));
      }
      if (tops.size() != 1 || is_lab(*tops.begin())) return;
      const std::size_t drop = tops.begin()->size() + 1;
      std::erase_if(items_, [&](const Item& item) { return item.path.size() < drop; });
      for (Item& item : items_) item.path.erase(0, drop);
    }
  }

  bool is_lab(const std::string& name) const {
    return std::any_of(labs_.begin(), labs_.end(), [&](const Lab& lab) { return lab.id == name; });
  }

  void find(const Lab& lab) {
    const std::string& source = lab.sources.front();
    for (const std::string& place : {lab.id + "/" + source, source})
      if (find_at(lab, place)) return;
    hint(lab);
  }

  bool find_at(const Lab& lab, const std::string& place) {
    auto found = file_at(place, lab.sources.front(), kMaxSourceBytes);
    if (!found) return false;
    contents_.sources[lab.id] = *std::move(found);
    note_other_spelling(place);
    const std::string folder = place.substr(0, place.rfind('/') + 1);  // empty at the top
    if (auto receipt = file_at(folder + kReceiptFile, kReceiptFile, kMaxReceiptBytes))
      contents_.receipts[lab.id] = *std::move(receipt);
    return true;
  }

  void find_answers(const Lab& lab) {
    for (const std::string& place : {lab.id + "/" + kAnswersFile, std::string(kAnswersFile)})
      if (auto found = file_at(place, kAnswersFile, kMaxAnswersBytes)) {
        contents_.answers[lab.id] = *std::move(found);
        return;
      }
  }

  /// `name` is the file's name in messages.
  std::optional<FoundSource> file_at(const std::string& place, const std::string& name,
                                     std::size_t max_bytes) const {
    const Item* found = nullptr;
    for (const Item& item : items_) {
      if (item.path != place) continue;
      if (found != nullptr)
        return FoundSource{*found->entry, ambiguous_source(name, found->entry->path, item.entry->path)};
      found = &item;
    }
    if (found == nullptr) return std::nullopt;
    return FoundSource{*found->entry, problem_of(*found->entry, name, max_bytes)};
  }

  static std::optional<Diagnostic> problem_of(const TreeEntry& entry, const std::string& source,
                                              std::size_t max_bytes) {
    if (entry.kind == EntryKind::symbolic_link) return unusable_source(source, "is a symbolic link");
    if (entry.kind == EntryKind::hard_link) return unusable_source(source, "is a hard link");
    if (entry.kind != EntryKind::file) return unusable_source(source, "is not a regular file");
    if (entry.contents == Contents::encrypted) return encrypted_archive(source);
    if (entry.contents == Contents::damaged) return unusable_source(source, "is damaged in the archive");
    if (entry.contents == Contents::too_large || entry.size > max_bytes)
      return unusable_source(source, fmt::format("has more than {} bytes", max_bytes));
    return std::nullopt;
  }

  /// Notes files whose names differ from a source's only in capital letters. A case-insensitive file system
  /// would have unpacked only one of them.
  void note_other_spelling(const std::string& place) {
    for (const Item& item : items_)
      if (item.path != place && lower(item.path) == lower(place))
        contents_.notes.push_back(shown_name(item.entry->path) + " was left out: names are case-sensitive");
  }

  /// Stores a hint: a file whose name begins and ends like the source's, or an empty hint if there are only
  /// other files of the lab.
  void hint(const Lab& lab) {
    const std::string source = lower(lab.sources.front());
    const std::size_t dot = std::min(source.rfind('.'), source.size());
    for (const Item& item : items_) {
      const std::string base = lower(base_name(item.path));
      if (item.entry->kind == EntryKind::folder ||
          !(base.starts_with(source.substr(0, dot)) && base.ends_with(source.substr(dot))))
        continue;
      contents_.hints[lab.id] = "there is " + shown_name(item.entry->path);
      return;
    }
    for (const Item& item : items_) {
      if (item.path == lab.id && links_.contains(item.path))
        contents_.sources[lab.id] = {*item.entry, unusable_source(lab.id, "is a symbolic link")};
      else if (item.path == lab.id || item.path.starts_with(lab.id + "/"))
        contents_.hints[lab.id] = "";
    }
  }

  void find_other_programs() {
    const auto is_taken = [&](const TreeEntry& entry) {
      return std::any_of(contents_.sources.begin(), contents_.sources.end(),
                         [&](const auto& source) { return source.second.entry.path == entry.path; });
    };
    for (const Item& item : items_)
      if (item.entry->kind == EntryKind::file && lower(item.path).ends_with(".cu") && !is_taken(*item.entry))
        contents_.other_programs.push_back(shown_name(item.entry->path));
  }

  void write_notes() {
    std::size_t links = links_.size();
    for (const auto& [lab, found] : contents_.sources)
      if (found.entry.kind == EntryKind::symbolic_link || found.entry.kind == EntryKind::hard_link) --links;
    note_count(contents_.notes, links, "link", "links");
    note_count(contents_.notes, odd_, "file with an unusable name", "files with unusable names");
    for (const Item& item : items_) {
      if (item.entry->kind != EntryKind::file || archive_ending(item.path).empty()) continue;
      if (item.path.find('/') == std::string::npos)
        contents_.archives.push_back(*item.entry);
      else
        contents_.notes.push_back(shown_name(item.entry->path) +
                                  " was not opened: it is an archive in a folder");
    }
  }

  const FileTree& tree_;
  const std::string name_;
  const std::vector<Lab>& labs_;
  PackageContents contents_;
  std::vector<Item> items_;
  std::set<std::string> links_;  ///< paths
  std::size_t odd_ = 0;
};

}  // namespace

PackageContents inspect_package(const FileTree& tree, const std::string& name, const std::vector<Lab>& labs,
                                const PackageLimits& limits) {
  return Inspector(tree, name, labs).run(limits);
}

}  // namespace grader
