#include "report/line_counters.hpp"

#include <algorithm>
#include <limits>

#include "base/json.hpp"
#include "lab/json_reader.hpp"
#include "report/json_number.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLineCountersSchema = "warpgrade.line-counters/1";
/// More sectors or passes than any request of a warp can have.
constexpr double kMostPerRequest = 1e6;

Json per_request_json(const PerRequest& one) {
  return {{"per_request", json_number(one.cost)}, {"ideal", json_number(one.ideal)}};
}

Json line_json(const LineCounters& one) {
  Json json = {{"line", one.line}, {"warp_instructions_percent", json_number(one.share_percent)}};
  if (one.active_lanes) json["active_lanes"] = json_number(*one.active_lanes);
  if (one.global_sectors) json["global_sectors"] = per_request_json(*one.global_sectors);
  if (one.shared_passes) json["shared_passes"] = per_request_json(*one.shared_passes);
  if (one.divergent_percent) json["divergent_branches_percent"] = json_number(*one.divergent_percent);
  return json;
}

double at_most(const JsonNode& node, double most) {
  const double value = node.number();
  if (!(value >= 0 && value <= most)) node.refuse_value("0 to " + Json(json_number(most)).dump());
  return value;
}

std::optional<double> if_there(const JsonNode& parent, const std::string& key, double most) {
  const auto node = parent.find(key);
  return node ? std::optional(at_most(*node, most)) : std::nullopt;
}

std::optional<PerRequest> per_request_if_there(const JsonNode& parent, const std::string& key) {
  const auto node = parent.find(key);
  if (!node) return std::nullopt;
  node->allow_keys({"per_request", "ideal"});
  return PerRequest{at_most(node->at("per_request"), kMostPerRequest),
                    at_most(node->at("ideal"), kMostPerRequest)};
}

LineCounters read_line(const JsonNode& node) {
  node.allow_keys({"line", "warp_instructions_percent", "active_lanes", "global_sectors", "shared_passes",
                   "divergent_branches_percent"});
  LineCounters read;
  read.line =
      static_cast<std::uint32_t>(node.at("line").integer(1, std::numeric_limits<std::int32_t>::max()));
  read.share_percent = at_most(node.at("warp_instructions_percent"), 100);
  read.active_lanes = if_there(node, "active_lanes", 32);
  read.global_sectors = per_request_if_there(node, "global_sectors");
  read.shared_passes = per_request_if_there(node, "shared_passes");
  read.divergent_percent = if_there(node, "divergent_branches_percent", 100);
  return read;
}

std::string read_digest(const JsonNode& node) {
  std::string digest = node.any_text();
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    node.refuse("is not a SHA-256");
  return digest;
}

FileLineCounters read_file_counters(const JsonNode& file) {
  file.allow_keys({"schema", "file", "source_sha256", "case", "lines"});
  file.at("schema").one_of({kLineCountersSchema});
  FileLineCounters read;
  read.file = file.at("file").text();
  read.source_sha256 = read_digest(file.at("source_sha256"));
  read.case_name = file.at("case").name();
  const auto lines = file.at("lines").elements();
  if (lines.size() > kMaxCountedLines) file.at("lines").refuse("has too many elements");
  for (const JsonNode& line : lines) {
    read.lines.push_back(read_line(line));
    const std::size_t count = read.lines.size();
    if (count > 1 && read.lines[count - 2].line >= read.lines[count - 1].line)
      line.at("line").refuse("is not above the line before it");
  }
  return read;
}

}  // namespace

std::string line_counters_json(const FileLineCounters& counters) {
  Json lines = Json::array();
  for (const LineCounters& one : counters.lines) lines.push_back(line_json(one));
  const Json json = {{"schema", kLineCountersSchema},
                     {"file", counters.file},
                     {"source_sha256", counters.source_sha256},
                     {"case", counters.case_name},
                     {"lines", std::move(lines)}};
  return json_text(json, 1) + "\n";
}

Expected<FileLineCounters, std::string> parse_line_counters(std::string_view json) {
  try {
    const auto parsed = parse_json(json);
    if (!parsed) return Unexpected<std::string>{"is not JSON: " + parsed.error().what};
    return read_file_counters(JsonNode(*parsed));
  } catch (const JsonProblem& problem) {
    return Unexpected<std::string>{problem.what()};
  }
}

}  // namespace grader
