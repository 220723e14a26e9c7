#include "packing/hand_in_package.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "packages/package.hpp"
#include "packages/receipt.hpp"
#include "packing/pack_diagnostics.hpp"
#include "questions/answers.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

Diagnostic unreadable(const fs::path& file, const std::string& why) {
  return no_hand_in(fmt::format("{} {}", file.string(), why),
                    fmt::format("hand in a regular file of at most {} bytes", kMaxSourceBytes));
}

}  // namespace

Expected<HandInFiles, Diagnostic> read_hand_in(const fs::path& source) {
  std::error_code error;
  const fs::path file = fs::canonical(source, error);
  if (error) return Unexpected{unreadable(source, "cannot be read: " + error.message())};
  HandInFiles files;
  auto bytes = read_file(file, kMaxSourceBytes);
  if (!bytes) return Unexpected{unreadable(source, bytes.error())};
  files.source = *std::move(bytes);
  const fs::path answers = source.parent_path() / kAnswersFile;
  if (!fs::exists(fs::symlink_status(answers, error))) return files;
  auto text = read_file(answers, kMaxAnswersBytes);
  if (!text)
    return Unexpected{no_hand_in(fmt::format("{} {}", answers.string(), text.error()),
                                 "correct or remove the file; a lab without questions needs none")};
  files.answers = *std::move(text);
  return files;
}

Receipt receipt_of(const Lab& lab, const HandInFiles& files) {
  Receipt receipt;
  receipt.lab = lab.id;
  receipt.sources.push_back({lab.sources.front(), sha256_hex(files.source)});
  if (files.answers) receipt.sources.push_back({kAnswersFile, sha256_hex(*files.answers)});
  return receipt;
}

PackedFiles hand_in_package(const Lab& lab, const HandInFiles& files, const Receipt& receipt) {
  const std::string folder = lab.id + "/";
  PackedFiles packed;
  packed[folder + lab.sources.front()] = {files.source};
  if (files.answers) packed[folder + kAnswersFile] = {*files.answers};
  packed[folder + kReceiptFile] = {receipt_json(receipt)};
  return packed;
}

}  // namespace grader
