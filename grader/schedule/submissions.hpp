// Finds the submissions of a class, in a folder or in a download from an LMS. Names are data: they are never
// part of a command, and a name that is unsafe for file systems or spreadsheets is replaced by a safe one for
// the result folder. Files from archives are stored in a private folder, under names chosen by the grader.
// Covered by schedule/submissions_test.cpp. Layouts are described in handout/instructor/submissions.md and
// recognised by packages/class_layout.hpp.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "base/files.hpp"
#include "base/hand_in.hpp"
#include "lab/lab.hpp"
#include "packages/class_layout.hpp"
#include "sandbox/box.hpp"

namespace grader {

struct Submission {
  /// The folder's name, the archive's name without its extension, or the name and number in the LMS; as
  /// distinct() returns it.
  std::string id;
  std::string result_folder;  ///< `id` if it is plain, else a safe and unique name
  HandIn hand_in;             ///< student, time, and notes for the instructor
  std::map<std::string, Expected<std::filesystem::path, Diagnostic>>
      sources;  ///< by lab; absent: no file for the lab
  /// By lab: answers to its questions; absent: none.
  std::map<std::string, Expected<std::filesystem::path, Diagnostic>> answers;
  /// By lab: what `warpgrade handin` recorded; absent: nothing.
  std::map<std::string, Expected<std::filesystem::path, Diagnostic>> receipts;
  std::string found_instead;          ///< for labs without a file: what there is; can be empty
  std::optional<Diagnostic> problem;  ///< why the submission cannot be graded at all
};

struct SubmissionList {
  std::vector<Submission> submissions;              ///< by id
  std::vector<std::string> ignored;                 ///< names of files that are not submissions
  std::shared_ptr<const TemporaryFolder> unpacked;  ///< sources from archives; removed with the last copy
};

struct FindOptions {
  Layout layout = Layout::automatic;
  unsigned jobs = 1;                        ///< archives unpacked at the same time
  const std::atomic<bool>* stop = nullptr;  ///< set by the caller to cancel
  /// By lab: SHA-256 of the skeletons that were handed out. Submissions with one of them get a note.
  std::map<std::string, std::vector<std::string>> skeleton_sha256 = {};
};

/// Errors: WG-G20 unreadable; WG-S16 the layout is unclear; WG-S12 to WG-S15 the archive of the class is
/// refused; WG-S03, WG-S04 and WG-G23 are faults of the machine.
Expected<SubmissionList, Diagnostic> find_submissions(const std::filesystem::path& place,
                                                      const std::vector<Lab>& labs, const Sandbox& sandbox,
                                                      const FindOptions& options);

/// The submission's file for a lab. The error is for the student and names the file to hand in.
Expected<std::filesystem::path, Diagnostic> find_source(const Submission& submission, const Lab& lab);

/// True if any submission has something for the lab: its file, usable or not, or a folder with its name.
bool is_handed_in(const std::vector<Submission>& submissions, const Lab& lab);

/// Returns the id itself if it consists of letters, digits and . _ + @ - only, starts with a letter or digit
/// and is not long; otherwise "_", the permitted characters of the id and a part of its SHA-256. A plain id
/// never starts with "_", so the two kinds cannot collide.
std::string result_folder_name(const std::string& id);

}  // namespace grader
