#include "schedule/intake.hpp"

#include <algorithm>

#include "base/contains.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "packages/package_diagnostics.hpp"
#include "packages/receipt.hpp"
#include "questions/answers.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

Expected<std::string, Diagnostic> bytes_of(const Submission& submission, const Lab& lab) {
  const auto source = find_source(submission, lab);
  if (!source) return Unexpected{source.error()};
  auto bytes = read_file(*source, kMaxSourceBytes);
  if (!bytes) return Unexpected{unusable_source(lab.sources.front(), bytes.error())};
  return *std::move(bytes);
}

std::optional<Diagnostic> keep(const fs::path& file, const std::string& bytes) {
  if (const auto kept = read_file(file, kMaxSourceBytes); kept && *kept == bytes) return std::nullopt;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return output_unwritable(file, error.message());
  const auto written = write_file_atomically(file, bytes);
  return written ? std::nullopt : std::optional(output_unwritable(file, written.error()));
}

std::vector<std::string> names_of(const Submission& submission) {
  std::vector<std::string> names{submission.id};
  for (const Identity& one : submission.hand_in.people)
    for (const std::string* name :
         {&one.login, &one.email, &one.sis_id, &one.id_number, &one.lms_id, &one.name})
      if (!name->empty() && !grader::contains(names, *name)) names.push_back(*name);
  return names;
}

/// A file at the top of a submission belongs to the lab that it names: true if that is another one that has
/// the same file.
bool is_for_other_lab(const Submission& submission, const Lab& lab, const std::string& bytes) {
  const auto answers = parse_answers(bytes);
  if (!answers || answers->lab == lab.id) return false;
  const auto other = submission.answers.find(answers->lab);
  if (other == submission.answers.end() || !other->second) return false;
  const auto same = read_file(*other->second, kMaxAnswersBytes);
  return same && *same == bytes;
}

/// Fills item.answers, and returns the bytes to keep.
std::optional<std::string> take_answers(const Submission& submission, const Lab& lab, WorkItem& item) {
  const auto handed_in = submission.answers.find(lab.id);
  if (handed_in == submission.answers.end()) return std::nullopt;
  auto bytes = handed_in->second ? read_file(*handed_in->second, kMaxAnswersBytes)
                                 : Unexpected{std::string("is not accepted")};
  if (bytes && is_for_other_lab(submission, lab, *bytes)) return std::nullopt;
  item.answers.emplace();
  item.answers->names = names_of(submission);
  if (bytes) {
    item.answers->sha256 = sha256_hex(*bytes);
    return *std::move(bytes);
  }
  item.answers->refused =
      !handed_in->second ? handed_in->second.error().what : unusable_source(kAnswersFile, bytes.error()).what;
  return std::nullopt;
}

/// The receipt must name exactly the files that a hand-in has: the source, and the answers if there are any.
std::optional<ReceiptFacts> receipt_of(const Submission& submission, const Lab& lab, const WorkItem& item) {
  const auto handed_in = submission.receipts.find(lab.id);
  if (handed_in == submission.receipts.end()) return std::nullopt;
  const auto text = handed_in->second ? read_file(*handed_in->second, kMaxReceiptBytes)
                                      : Unexpected{std::string("is not accepted")};
  if (!text) return ReceiptFacts{.problem = text.error()};
  std::map<std::string, std::string> sha256_by_path = {{lab.sources.front(), item.source_sha256}};
  if (item.answers && !item.answers->sha256.empty()) sha256_by_path[kAnswersFile] = item.answers->sha256;
  return receipt_facts(*text, lab.id, sha256_by_path);
}

bool contains(const Submission& submission, const Lab& lab) { return submission.sources.contains(lab.id); }

bool contains_any(const Submission& submission, const std::vector<Lab>& labs) {
  return std::any_of(labs.begin(), labs.end(), [&](const Lab& lab) { return contains(submission, lab); });
}

}  // namespace

Expected<std::vector<WorkItem>, Diagnostic> take_in(const std::vector<Submission>& submissions,
                                                    const std::vector<Lab>& labs, Owed owed,
                                                    const fs::path& dir) {
  std::vector<WorkItem> items;
  for (const Submission& submission : submissions) {
    const bool all = owed == Owed::every_lab || !contains_any(submission, labs);
    for (const Lab& lab : labs) {
      if (!all && !contains(submission, lab)) continue;
      WorkItem item{submission.id, submission.result_folder, lab.id, "", std::nullopt};
      const auto bytes = bytes_of(submission, lab);
      if (bytes) {
        item.source_sha256 = sha256_hex(*bytes);
        if (const auto problem = keep(dir / source_path(item), *bytes)) return Unexpected{*problem};
      } else {
        item.refused = bytes.error();
      }
      if (const auto answers = take_answers(submission, lab, item))
        if (const auto problem = keep(dir / answers_path(item), *answers)) return Unexpected{*problem};
      if (!item.refused) item.receipt = receipt_of(submission, lab, item);
      items.push_back(std::move(item));
    }
  }
  return items;
}

}  // namespace grader
