// times-vs-gpu MEASURED.csv MODELLED.csv…: compares modelled with measured times, as Markdown on standard
// output. kernel_timer.cuh defines the CSV format. MODELLED.json next to each MODELLED.csv is the report of
// the same run: if every row is one launch, it gives the part of the device that limits each kernel. Exit
// status: 0, or 2 if an input is missing.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validate/times_table.hpp"

namespace {

using vgpu::validate::Improvement;
using vgpu::validate::improvements;
using vgpu::validate::reason;
using vgpu::validate::TimedKernel;

constexpr double kTolerance = 0.3;  // of a speed-up

struct Row {
  std::string group, kernel;
  long long size = 0;
  double us_cold = 0;
  std::string limited_by;
};

std::vector<Row> read_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (cells.size() != 6 || cells[0] == "group") continue;
    rows.push_back(
        {cells[0], cells[1], std::atoll(cells[2].c_str()), std::strtod(cells[4].c_str(), nullptr), {}});
  }
  return rows;
}

/// The limiting part of the device for each measured launch, in order.
std::vector<std::string> read_limits(const std::filesystem::path& path) {
  static constexpr const char* kPreparing[] = {"fill_index", "fill_bytes", "make_chain"};
  const auto report = nlohmann::json::parse(std::ifstream(path), nullptr, false);
  std::vector<std::string> limits;
  if (report.is_discarded()) return limits;
  for (const auto& launch : report["programs"][0]["launches"]) {
    const auto name = launch["name"].get<std::string>();
    const bool prepares = std::any_of(std::begin(kPreparing), std::end(kPreparing),
                                      [&](const char* one) { return name.find(one) != std::string::npos; });
    if (!prepares) limits.push_back(launch["limited_by"]);
  }
  return limits;
}

/// Rows of copies have no limit, and neither have rows of a program in which a row can be several launches.
std::vector<Row> read_modelled(std::filesystem::path path) {
  std::vector<Row> rows = read_rows(path);
  const std::vector<std::string> limits = read_limits(path.replace_extension(".json"));
  if (limits.size() != rows.size()) return rows;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].limited_by = limits[i];
  return rows;
}

std::vector<TimedKernel> join(const std::vector<Row>& measured, const std::vector<Row>& modelled) {
  std::vector<TimedKernel> all;
  for (const Row& row : modelled) {
    const auto same = std::find_if(measured.begin(), measured.end(), [&](const Row& one) {
      return one.group == row.group && one.kernel == row.kernel && one.size == row.size;
    });
    if (same != measured.end())
      all.push_back({row.group, row.kernel, row.size, same->us_cold, row.us_cold, row.limited_by});
  }
  return all;
}

const TimedKernel* find(const std::vector<TimedKernel>& all, const char* group, const char* kernel,
                        long long size) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const TimedKernel& one) {
    return one.group == group && one.kernel == kernel && one.size == size;
  });
  return found == all.end() ? nullptr : &*found;
}

void print_speed_ups(const std::vector<TimedKernel>& all) {
  int within = 0, pairs = 0, lab_within = 0, lab_pairs = 0;
  std::string table;
  for (const Improvement& improvement : improvements()) {
    for (const TimedKernel& before : all) {
      if (before.group != improvement.group || before.kernel != improvement.before) continue;
      const TimedKernel* after = find(all, improvement.group, improvement.after, before.size);
      if (after == nullptr) continue;
      const double measured = before.measured_us / after->measured_us;
      const double modelled = before.modelled_us / after->modelled_us;
      const bool is_close = std::fabs(modelled / measured - 1) <= kTolerance;
      ++pairs;
      within += is_close ? 1 : 0;
      const bool is_lab = before.group.starts_with("lab_");
      lab_pairs += is_lab ? 1 : 0;
      lab_within += is_lab && is_close ? 1 : 0;
      table += fmt::format("| {} | {} → {} | {} | {:.2f} | {:.2f} | {:+.0f} % | {} |\n", before.group,
                           before.kernel, after->kernel, before.size, measured, modelled,
                           100 * (modelled / measured - 1),
                           is_close ? "yes" : "**no**: " + reason(before, *after));
    }
  }
  fmt::print(
      "## Speed-ups\n\nWithin ±30 %: {} of {}; of the labs' own {} of {}. For every other speed-up the "
      "table shows its kernels, the ratio of modelled to measured time, and the presumed reason.\n\n",
      within, pairs, lab_within, lab_pairs);
  fmt::print(
      "| group | from → to | size | measured | modelled | off by | within "
      "|\n|---|---|---:|---:|---:|---:|---|\n{}\n",
      table);
}

/// Pairs of one group and size whose measured times differ by more than a tenth.
void print_order(const std::vector<TimedKernel>& all) {
  constexpr double kTie = 1.1;
  int same = 0, pairs = 0;
  std::string turned;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const TimedKernel &one = all[i], &other = all[j];
      const bool belongs = one.group == other.group && one.size == other.size && one.group != "transfer";
      const double apart = one.measured_us / other.measured_us;
      if (!belongs || std::max(apart, 1 / apart) < kTie) continue;
      ++pairs;
      if ((apart > 1) == (one.modelled_us > other.modelled_us)) {
        ++same;
      } else {
        turned += fmt::format("- {} {}: {} and {}. {}\n", one.group, one.size, one.kernel, other.kernel,
                              reason(one, other));
      }
    }
  }
  fmt::print(
      "## Order\n\nFor two kernels of the same group and size whose measured times differ by a tenth or "
      "more, the order "
      "of the modelled times is the same in {} of {} cases.\n\n",
      same, pairs);
  if (!turned.empty()) fmt::print("Pairs in the wrong order:\n\n{}\n", turned);
}

void print_times(const std::vector<TimedKernel>& all) {
  std::vector<double> ratios;
  int close = 0;
  for (const TimedKernel& kernel : all) {
    ratios.push_back(kernel.ratio());
    close += std::fabs(kernel.ratio() - 1) <= kTolerance ? 1 : 0;
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "## Times\n\nRatio of modelled to measured time: median {:.2f}; half of all between {:.2f} and "
      "{:.2f}; within ±30 %: {} of {}.\n\n",
      ratios[ratios.size() / 2], ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4], close,
      ratios.size());
  fmt::print(
      "| group | kernel | size | measured µs | modelled µs | ratio | limited by | remark "
      "|\n|---|---|---:|---:|---:|---:|---|---|\n");
  for (const TimedKernel& kernel : all) {
    fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {} |\n", kernel.group, kernel.kernel,
               kernel.size, kernel.measured_us, kernel.modelled_us, kernel.ratio(), kernel.limited_by,
               std::fabs(kernel.ratio() - 1) <= kTolerance ? "" : reason(kernel));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fmt::print(stderr, "usage: {} MEASURED.csv MODELLED.csv…\n", argv[0]), 2;
  std::vector<Row> modelled;
  for (int i = 2; i < argc; ++i) {
    for (Row& row : read_modelled(argv[i])) modelled.push_back(std::move(row));
  }
  const auto all = join(read_rows(argv[1]), modelled);
  if (all.empty()) return fmt::print(stderr, "{} and the other files have no kernel in common\n", argv[1]), 2;
  print_speed_ups(all);
  print_order(all);
  print_times(all);
  return 0;
}
