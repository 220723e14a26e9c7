#include "profile/sanitizer_log.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "profile/log_lines.hpp"

namespace grader {
namespace {

constexpr std::string_view kMark = "=========";

/// A record of the log: a title, and the indented lines after it.
struct SanitizerRecord {
  std::string title;
  std::vector<std::string> details;
};

/// What a finding means to a student.
struct SanitizerKind {
  std::string_view title;   ///< the title begins with it
  std::string_view detail;  ///< one of the details contains it
  const char* code;
  const char* next_step;
};

constexpr const char* kCheckIndex = "check the index, and the guard against threads beyond the last element";
constexpr SanitizerKind kKinds[] = {
    {"Invalid", "is misaligned", "WG-M03", "access memory at a multiple of the size of the accessed type"},
    {"Invalid __shared__", "", "WG-M05", kCheckIndex},
    {"Invalid __local__", "", "WG-M06", kCheckIndex},
    {"Uninitialized", "", "WG-M07", "write the memory before a kernel reads it"},
    {"Invalid __global__ read", "", "WG-M01", kCheckIndex},
    {"Invalid", "", "WG-M02", kCheckIndex},
    {"Race reported", "", "WG-R01", "put a __syncthreads() between the two accesses"},
    {"Barrier error", "", "WG-B01", "let all threads of the block reach the barrier"},
    {"Program hit", "", "WG-H08", "check the arguments of the call"},
    {"Leaked", "", "WG-M09", "free the memory"},
};

/// Without its level.
std::string_view title_of(const SanitizerRecord& record) {
  std::string_view title = record.title;
  for (const std::string_view level : {"Error: ", "Warning: "})
    if (title.starts_with(level)) title.remove_prefix(level.size());
  return title;
}

/// For a finding of no known kind.
SanitizerKind kind_of_tool(std::string_view tool) {
  const char* code = tool == "racecheck"   ? "WG-R01"
                     : tool == "initcheck" ? "WG-M07"
                     : tool == "synccheck" ? "WG-B01"
                                           : "WG-M02";
  return {"", "", code, "see the documentation of compute-sanitizer"};
}

SanitizerKind kind_of(const SanitizerRecord& record, std::string_view tool) {
  for (const SanitizerKind& kind : kKinds) {
    const auto has_detail = [&](const std::string& one) {
      return one.find(kind.detail) != std::string::npos;
    };
    const bool is_detailed =
        kind.detail.empty() || std::any_of(record.details.begin(), record.details.end(), has_detail);
    if (title_of(record).starts_with(kind.title) && is_detailed) return kind;
  }
  return kind_of_tool(tool);
}

std::string_view without_indent(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// The records between lines that are empty but for the mark; other lines are skipped.
std::vector<SanitizerRecord> records_of(std::string_view text) {
  std::vector<SanitizerRecord> records;
  bool is_open = false;
  for (std::string_view line : log_lines(text)) {
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const std::string_view words = without_indent(line);
    if (words.empty()) {
      is_open = false;
    } else if (is_open && line.starts_with("     ")) {
      records.back().details.emplace_back(words);
    } else {
      records.push_back({std::string(words), {}});
      is_open = true;
    }
  }
  return records;
}

struct SanitizerPlace {
  std::string file;
  std::uint32_t line = 0;
};

/// Of "at kernel(float *)+0x90 in t.cu:13".
std::optional<SanitizerPlace> place_in(const std::string& detail) {
  const std::size_t in = detail.rfind(" in "), colon = detail.rfind(':');
  if (in == std::string::npos || colon == std::string::npos || colon < in) return std::nullopt;
  SanitizerPlace place{detail.substr(in + 4, colon - in - 4), 0};
  const char* const end = detail.data() + detail.size();
  const auto [stop, error] = std::from_chars(detail.data() + colon + 1, end, place.line);
  const bool is_number = error == std::errc() && (stop == end || *stop == ' ');
  return is_number && place.line > 0 ? std::optional(place) : std::nullopt;
}

/// The details before the host's call stack, without the place, as one line.
std::string first_of(const SanitizerRecord& record) {
  std::string text;
  for (const std::string& detail : record.details) {
    if (detail.starts_with("Saved host backtrace") || detail.starts_with("Host Frame")) break;
    if (detail.starts_with("at ") || detail.starts_with("Device Frame")) continue;
    text += (text.empty() ? "" : "; ") + detail;
  }
  return cleaned(text);
}

Diagnostic finding_of(const SanitizerRecord& record, std::string_view tool, const SourceText& source) {
  const SanitizerKind kind = kind_of(record, tool);
  Diagnostic finding = diagnose(
      kind.code, fmt::format("compute-sanitizer ({}): {}", tool, cleaned(title_of(record))), kind.next_step);
  if (record.title.starts_with("Warning: ")) finding.severity = Severity::warning;
  finding.first = first_of(record);
  auto place = place_in(record.title);
  for (const std::string& detail : record.details)
    if (!place) place = place_in(detail);
  if (place) locate(finding, place->file, place->line, source);
  return finding;
}

void add_finding(std::vector<Diagnostic>& findings, Diagnostic finding) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const Diagnostic& one) {
    return one.code == finding.code && one.what == finding.what && one.where == finding.where;
  });
  if (same == findings.end())
    findings.push_back(std::move(finding));
  else
    ++same->count;
}

/// A finding in a kernel ends the kernel, so calls fail after it: these failures are no findings of their
/// own.
void drop_consequences(std::vector<Diagnostic>& findings) {
  const auto is_consequence = [](const Diagnostic& one) {
    return one.what.find("unspecified launch failure") != std::string::npos;
  };
  if (!std::all_of(findings.begin(), findings.end(), is_consequence)) std::erase_if(findings, is_consequence);
}

/// Errors of the run itself, which have titles like findings.
bool is_error_of_run(const std::string& title) {
  const bool is_error = title.starts_with("Error: ") || title.starts_with("Target application") ||
                        title.starts_with("Internal Sanitizer Error");
  return is_error && title.find("Race reported") == std::string::npos;
}

/// The count of "ERROR SUMMARY: 3 errors", or of "RACECHECK SUMMARY: 1 hazard displayed (…)".
std::optional<std::uint64_t> summary_of(const std::string& title) {
  constexpr std::string_view kSummary = "SUMMARY: ";
  const std::size_t at = title.find(kSummary);
  std::uint64_t count = 0;
  if (at == std::string::npos) return std::nullopt;
  const char* const digits = title.data() + at + kSummary.size();
  const auto [stop, error] = std::from_chars(digits, title.data() + title.size(), count);
  return error == std::errc() && stop != digits ? std::optional(count) : std::nullopt;
}

}  // namespace

SanitizerLog read_sanitizer_log(std::string_view text, std::string_view tool, const SourceText& source) {
  SanitizerLog log;
  std::optional<std::uint64_t> announced;
  const std::vector<SanitizerRecord> records = records_of(text);
  const bool has_heading = !records.empty() && records.front().title == "COMPUTE-SANITIZER";
  for (const SanitizerRecord& record : records) {
    if (record.title == "COMPUTE-SANITIZER") continue;
    if (const auto count = summary_of(record.title))
      announced = std::max(announced.value_or(0), *count);
    else if (!is_error_of_run(record.title))
      add_finding(log.findings, finding_of(record, tool, source));
    else if (log.errors.size() < kMostLogErrors)
      log.errors.push_back(cleaned(record.title));
  }
  drop_consequences(log.findings);
  if (!has_heading) log.errors.emplace_back("its log has no heading");
  if (!announced)
    log.errors.emplace_back("its log has no summary, so the tool did not end by itself");
  else if (*announced > 0 && log.findings.empty())
    log.errors.push_back("its summary counts " + counted(*announced, "error") + ", but none can be read");
  return log;
}

std::vector<std::string> sanitizer_arguments(std::string_view tool) {
  return {"--tool", std::string(tool), "--print-limit", "1000"};
}

}  // namespace grader
