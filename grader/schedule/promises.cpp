#include "schedule/promises.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json.hpp"
#include "lab/counter_names.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> optional_number(const Json& object, const char* key) {
  return object.contains(key) ? std::optional(object.at(key).get<double>()) : std::nullopt;
}

Promise promise_of(const Json& object) {
  for (const auto& [key, value] : object.items())
    if (key != "verdict" && key != "codes" && key != "score" && key != "score_at_most" &&
        key != "score_at_least" && key != "line" && key != "says" && key != "why")
      throw std::invalid_argument("unknown key `" + key + "`");
  Promise promise;
  promise.verdict = object.at("verdict").get<std::string>();
  promise.codes = object.value("codes", std::vector<std::string>{});
  promise.score = optional_number(object, "score");
  promise.score_at_most = optional_number(object, "score_at_most");
  promise.score_at_least = optional_number(object, "score_at_least");
  promise.line = object.value("line", "");
  promise.says = object.value("says", "");
  return promise;
}

}  // namespace

Expected<Promises, std::string> parse_promises(const std::string& text) {
  std::string at = "the top level";
  try {
    const Json json = valid_json_from(text);
    if (json.at("schema") != "warpgrade.expected/1")
      return Unexpected{std::string("schema is not \"warpgrade.expected/1\"")};
    Promises promises;
    at = "skeleton";
    promises.skeleton = promise_of(json.at("skeleton"));
    at = "skeleton_sha256";
    promises.skeleton_sha256 = json.value(at, std::vector<std::string>{});
    at = "files";
    for (const auto& [file, object] : json.at("files").items()) {
      at = file;
      promises.files[file] = promise_of(object);
    }
    return promises;
  } catch (const std::exception& error) {
    return Unexpected{at + ": " + error.what()};
  }
}

Expected<Promises, std::string> read_promises(const std::filesystem::path& folder) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
  const auto text = read_file(folder / "expected.json", kMaxBytes);
  if (!text) return Unexpected{text.error()};
  return parse_promises(*text);
}

std::vector<std::string> vague_promises(const Promises& promises) {
  std::vector<std::string> problems;
  for (const auto& [file, promise] : promises.files) {
    if (!file.starts_with("wrong/")) continue;
    if (promise.codes.empty()) problems.push_back(file + ": no code of a diagnostic is expected (`codes`)");
    if (promise.line.empty() && promise.says.empty())
      problems.push_back(file +
                         ": neither a source line (`line`) nor a part of the message (`says`) is expected");
  }
  return problems;
}

std::vector<std::string> broken_promises(const Promise& promise, const Result& result) {
  const Score& score = result.score;
  std::vector<std::string> broken;
  if (to_string(score.verdict) != promise.verdict)
    broken.push_back(
        fmt::format("verdict is {} but should be {}", to_string(score.verdict), promise.verdict));
  const Diagnostic* first = first_diagnostic(score);
  const std::string code = first == nullptr ? "" : first->code;
  const bool as_promised = promise.codes.empty()
                               ? code.empty() || promise.verdict != "accepted"
                               : std::count(promise.codes.begin(), promise.codes.end(), code) > 0;
  if (!as_promised)
    broken.push_back(
        fmt::format("first diagnostic is {} but should be {}", code.empty() ? "none" : code,
                    promise.codes.empty() ? "none" : fmt::format("{}", fmt::join(promise.codes, " or "))));
  const std::string line = first == nullptr ? "" : first->source_line;
  if (line.find(promise.line) == std::string::npos)
    broken.push_back(
        fmt::format("first diagnostic shows the line `{}` but should contain `{}`", line, promise.line));
  const std::string words =
      first == nullptr ? "" : first->what + "; " + first->likely_cause + "; " + first->next_step;
  // A promise can name a counter as lab.json does.
  const bool is_said = words.find(promise.says) != std::string::npos ||
                       words.find(counter_words(promise.says)) != std::string::npos;
  if (!is_said)
    broken.push_back(fmt::format("first diagnostic is `{}` but should contain `{}`", words, promise.says));
  if (promise.score && score.score != *promise.score)
    broken.push_back(fmt::format("score is {} but should be {}", score.score, *promise.score));
  if (promise.score_at_most && score.score > *promise.score_at_most)
    broken.push_back(
        fmt::format("score is {} but should be at most {}", score.score, *promise.score_at_most));
  if (promise.score_at_least && score.score < *promise.score_at_least)
    broken.push_back(
        fmt::format("score is {} but should be at least {}", score.score, *promise.score_at_least));
  return broken;
}

}  // namespace grader
