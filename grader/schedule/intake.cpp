#include "schedule/intake.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "packages/receipt.hpp"
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

/// The receipt must name exactly the files that a hand-in has: the source, and the answers if there are any.
std::optional<ReceiptFacts> receipt_of(const Submission& submission, const Lab& lab,
                                       const std::string& source_sha256) {
  const auto files = submission.companions.find(lab.id);
  if (files == submission.companions.end()) return std::nullopt;
  const auto receipt = files->second.find(kReceiptFile);
  if (receipt == files->second.end()) return std::nullopt;
  std::map<std::string, std::string> sha256_by_path = {{lab.sources.front(), source_sha256}};
  if (const auto answers = files->second.find(kAnswersName); answers != files->second.end())
    sha256_by_path[kAnswersName] = sha256_hex(answers->second);
  return receipt_facts(receipt->second, lab.id, sha256_by_path);
}

std::optional<Diagnostic> keep(const fs::path& file, const std::string& bytes) {
  if (const auto kept = read_file(file, kMaxSourceBytes); kept && *kept == bytes) return std::nullopt;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return output_unwritable(file, error.message());
  const auto written = write_file_atomically(file, bytes);
  return written ? std::nullopt : std::optional(output_unwritable(file, written.error()));
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
        item.receipt = receipt_of(submission, lab, item.source_sha256);
        if (const auto problem = keep(dir / source_path(item), *bytes)) return Unexpected{*problem};
      } else {
        item.refused = bytes.error();
      }
      items.push_back(std::move(item));
    }
  }
  return items;
}

}  // namespace grader
