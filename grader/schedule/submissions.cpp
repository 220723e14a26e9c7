#include "schedule/submissions.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "packages/collect.hpp"
#include "packages/open_class.hpp"
#include "packages/receipt.hpp"
#include "questions/answers.hpp"
#include "report/terminal.hpp"
#include "schedule/pool.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

bool is_plain(unsigned char c) {
  return c < 0x80 && (std::isalnum(c) != 0 ||
                      std::string_view("._+@-").find(static_cast<char>(c)) != std::string_view::npos);
}

/// Fills the list of one class, one job per submission.
class Finder {
 public:
  Finder(const OpenedClass& opened, const std::vector<Lab>& labs, const Unpacker& unpacker)
      : opened_(opened),
        labs_(labs),
        unpacker_(unpacker),
        unpacked_(std::make_shared<const TemporaryFolder>("warpgrade-submissions")) {
    list_.ignored = opened.layout.ignored;
    list_.submissions.resize(opened.layout.uploads.size());
    list_.unpacked = unpacked_;
  }

  Expected<SubmissionList, Diagnostic> run(const FindOptions& options) {
    std::atomic<bool> stop{false};
    run_jobs(options.jobs, list_.submissions.size(), stop, [&](std::size_t i) {
      if (options.stop != nullptr && *options.stop) stop = true;
      if (!stop && !fill(i)) stop = true;
    });
    if (fault_) return Unexpected{*fault_};
    if (stop) return Unexpected{grader_failure("it was interrupted")};
    note_same_bytes(options.skeleton_sha256);
    return std::move(list_);
  }

 private:
  bool fill(std::size_t i) {
    const Upload& upload = opened_.layout.uploads[i];
    auto collected = collect_sources(opened_, upload, labs_, unpacker_);
    if (!collected) return fail(collected.error());
    Submission& submission = list_.submissions[i];
    submission.id = distinct(upload.id);
    submission.result_folder = result_folder_name(upload.id);
    submission.hand_in = std::move(collected->hand_in);
    submission.found_instead = std::move(collected->found_instead);
    submission.problem = std::move(collected->problem);
    for (const Lab& lab : labs_) {
      const auto source = collected->sources.find(lab.id);
      if (source != collected->sources.end() &&
          !take(submission.sources, lab.id, lab.sources.front(), source->second, i))
        return false;
      const auto answers = collected->answers.find(lab.id);
      if (answers != collected->answers.end() &&
          !take(submission.answers, lab.id, kAnswersFile, answers->second, i))
        return false;
      const auto receipt = collected->receipts.find(lab.id);
      if (receipt != collected->receipts.end() &&
          !take(submission.receipts, lab.id, kReceiptFile, receipt->second, i))
        return false;
    }
    return true;
  }

  using Files = std::map<std::string, Expected<fs::path, Diagnostic>>;

  bool take(Files& files, const std::string& lab, const std::string& name, const CollectedSource& source,
            std::size_t i) {
    if (const auto* problem = std::get_if<Diagnostic>(&source)) {
      files.emplace(lab, Unexpected{*problem});
    } else if (const auto* path = std::get_if<fs::path>(&source)) {
      files.emplace(lab, *path);
    } else {
      const fs::path folder = unpacked_->path() / std::to_string(i) / lab;
      const fs::path file = folder / name;
      std::error_code error;
      fs::create_directories(folder, error);
      const auto written = write_file_atomically(file, std::get<SourceBytes>(source).bytes);
      if (!written) return fail(output_unwritable(file, written.error()));
      files.emplace(lab, file);
    }
    return true;
  }

  bool fail(Diagnostic reason) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(reason);
    return false;
  }

  /// Notes the submissions whose file is the unchanged skeleton, so that they do not count as shared files.
  void note_same_bytes(const std::map<std::string, std::vector<std::string>>& skeleton_sha256) {
    for (const Lab& lab : labs_) {
      const auto found = skeleton_sha256.find(lab.id);
      const auto skeletons = found != skeleton_sha256.end() ? found->second : std::vector<std::string>{};
      std::map<std::string, std::vector<Submission*>> by_bytes;
      for (Submission& submission : list_.submissions) {
        const auto source = submission.sources.find(lab.id);
        if (source == submission.sources.end() || !source->second) continue;
        const auto bytes = read_file(*source->second, kMaxSourceBytes);
        if (!bytes) continue;
        const std::string sha256 = sha256_hex(*bytes);
        if (std::find(skeletons.begin(), skeletons.end(), sha256) != skeletons.end())
          submission.hand_in.notes.push_back(lab.id + ": the skeleton, unchanged");
        else
          by_bytes[sha256].push_back(&submission);
      }
      for (const auto& [hash, sharing] : by_bytes) note_sharing(lab, sharing);
    }
  }

  /// Each note about a shared file names only the first few others; otherwise the notes of a class that
  /// shares one file would grow with the square of its size.
  static void note_sharing(const Lab& lab, const std::vector<Submission*>& sharing) {
    constexpr std::size_t kMaxNamed = 20;
    if (sharing.size() < 2) return;
    for (Submission* one : sharing) {
      std::vector<std::string>& others = one->hand_in.same_bytes[lab.id];
      for (const Submission* other : sharing)
        if (one != other && others.size() < kMaxNamed) others.push_back(other->id);
    }
  }

  const OpenedClass& opened_;
  const std::vector<Lab>& labs_;
  const Unpacker& unpacker_;
  const std::shared_ptr<const TemporaryFolder> unpacked_;
  SubmissionList list_;
  std::mutex mutex_;  ///< guards the members below
  std::optional<Diagnostic> fault_;
};

}  // namespace

Expected<SubmissionList, Diagnostic> find_submissions(const fs::path& place, const std::vector<Lab>& labs,
                                                      const Sandbox& sandbox, const FindOptions& options) {
  const Unpacker unpacker(sandbox, options.stop);
  const auto opened = open_class(place, labs, options.layout, unpacker);
  if (!opened) return Unexpected{opened.error().reason};
  return Finder(*opened, labs, unpacker).run(options);
}

Expected<fs::path, Diagnostic> find_source(const Submission& submission, const Lab& lab) {
  if (submission.problem) return Unexpected{*submission.problem};
  const auto found = submission.sources.find(lab.id);
  if (found != submission.sources.end()) return found->second;
  return Unexpected{missing_source(lab.sources.front(), lab.id, submission.found_instead)};
}

bool is_handed_in(const std::vector<Submission>& submissions, const Lab& lab) {
  return std::any_of(submissions.begin(), submissions.end(),
                     [&](const Submission& one) { return one.sources.contains(lab.id); });
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
