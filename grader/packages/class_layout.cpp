#include "packages/class_layout.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "packages/entry_path.hpp"
#include "packages/lms_names.hpp"
#include "packages/package_diagnostics.hpp"
#include "packages/unpacking.hpp"

namespace grader {
namespace {

/// The items at the top level. Folders in an archive do not need to have their own entries.
using TopItems = std::map<std::string, EntryKind>;

TopItems top_items(const FileTree& tree, const std::string& root) {
  TopItems items;
  for (const TreeEntry& entry : tree.entries()) {
    if (entry.path.size() <= root.size() || !entry.path.starts_with(root)) continue;
    const std::string rest = entry.path.substr(root.size());
    if (read_entry_path(rest).kind == EntryPath::Kind::side_file) continue;
    const std::size_t end = rest.find('/');
    if (end == std::string::npos || end + 1 == rest.size())
      items.emplace(rest.substr(0, end), end == std::string::npos ? entry.kind : EntryKind::folder);
    else
      items[rest.substr(0, end)] = EntryKind::folder;
  }
  return items;
}

/// The layout that one name indicates; nullopt for files that are not a submission in any layout.
std::optional<Layout> layout_of(const std::string& name, EntryKind kind, bool has_roster) {
  const bool is_folder = kind == EntryKind::folder;
  if (has_roster && name == kGradescopeRoster) return std::nullopt;
  if (has_roster && is_folder && read_gradescope_name(name)) return Layout::gradescope;
  if (read_moodle_name(name)) return Layout::moodle;
  if (kind == EntryKind::file && read_canvas_name(name)) return Layout::canvas;
  const bool could_be_one = is_folder || kind != EntryKind::file || !archive_ending(name).empty();
  return could_be_one ? std::optional(Layout::plain) : std::nullopt;
}

const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::canvas:
      return "Canvas";
    case Layout::moodle:
      return "Moodle";
    case Layout::gradescope:
      return "Gradescope";
    default:
      return "a person";
  }
}

/// One example of a name per layout that occurs.
using Evidence = std::map<Layout, std::string>;

Evidence evidence_of(const TopItems& items) {
  const bool has_roster = items.contains(kGradescopeRoster);
  Evidence evidence;
  for (const auto& [name, kind] : items)
    if (const auto layout = layout_of(name, kind, has_roster)) evidence.emplace(*layout, name);
  return evidence;
}

Diagnostic mixed_names(const Evidence& evidence) {
  const auto &first = *evidence.begin(), &second = *evidence.rbegin();
  return layout_unclear(
      fmt::format("the names mix layouts: {} looks like a name given by {}, {} like one given by {}",
                  shown_name(first.second), name_of(first.first), shown_name(second.second),
                  name_of(second.first)),
      "separate the downloads of different systems, or choose one layout for all: --layout plain, canvas, "
      "moodle or gradescope");
}

/// Error if the folder contains one student's files instead of a class.
std::optional<Diagnostic> single_submission(const TopItems& items, const std::vector<Lab>& labs) {
  for (const Lab& lab : labs)
    for (const std::string& name : {lab.id, lab.sources.front()})
      if (const auto found = items.find(name); found != items.end())
        return layout_unclear(
            fmt::format(
                "{} is at the top level, where submissions are expected: this looks like one submission",
                name),
            "put the files into a folder named after their author, and pass the folder that contains it");
  return std::nullopt;
}

Upload& upload_of(std::map<std::string, Upload>& uploads, const std::string& id, const std::string& lms) {
  Upload& upload = uploads[id];
  upload.id = id;
  upload.hand_in.lms = lms;
  return upload;
}

/// Adds a file from Canvas or Moodle, whose name contains the student and the file's name.
void add_lms(std::map<std::string, Upload>& uploads, const LmsName& name, const std::string& lms,
             UploadPart part) {
  Upload& upload = upload_of(uploads, name.student, lms);
  const bool known = name.who != Identity{};
  if (known && upload.hand_in.people.empty()) upload.hand_in.people = {name.who};
  if (name.late) upload.hand_in.late = upload.hand_in.late.value_or(false) || *name.late;
  part.file = name.file;
  part.number = name.upload;
  const bool is_typed = part.kind != EntryKind::folder && name.file.empty();
  if (is_typed)
    upload.hand_in.notes.push_back("text typed into the LMS was left out");
  else
    upload.parts.push_back(std::move(part));
}

class Recogniser {
 public:
  Recogniser(const FileTree& tree, const std::vector<Lab>& labs, Layout requested)
      : tree_(tree), labs_(labs), requested_(requested) {}

  Expected<ClassLayout, Diagnostic> run() {
    TopItems items = top_items(tree_, "");
    if (auto inner = inside_wrapper(items)) items = *std::move(inner);
    if (auto problem = choose(items)) return Unexpected{*std::move(problem)};
    for (const auto& [name, kind] : items) add(name, kind, items);
    for (auto& [id, upload] : uploads_) {
      std::sort(upload.parts.begin(), upload.parts.end(), [](const UploadPart& a, const UploadPart& b) {
        return a.number != b.number ? a.number > b.number : a.path < b.path;
      });
      result_.uploads.push_back(std::move(upload));
    }
    return std::move(result_);
  }

 private:
  /// Archives often have one folder around everything. That folder is opened only if it contains an LMS's
  /// names; otherwise it could be a student's.
  std::optional<TopItems> inside_wrapper(const TopItems& items) {
    if (!tree_.folder().empty() || items.size() != 1 || items.begin()->second != EntryKind::folder)
      return std::nullopt;
    if (layout_of(items.begin()->first, EntryKind::folder, false) != Layout::plain) return std::nullopt;
    const std::string root = items.begin()->first + "/";
    TopItems inner = top_items(tree_, root);
    const Evidence evidence = evidence_of(inner);
    const bool of_an_lms = std::any_of(evidence.begin(), evidence.end(),
                                       [](const auto& one) { return one.first != Layout::plain; });
    const bool asked_for = requested_ != Layout::automatic && requested_ != Layout::plain;
    if (!of_an_lms && !asked_for) return std::nullopt;
    result_.root = root;
    return inner;
  }

  std::optional<Diagnostic> choose(const TopItems& items) {
    result_.layout = requested_;
    const Evidence evidence = evidence_of(items);
    if (requested_ == Layout::gradescope && !items.contains(kGradescopeRoster))
      return layout_unclear(
          std::string("there is no ") + kGradescopeRoster + " at the top level",
          "pass the folder or archive that you downloaded with Gradescope's `Download Submissions`");
    if (requested_ == Layout::automatic) {
      if (evidence.size() > 1) return mixed_names(evidence);
      result_.layout = evidence.empty() ? Layout::plain : evidence.begin()->first;
    }
    if (result_.layout != Layout::plain) return std::nullopt;
    if (auto problem = single_submission(items, labs_)) return problem;
    return unclear_wrapper(items);
  }

  /// Error for a class.zip with one folder that contains neither a lab nor a source: the folder could be a
  /// student's or that of the class.
  std::optional<Diagnostic> unclear_wrapper(const TopItems& items) {
    if (!tree_.folder().empty() || items.size() != 1 || items.begin()->second != EntryKind::folder)
      return std::nullopt;
    const std::string name = items.begin()->first;
    if (single_submission(top_items(tree_, name + "/"), labs_)) return std::nullopt;
    return layout_unclear(
        fmt::format("the archive contains one folder, {}, which can belong to one student or contain a class",
                    shown_name(name)),
        "unpack the archive and pass the folder that contains one folder per student");
  }

  void add(const std::string& name, EntryKind kind, const TopItems& items) {
    UploadPart part{result_.root + name, kind, "", 0};
    switch (result_.layout) {
      case Layout::canvas:
        if (const auto read = read_canvas_name(name); read && kind != EntryKind::folder)
          return add_lms(uploads_, *read, "canvas", std::move(part));
        break;
      case Layout::moodle:
        if (const auto read = read_moodle_name(name))
          return add_lms(uploads_, *read, "moodle", std::move(part));
        break;
      case Layout::gradescope:
        if (name == kGradescopeRoster) return;
        if (read_gradescope_name(name) && kind == EntryKind::folder) {
          upload_of(uploads_, name, "gradescope").parts.push_back(std::move(part));
          return;
        }
        break;
      default:
        if (add_plain(name, std::move(part), items)) return;
    }
    result_.ignored.push_back(name);
  }

  bool add_plain(const std::string& name, UploadPart part, const TopItems& items) {
    const std::string ending = archive_ending(name);
    if (part.kind == EntryKind::file && ending.empty()) return false;
    const std::string stem =
        part.kind == EntryKind::folder ? name : name.substr(0, name.size() - ending.size());
    part.file = part.kind == EntryKind::folder ? "" : name;
    const auto namesake =
        uploads_.find(stem);  // a and a.zip are two submissions: the grader does not guess which one counts
    const bool is_second = namesake != uploads_.end() || (stem != name && items.contains(stem));
    Upload& upload = upload_of(uploads_, is_second ? name : stem, "");
    upload.parts.push_back(std::move(part));
    if (namesake == uploads_.end()) return true;
    upload.hand_in.notes.push_back("also handed in as " + stem + ", which has its own row");
    namesake->second.hand_in.notes.push_back("also handed in as " + name + ", which has its own row");
    return true;
  }

  const FileTree& tree_;
  const std::vector<Lab>& labs_;
  const Layout requested_;
  ClassLayout result_;
  std::map<std::string, Upload> uploads_;
};

/// A key that identifies the person: the SIS id, else the e-mail address, else the name.
std::string key_of(const Identity& person) {
  if (!person.sis_id.empty()) return "sid " + person.sis_id;
  return person.email.empty() ? "name " + person.name : "email " + person.email;
}

}  // namespace

Expected<ClassLayout, Diagnostic> recognise_class(const FileTree& tree, const std::vector<Lab>& labs,
                                                  Layout requested) {
  return Recogniser(tree, labs, requested).run();
}

void apply_roster(ClassLayout& layout, const HandInRoster& roster) {
  std::map<std::string, Upload*> last;  // by person
  for (Upload& upload : layout.uploads) {
    const auto entry = roster.find(upload.id);
    if (entry == roster.end()) {
      upload.hand_in.notes.push_back(fmt::format("{} does not list this submission", kGradescopeRoster));
      continue;
    }
    upload.hand_in.people = entry->second.people;
    upload.hand_in.submitted_at = entry->second.submitted_at;
    for (const Identity& person : upload.hand_in.people) {
      Upload*& latest = last[key_of(person)];
      if (latest == nullptr || *read_gradescope_name(latest->id) < *read_gradescope_name(upload.id))
        latest = &upload;
    }
  }
  std::set<std::string> replaced;
  for (Upload& upload : layout.uploads) {
    std::set<Upload*> later;
    for (const Identity& person : upload.hand_in.people) later.insert(last[key_of(person)]);
    if (later.empty() || later.contains(&upload)) continue;
    for (Upload* one : later) one->hand_in.not_taken.push_back(upload.id);
    replaced.insert(upload.id);
  }
  std::erase_if(layout.uploads, [&](const Upload& upload) { return replaced.contains(upload.id); });
}

}  // namespace grader
