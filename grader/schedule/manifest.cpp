#include "schedule/manifest.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json.hpp"
#include "report/diagnostic_json.hpp"
#include "report/json_number.hpp"
#include "report/receipt_json.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxManifestBytes = std::size_t{256} << 20U;

Json optional_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
std::string text_from(const Json& json) { return json.is_null() ? "" : json.get<std::string>(); }

Json to_json(const RunSettings& settings) {
  Json json = {{"grader_version", settings.grader_version},
               {"front_end", settings.front_end},
               {"compiler", settings.compiler},
               {"device", settings.device},
               {"profile", settings.profile}};
  if (!settings.gpu.empty()) json["gpu"] = settings.gpu;
  json.update({{"time_limit_s", json_number(settings.time_limit_s)},
               {"seed_file", optional_text(settings.seed_file)},
               {"rubrics", settings.rubrics}});
  return json;
}

RunSettings settings_from(const Json& json) {
  RunSettings settings;
  settings.grader_version = json.at("grader_version").get<std::string>();
  settings.front_end = json.at("front_end").get<std::string>();
  settings.compiler = json.at("compiler").get<std::string>();
  settings.device = json.at("device").get<std::string>();
  settings.profile = json.at("profile").get<std::string>();
  settings.gpu = json.value("gpu", "");
  settings.time_limit_s = json.at("time_limit_s").get<double>();
  settings.seed_file = text_from(json.at("seed_file"));
  settings.rubrics = json.at("rubrics").get<std::map<std::string, std::string>>();
  return settings;
}

Json to_json(const WorkItem& item) {
  Json json = {{"submission", item.submission},
               {"folder", item.folder},
               {"lab", item.lab},
               {"source_sha256", optional_text(item.source_sha256)},
               {"refused", item.refused ? to_json(*item.refused) : Json(nullptr)}};
  if (item.answers)
    json["answers"] = {{"sha256", optional_text(item.answers->sha256)},
                       {"refused", optional_text(item.answers->refused)},
                       {"names", item.answers->names}};
  if (item.receipt) json["receipt"] = receipt_facts_json(*item.receipt);
  return json;
}

/// Checks a name that becomes part of a path below DIR.
std::string path_part(const Json& json) {
  auto name = json.get<std::string>();
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    throw std::invalid_argument("the name " + json_text(json) + " cannot be the name of a file");
  return name;
}

HandedAnswers answers_from(const Json& json) {
  HandedAnswers answers;
  if (!json.at("sha256").is_null()) answers.sha256 = path_part(json.at("sha256"));
  answers.refused = text_from(json.at("refused"));
  answers.names = json.at("names").get<std::vector<std::string>>();
  return answers;
}

WorkItem item_from(const Json& json) {
  WorkItem item;
  item.submission = json.at("submission").get<std::string>();
  item.folder = path_part(json.at("folder"));
  item.lab = path_part(json.at("lab"));
  if (!json.at("source_sha256").is_null()) item.source_sha256 = path_part(json.at("source_sha256"));
  if (!json.at("refused").is_null()) item.refused = diagnostic_from_json(json.at("refused"));
  if (json.contains("answers")) item.answers = answers_from(json.at("answers"));
  if (json.contains("receipt")) item.receipt = read_receipt_facts(JsonNode(json.at("receipt")));
  if (item.source_sha256.empty() != item.refused.has_value())
    throw std::invalid_argument("an item must have either a source or a reason why it has none");
  return item;
}

std::string changed(std::string_view what, std::string_view before, std::string_view now) {
  const auto shown = [](std::string_view text) { return text.empty() ? "none" : text; };
  return fmt::format("{} is {} but was {}", what, shown(now), shown(before));
}

std::string name_of(const WorkItem& item) { return item.submission + "'s file for " + item.lab; }

}  // namespace

fs::path result_path(const WorkItem& item) {
  return fs::path("results") / item.folder / (item.lab + ".json");
}

fs::path source_path(const WorkItem& item) { return fs::path("sources") / item.source_sha256; }

fs::path answers_path(const WorkItem& item) { return fs::path("sources") / item.answers->sha256; }

std::string manifest_json(const Manifest& manifest) {
  Json items = Json::array();
  for (const WorkItem& item : manifest.items) items.push_back(to_json(item));
  const Json json = {{"schema", "warpgrade.manifest/1"},
                     {"settings", to_json(manifest.settings)},
                     {"seed_file_path", optional_text(manifest.seed_file_path)},
                     {"items", std::move(items)}};
  return json_text(json, 1) + "\n";
}

Expected<Manifest, std::string> parse_manifest(const std::string& text) {
  try {
    const Json json = valid_json_from(text);
    if (json.at("schema") != "warpgrade.manifest/1")
      return Unexpected{std::string("its schema is not \"warpgrade.manifest/1\"")};
    Manifest manifest;
    manifest.settings = settings_from(json.at("settings"));
    manifest.seed_file_path = text_from(json.at("seed_file_path"));
    for (const Json& item : json.at("items")) manifest.items.push_back(item_from(item));
    return manifest;
  } catch (const std::exception& error) {
    return Unexpected{std::string(error.what())};
  }
}

Expected<std::optional<Manifest>, Diagnostic> read_manifest(const fs::path& dir) {
  const fs::path file = dir / "manifest.json";
  std::error_code error;
  // symlink_status does not follow links: a broken link is an unreadable manifest, not a missing one.
  if (!fs::exists(fs::symlink_status(file, error))) return std::optional<Manifest>();
  const auto text = read_file(file, kMaxManifestBytes);
  if (!text) return Unexpected{manifest_unreadable(file, text.error())};
  auto manifest = parse_manifest(*text);
  if (!manifest) return Unexpected{manifest_unreadable(file, manifest.error())};
  return std::optional(*std::move(manifest));
}

RunSettings settings_of(const Provenance& how) {
  RunSettings settings;
  settings.grader_version = how.grader_version;
  settings.front_end = how.front_end;
  settings.compiler = how.compiler;
  settings.device = how.device;
  settings.profile = how.profile;
  settings.gpu = how.gpu;
  settings.time_limit_s = how.time_limit_s;
  settings.seed_file = how.seed_file;
  return settings;
}

std::string mismatch(const RunSettings& settings, const WorkItem& item, const Result& result) {
  if (result.submission != item.submission || result.lab != item.lab)
    return "it belongs to another submission";
  const Provenance& how = result.provenance;
  if (how.source_sha256 != item.source_sha256) return "it is for another source";
  if (result.questions.has_value() != item.answers.has_value() ||
      (item.answers && result.questions->answers_sha256 != item.answers->sha256))
    return "it is for other answers to the questions";
  if (result.receipt != item.receipt) return "another receipt was handed in";
  if (item.refused && result.score.status == ResultStatus::graded) return "nothing was handed in";
  RunSettings made = settings_of(how);
  made.rubrics = settings.rubrics;
  made.rubrics[item.lab] = how.rubric_sha256;
  const std::vector<std::string> found = differences(settings, made);
  return found.empty() ? "" : found.front();
}

std::vector<std::string> differences(const RunSettings& before, const RunSettings& now) {
  std::vector<std::string> found;
  const auto compare = [&](std::string_view what, std::string_view old_value, std::string_view value) {
    if (old_value != value) found.push_back(changed(what, old_value, value));
  };
  compare("the grader's version", before.grader_version, now.grader_version);
  compare("the front end", before.front_end, now.front_end);
  compare("the compiler", before.compiler, now.compiler);
  compare("the device", before.device, now.device);
  compare("the device's profile", before.profile, now.profile);
  compare("the real GPU", before.gpu, now.gpu);
  compare("the time limit in seconds", fmt::format("{}", before.time_limit_s),
          fmt::format("{}", now.time_limit_s));
  compare("the fingerprint of the seed file", before.seed_file, now.seed_file);
  for (const auto& [lab, sha256] : before.rubrics) {
    const auto other = now.rubrics.find(lab);
    if (other == now.rubrics.end())
      found.push_back("lab " + lab + " is not graded any more");
    else if (other->second != sha256)
      found.push_back("lab.json of " + lab + " has changed");
  }
  for (const auto& [lab, sha256] : now.rubrics)
    if (!before.rubrics.contains(lab)) found.push_back("lab " + lab + " was not graded before");
  return found;
}

std::vector<std::string> differences(const Manifest& before, const Manifest& now) {
  std::vector<std::string> found = differences(before.settings, now.settings);
  const auto by_path = [](const Manifest& manifest) {
    std::map<fs::path, const WorkItem*> items;
    for (const WorkItem& item : manifest.items) items[result_path(item)] = &item;
    return items;
  };
  const auto old_items = by_path(before), new_items = by_path(now);
  for (const auto& [path, item] : new_items) {
    const auto old = old_items.find(path);
    if (old == old_items.end())
      found.push_back(name_of(*item) + " is new");
    else if (*old->second != *item)
      found.push_back(name_of(*item) + " has changed");
  }
  for (const auto& [path, item] : old_items)
    if (!new_items.contains(path)) found.push_back(name_of(*item) + " is not graded any more");
  return found;
}

}  // namespace grader
