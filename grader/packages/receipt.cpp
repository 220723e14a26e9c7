#include "packages/receipt.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "lab/json_reader.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "warpgrade.receipt/1";
constexpr std::size_t kMaxSources = 16, kMaxText = 120, kSha256Digits = 64;
constexpr double kMaxPoints = 1e6;

/// `pattern`: a '0' stands for any digit, every other character for itself.
bool matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char expected) { return expected == '0' ? is_digit(c) : c == expected; });
}

int two_digits(std::string_view text, std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); }

/// Form and ranges; a day that the month does not have is accepted.
bool is_time(std::string_view text) {
  constexpr std::string_view kSeconds = "0000-00-00T00:00:00";
  if (text.size() < kSeconds.size() || !matches(text.substr(0, kSeconds.size()), kSeconds)) return false;
  const auto within = [&](std::size_t at, int least, int most) {
    return two_digits(text, at) >= least && two_digits(text, at) <= most;
  };
  if (!within(5, 1, 12) || !within(8, 1, 31) || !within(11, 0, 23) || !within(14, 0, 59) ||
      !within(17, 0, 59))
    return false;
  const std::string_view offset = text.substr(kSeconds.size());
  if (offset == "Z") return true;
  if (!matches(offset, "+00:00") && !matches(offset, "-00:00")) return false;
  return two_digits(offset, 1) <= 14 && two_digits(offset, 4) <= 59;
}

bool is_printable(const std::string& text) {
  return !text.empty() && text.size() <= kMaxText &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_sha256(const std::string& text) {
  return text.size() == kSha256Digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string text_of(const JsonNode& node, bool (*is_valid)(const std::string&)) {
  std::string text = node.any_text();
  if (!is_valid(text)) node.refuse("is invalid");
  return text;
}

std::optional<double> points_of(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const double points = node.number();
  if (!(points >= 0 && points <= kMaxPoints)) node.refuse("is invalid");
  return points;
}

Receipt read(const JsonNode& file) {
  Receipt receipt;
  if (file.at("schema").any_text() != kSchema) file.refuse("is not a receipt");
  receipt.lab = file.at("lab").name();
  receipt.packed_at = text_of(file.at("packed_at"), [](const std::string& text) { return is_time(text); });
  const auto sources = file.at("sources").elements();
  if (sources.size() > kMaxSources) file.refuse("has too many sources");
  for (const JsonNode& source : sources)
    receipt.sources.push_back(
        {text_of(source.at("path"), is_printable), text_of(source.at("sha256"), is_sha256)});
  receipt.score = points_of(file.at("score"));
  receipt.max_score = points_of(file.at("max_score"));
  receipt.version = text_of(file.at("version"), is_printable);
  return receipt;
}

/// A whole number of points without a fraction, as in result.json.
Json points_json(const std::optional<double>& points) {
  if (!points) return nullptr;
  const auto whole = static_cast<std::int64_t>(*points);
  return static_cast<double>(whole) == *points ? Json(whole) : Json(*points);
}

}  // namespace

std::string receipt_json(const Receipt& receipt) {
  Json sources = Json::array();
  for (const ReceiptSource& source : receipt.sources)
    sources.push_back({{"path", source.path}, {"sha256", source.sha256}});
  const Json json = {{"schema", kSchema},
                     {"lab", receipt.lab},
                     {"packed_at", receipt.packed_at},
                     {"sources", std::move(sources)},
                     {"score", points_json(receipt.score)},
                     {"max_score", points_json(receipt.max_score)},
                     {"version", receipt.version}};
  return json_text(json, 2) + "\n";
}

Expected<Receipt, std::string> parse_receipt(const std::string& text) {
  try {
    const auto json = parse_json(text);
    if (!json) return Unexpected{std::string("is not JSON")};
    return read(JsonNode(*json));
  } catch (const JsonProblem&) {
    return Unexpected{std::string("is not a receipt of this version of warpgrade")};
  }
}

ReceiptFacts receipt_facts(const std::string& text, const std::string& lab,
                           const std::map<std::string, std::string>& sha256_by_path) {
  ReceiptFacts facts;
  const auto receipt = parse_receipt(text);
  if (!receipt) {
    facts.problem = receipt.error();
    return facts;
  }
  if (receipt->lab != lab) {
    facts.problem = "is the receipt of another lab";
    return facts;
  }
  std::map<std::string, std::string> stated;
  for (const ReceiptSource& source : receipt->sources) stated[source.path] = source.sha256;
  facts.packed_at = receipt->packed_at;
  facts.version = receipt->version;
  facts.score = receipt->score;
  facts.max_score = receipt->max_score;
  facts.files_match = stated == sha256_by_path;
  return facts;
}

}  // namespace grader
