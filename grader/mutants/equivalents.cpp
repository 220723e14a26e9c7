#include "mutants/equivalents.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace grader::mutants {
namespace {

using Json = nlohmann::ordered_json;

Equivalent equivalent_of(const Json& object) {
  for (const auto& [key, value] : object.items())
    if (key != "file" && key != "line" && key != "becomes" && key != "why")
      throw std::invalid_argument("unknown key `" + key + "`");
  Equivalent entry{object.at("file"), object.at("line"), object.at("becomes"), object.at("why")};
  if (entry.why.empty()) throw std::invalid_argument("`why` is empty: write the proof in one sentence");
  if (entry.becomes.empty()) throw std::invalid_argument("`becomes` is empty: list the changed lines");
  return entry;
}

}  // namespace

Expected<std::vector<Equivalent>, std::string> parse_equivalents(const std::string& text) {
  std::string at = "the top level";
  try {
    const Json json = valid_json_from(text);
    if (json.at("schema") != "warpgrade.equivalent/1")
      return Unexpected{std::string("schema is not \"warpgrade.equivalent/1\"")};
    std::vector<Equivalent> entries;
    for (const Json& object : json.at("mutants")) {
      at = "entry " + std::to_string(entries.size() + 1);
      entries.push_back(equivalent_of(object));
    }
    return entries;
  } catch (const std::exception& error) {
    return Unexpected{at + ": " + error.what()};
  }
}

const Equivalent* find_equivalent(const std::vector<Equivalent>& entries, const std::string& file,
                                  const Change& change) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Equivalent& entry) {
    return entry.file == file && entry.line == change.before &&
           std::count(entry.becomes.begin(), entry.becomes.end(), change.after) > 0;
  });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace grader::mutants
