#include "profile/nsight_log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/wording.hpp"
#include "profile/log_lines.hpp"

namespace grader {
namespace {

constexpr std::string_view kErrorMark = "==ERROR== ";

/// The cells of a line like `"1","a ""word""","2,816"`; nullopt: the line is no such list.
std::optional<std::vector<std::string>> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (line.starts_with('"')) {
    std::string cell;
    std::size_t at = 1;
    for (; at < line.size(); ++at) {
      if (line[at] == '"' && !line.substr(at + 1).starts_with('"')) break;
      if (line[at] == '"') ++at;
      cell += line[at];
    }
    if (at >= line.size()) return std::nullopt;  // no closing quote
    cells.push_back(std::move(cell));
    line.remove_prefix(at + 1);
    if (line.empty()) return cells;
    if (!line.starts_with(',')) return std::nullopt;
    line.remove_prefix(1);
  }
  return std::nullopt;
}

/// "2,816" is 2816. nullopt: "n/a", or no number.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Collects the rows of the table, one for each launch and metric.
class NsightTable {
 public:
  /// False: the row is not as the heading announces it.
  bool add(const std::vector<std::string>& row) {
    if (heading_.empty()) return take_heading(row);
    if (row.size() != heading_.size()) return false;
    Kernel& kernel = kernel_of(kernel_name(row[column_[kName]]));
    kernel.launches.insert(row[column_[kProcess]] + "/" + row[column_[kLaunch]]);
    const std::string& metric = row[column_[kMetric]];
    if (const auto value = number_of(row[column_[kValue]]))
      kernel.sums[metric] += *value;
    else
      kernel.unmeasured.insert(metric);
    return true;
  }

  std::vector<MeasuredKernel> kernels() const {
    std::vector<MeasuredKernel> all;
    for (const Kernel& one : kernels_) {
      MeasuredKernel measured{one.name, one.launches.size(), {}};
      for (const auto& [metric, sum] : one.sums)
        if (!one.unmeasured.contains(metric))
          measured.metrics[metric] =
              metric.ends_with(".sum") ? sum : sum / static_cast<double>(measured.launches);
      all.push_back(std::move(measured));
    }
    return all;
  }

 private:
  enum Column : std::size_t { kLaunch, kProcess, kName, kMetric, kValue, kColumns };
  struct Kernel {
    std::string name;
    std::set<std::string> launches, unmeasured;
    std::map<std::string, double> sums;
  };

  bool take_heading(const std::vector<std::string>& row) {
    constexpr std::string_view kNames[kColumns] = {"ID", "Process ID", "Kernel Name", "Metric Name",
                                                   "Metric Value"};
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto found = std::find(row.begin(), row.end(), kNames[i]);
      if (found == row.end()) return false;
      column_[i] = static_cast<std::size_t>(found - row.begin());
    }
    heading_ = row;
    return true;
  }

  Kernel& kernel_of(const std::string& name) {
    const auto known =
        std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& one) { return one.name == name; });
    if (known != kernels_.end()) return *known;
    return kernels_.emplace_back(Kernel{name, {}, {}, {}});
  }

  std::vector<std::string> heading_;
  std::size_t column_[kColumns]{};
  std::vector<Kernel> kernels_;
};

}  // namespace

NsightLog read_nsight_log(std::string_view text) {
  NsightLog log;
  NsightTable table;
  std::size_t unreadable = 0;
  for (const std::string_view line : log_lines(text)) {
    if (line.starts_with(kErrorMark)) {
      if (log.errors.size() < kMostLogErrors) log.errors.push_back(cleaned(line.substr(kErrorMark.size())));
    } else if (!line.empty() && !line.starts_with("==")) {
      const auto row = cells_of(line);
      if (!row || !table.add(*row)) ++unreadable;
    }
  }
  if (unreadable > 0) log.errors.push_back(counted(unreadable, "line") + " of its log cannot be read");
  log.kernels = table.kernels();
  return log;
}

std::vector<std::string> nsight_arguments(const std::vector<std::string>& metrics) {
  return {"--clock-control",
          "none",
          "--cache-control",
          "all",
          "--csv",
          "--print-units",
          "base",
          "--print-kernel-base",
          "mangled",
          "--metrics",
          fmt::format("{}", fmt::join(metrics, ","))};
}

}  // namespace grader
