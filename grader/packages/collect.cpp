#include "packages/collect.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/contains.hpp"
#include "base/files.hpp"
#include "packages/entry_path.hpp"
#include "packages/lms_names.hpp"
#include "packages/package.hpp"
#include "packages/package_diagnostics.hpp"
#include "packages/receipt.hpp"
#include "questions/answers.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxArchive = std::size_t{256} << 20U;
constexpr std::size_t kMaxNotes = 12;

/// A possible container of sources: a single file, a folder or an archive.
struct Package {
  std::string name;
  std::uint64_t number = 0;  ///< number of the upload; 0: unknown
  FileTree tree;
  std::optional<TreeEntry> renamed;  ///< for a single file: its entry under the name that the LMS gave it
};

class Collector {
 public:
  Collector(const OpenedClass& opened, const Upload& upload, const std::vector<Lab>& labs,
            const Unpacker& unpacker)
      : opened_(opened), upload_(upload), labs_(labs), unpacker_(unpacker) {
    result_.hand_in = upload.hand_in;
  }

  Expected<Collected, Diagnostic> run() {
    for (const UploadPart& part : upload_.parts) {
      if (part.kind == EntryKind::folder)
        add_folder(part);
      else if (part.kind != EntryKind::file)
        refusals_.push_back(unusable_source(
            "the submission " + upload_.id,
            part.kind == EntryKind::symbolic_link ? "is a symbolic link" : "is a device or pipe"));
      else
        add_file(part);
      if (fault_) return Unexpected{*fault_};
    }
    result_.found_instead = found_instead();
    for (const Lab& lab : labs_) name_what_is_missing(lab);
    settle_refusals();
    shorten(result_.hand_in.notes);
    return std::move(result_);
  }

 private:
  void add_folder(const UploadPart& part) {
    Package package{
        part.path.substr(opened_.layout.root.size()), part.number, opened_.tree.below(part.path + "/"), {}};
    const PackageContents contents = add(package);
    for (const TreeEntry& archive : contents.archives)
      add_archive(package.tree, archive, package.name + "/" + archive.path, part.number);
  }

  void add_file(const UploadPart& part) {
    const auto& entries = opened_.tree.entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const TreeEntry& one) { return one.path == part.path; });
    if (entry == entries.end()) return;
    const std::string name = part.path.substr(opened_.layout.root.size());
    if (!archive_ending(part.file).empty()) return add_archive(opened_.tree, *entry, name, part.number);
    TreeEntry original = *entry;
    original.path = original_name(part.file);
    Package package{name, part.number, opened_.tree.with({original}), *entry};
    add(package);
  }

  /// The entry under the name that the student gave the file, if that is a lab's source.
  std::string original_name(const std::string& file) const {
    const auto is_source = [&](const std::string& name) {
      return name == kAnswersFile || std::any_of(labs_.begin(), labs_.end(),
                                                 [&](const Lab& lab) { return lab.sources.front() == name; });
    };
    const bool renames = opened_.layout.layout == Layout::canvas;
    const std::string plain = without_canvas_counter(file);
    return renames && !is_source(file) && is_source(plain) ? plain : file;
  }

  void add_archive(const FileTree& tree, const TreeEntry& entry, const std::string& name,
                   std::uint64_t number) {
    auto unpacked = unpack(tree, entry, name);
    if (unpacked) {
      Package package{name, number, *std::move(unpacked), {}};
      for (const TreeEntry& inner : add(package).archives)
        note(fmt::format("{} in {} was not opened: it is an archive in an archive", shown_name(inner.path),
                         shown_name(name)));
    } else if (unpacked.error().is_fault) {
      fault_ = unpacked.error().reason;
    } else {
      refusals_.push_back(unpacked.error().reason);
    }
  }

  Expected<FileTree, UnpackFailure> unpack(const FileTree& tree, const TreeEntry& entry,
                                           const std::string& name) {
    const auto selected = selected_sources(labs_);
    const auto refuse = [&](const std::string& why) {
      return Unexpected{UnpackFailure{false, archive_too_large(name, why)}};
    };
    if (!tree.folder().empty()) {
      const auto file = open_regular_file(tree.folder() / entry.path, kMaxArchive);
      return file ? unpacker_.unpack(file->get(), name, selected, {}) : refuse(file.error());
    }
    if (entry.contents == Contents::encrypted)
      return Unexpected{UnpackFailure{false, encrypted_archive(name)}};
    if (entry.contents == Contents::too_large) return refuse("is too large");
    if (entry.contents == Contents::damaged)
      return Unexpected{UnpackFailure{false, archive_unreadable(name, "it is damaged in the download")}};
    if (entry.contents == Contents::not_selected)
      return Unexpected{
          UnpackFailure{false, archive_unreadable(name, "it is not a zip, tar, tar.gz, tar.xz or 7z file")}};
    const auto bytes = tree.read(entry, kMaxArchive);
    return bytes ? unpacker_.unpack_bytes(*bytes, name, selected, {}) : refuse(bytes.error());
  }

  PackageContents add(const Package& package) {
    PackageContents contents = inspect_package(package.tree, package.name, labs_);
    if (contents.refused) {
      refusals_.push_back(*contents.refused);
      return {};
    }
    for (const std::string& one : contents.notes) note(one);
    for (const auto& [lab, hint] : contents.hints) hints_.emplace(lab, hint);
    for (const std::string& one : contents.other_programs) other_programs_.push_back(one);
    is_empty_ = is_empty_ && contents.is_empty;
    for (const Lab& lab : labs_) {
      if (const auto found = contents.sources.find(lab.id); found != contents.sources.end())
        merge(package, found->second, {lab.id, lab.sources.front(), kMaxSourceBytes}, result_.sources);
      if (const auto found = contents.receipts.find(lab.id);
          found != contents.receipts.end() && comes_from(package, {lab.id, lab.sources.front()}))
        merge(package, found->second, {lab.id, kReceiptFile, kMaxReceiptBytes}, result_.receipts);
      if (const auto found = contents.answers.find(lab.id); found != contents.answers.end())
        merge(package, found->second, {lab.id, kAnswersFile, kMaxAnswersBytes}, result_.answers);
    }
    return contents;
  }

  /// A file that a lab takes.
  struct Wanted {
    std::string lab, name;
    std::size_t max_bytes = 0;
  };

  /// Packages are sorted, the latest upload first.
  void merge(const Package& package, const FoundSource& found, const Wanted& wanted,
             std::map<std::string, CollectedSource>& files) {
    const auto [earlier, is_new] =
        taken_.try_emplace({wanted.lab, wanted.name}, package.name, package.number);
    if (is_new)
      files[wanted.lab] = source_of(package, found, wanted.max_bytes);
    else if (package.number != earlier->second.second)
      note_not_taken(package.name);
    else
      files[wanted.lab] = ambiguous_source(wanted.name, earlier->second.first, package.name);
  }

  /// Whether a lab's file was taken from this package.
  bool comes_from(const Package& package, const std::pair<std::string, std::string>& file) const {
    const auto taken = taken_.find(file);
    return taken != taken_.end() && taken->second == std::pair(package.name, package.number);
  }

  void note_not_taken(const std::string& package) {
    std::vector<std::string>& all = result_.hand_in.not_taken;
    if (!contains(all, package)) all.push_back(package);
  }

  static CollectedSource source_of(const Package& package, const FoundSource& found, std::size_t max_bytes) {
    if (found.problem) return *found.problem;
    const TreeEntry& entry = package.renamed ? *package.renamed : found.entry;
    if (!package.tree.folder().empty()) return package.tree.folder() / entry.path;
    auto bytes = package.tree.read(entry, max_bytes);
    if (!bytes) return unusable_source(found.entry.path, bytes.error());
    return SourceBytes{*std::move(bytes)};
  }

  void name_what_is_missing(const Lab& lab) {
    const auto hint = hints_.find(lab.id);
    if (hint != hints_.end() && !result_.sources.contains(lab.id))
      result_.sources[lab.id] = missing_source(lab.sources.front(), lab.id,
                                               hint->second.empty() ? result_.found_instead : hint->second);
  }

  /// "there is kernel.cu", "the submission is empty"
  std::string found_instead() const {
    constexpr std::size_t kNamed = 3;
    if (is_empty_ && refusals_.empty()) return "the submission is empty";
    if (other_programs_.empty()) return {};
    const std::size_t named = std::min(other_programs_.size(), kNamed);
    const auto end = other_programs_.begin() + static_cast<std::ptrdiff_t>(named);
    const std::size_t more = other_programs_.size() - named;
    return fmt::format("there {} {}{}", other_programs_.size() == 1 ? "is" : "are",
                       fmt::join(other_programs_.begin(), end, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  }

  /// A refused package could have contained the file of any lab.
  void settle_refusals() {
    if (refusals_.empty()) return;
    if (result_.sources.empty()) {
      result_.problem = refusals_.front();
      return;
    }
    for (const Diagnostic& reason : refusals_) note(reason.code + " " + reason.what);
  }

  void note(const std::string& text) { result_.hand_in.notes.push_back(text); }

  static void shorten(std::vector<std::string>& notes) {
    if (notes.size() <= kMaxNotes) return;
    const std::size_t more = notes.size() - kMaxNotes;
    notes.resize(kMaxNotes);
    notes.push_back(fmt::format("and {} more", more));
  }

  const OpenedClass& opened_;
  const Upload& upload_;
  const std::vector<Lab>& labs_;
  const Unpacker& unpacker_;
  Collected result_;
  /// By lab and file: package and number of the upload.
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::uint64_t>> taken_;
  std::map<std::string, std::string> hints_;
  std::vector<std::string> other_programs_;
  bool is_empty_ = true;
  std::vector<Diagnostic> refusals_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

Expected<Collected, Diagnostic> collect_sources(const OpenedClass& opened, const Upload& upload,
                                                const std::vector<Lab>& labs, const Unpacker& unpacker) {
  return Collector(opened, upload, labs, unpacker).run();
}

}  // namespace grader
