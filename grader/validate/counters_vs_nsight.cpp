// counters-vs-nsight NSIGHT.csv PROGRAMS: compares the virtual GPU's counters with Nsight Compute's, as
// Markdown on standard output. NSIGHT.csv is the output of nsight_table.sh for a real GPU's profiles; the
// folder PROGRAMS contains the same programs, built for the virtual GPU. Exit status: 0, or 2 if an input is
// missing.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "standalone/program_run.hpp"
#include "validate/compared_counters.hpp"

namespace {

using grader::MetricSum;
using grader::nsight_counters;
using grader::NsightCounter;

struct Kernel {
  std::string program, name;
  std::map<std::string, double> nsight;  ///< by metric; without those that were not measured
  grader::VirtualKernel ours;
  int launches = 0;  ///< of our kernel
  bool was_run = false;
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) all.push_back(cell);
  return all;
}

std::vector<Kernel> read_nsight(const std::string& path) {
  std::ifstream file(path);
  std::vector<Kernel> kernels;
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = cells(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> values = cells(line);
    if (values.size() != columns.size()) continue;
    Kernel kernel{values[0], values[1], {}, {}};
    for (std::size_t i = 2; i < values.size(); ++i)
      if (!values[i].empty()) kernel.nsight[columns[i]] = std::strtod(values[i].c_str(), nullptr);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// The function's own name, without namespaces.
std::string base_name(const std::string& mangled) {
  const std::string name = grader::kernel_name(mangled);
  const auto colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// Runs each program once and adds up the launches of each kernel. Returns an error message, or an empty
/// string.
std::string run_all(std::vector<Kernel>& kernels, const std::string& folder) {
  grader::DeviceSettings settings;
  auto profile = vgpu::find_profile("h200");
  if (!profile) return profile.error();
  settings.profile = *std::move(profile);
  std::string last;
  for (const Kernel& first : kernels) {
    if (first.program == last) continue;
    last = first.program;
    // Standard output is reserved for the table.
    const std::string silent = R"(exec "$0" "$0.out" >/dev/null)";
    const auto run = grader::run_program({"/bin/sh", "-c", silent, folder + "/" + last}, settings);
    if (!run) return run.error();
    for (const auto& session : run->programs) {
      for (const auto& launch : session.launches) {
        const auto is_this = [&](const Kernel& kernel) {
          return kernel.program == last && kernel.name == base_name(launch.kernel);
        };
        const auto kernel = std::find_if(kernels.begin(), kernels.end(), is_this);
        if (kernel == kernels.end()) continue;
        kernel->ours.counters += launch.counters;
        kernel->ours.occupancy +=
            (100 * launch.occupancy.fraction() - kernel->ours.occupancy) / ++kernel->launches;
        kernel->was_run |= launch.error == vgpu::LaunchError::none && launch.faults.empty();
      }
    }
  }
  return {};
}

double sum_of(const Kernel& kernel, const MetricSum& metrics) {
  double sum = 0;
  for (const auto& [metric, factor] : metrics) sum += factor * kernel.nsight.at(metric);
  return sum;
}

/// 0 if the denominator is 0, as in our own ratios.
double nsight_value(const Kernel& kernel, const NsightCounter& counter) {
  const double above = sum_of(kernel, counter.metrics);
  if (counter.per.empty()) return above;
  const double below = sum_of(kernel, counter.per);
  return below == 0 ? 0 : above / below;
}

bool is_measured(const Kernel& kernel, const NsightCounter& counter) {
  const auto has = [&](const auto& metric) { return kernel.nsight.contains(metric.first); };
  return std::all_of(counter.metrics.begin(), counter.metrics.end(), has) &&
         std::all_of(counter.per.begin(), counter.per.end(), has);
}

/// The counters that were measured: a metric that the GPU lacks has no column.
std::vector<NsightCounter> measured_counters(const std::vector<Kernel>& kernels) {
  std::vector<NsightCounter> measured;
  for (const NsightCounter& counter : nsight_counters()) {
    if (std::any_of(kernels.begin(), kernels.end(),
                    [&](const Kernel& kernel) { return is_measured(kernel, counter); }))
      measured.push_back(counter);
  }
  return measured;
}

std::string number(double value) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string ratio(double ours, double theirs) {
  if (ours == theirs) return "1";
  return theirs == 0 ? "–" : fmt::format("{:.3g}", ours / theirs);
}

bool agrees(const NsightCounter& counter, double ours, double theirs) {
  return std::fabs(ours - theirs) <= counter.tolerance * theirs;
}

std::string formula(const MetricSum& metrics) {
  std::string text;
  for (const auto& [metric, factor] : metrics) {
    text += fmt::format("{}{}`{}`", text.empty() ? "" : " + ",
                        factor == 1 ? "" : fmt::format("{:g} × ", factor), metric);
  }
  return text;
}

std::string formula(const NsightCounter& counter) {
  const auto bracketed = [](const MetricSum& metrics) {
    return metrics.size() > 1 ? "(" + formula(metrics) + ")" : formula(metrics);
  };
  return counter.per.empty() ? formula(counter.metrics)
                             : bracketed(counter.metrics) + " / " + bracketed(counter.per);
}

void print_summary(const std::vector<Kernel>& kernels, const std::vector<NsightCounter>& counters) {
  fmt::print("| counter | Nsight Compute | equal | within its bound | differ |\n|---|---|---:|---:|---:|\n");
  for (const NsightCounter& counter : counters) {
    int equal = 0, within = 0, differ = 0;
    for (const Kernel& kernel : kernels) {
      if (!kernel.was_run || !is_measured(kernel, counter)) continue;
      const double ours = counter.ours(kernel.ours), theirs = nsight_value(kernel, counter);
      ++(ours == theirs ? equal : agrees(counter, ours, theirs) ? within : differ);
    }
    fmt::print("| `{}` | {} | {} | {} | {} |\n", counter.name, formula(counter), equal, within, differ);
  }
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string decapitalised(std::string text) {
  const bool is_name = text.starts_with("Nsight") || text.starts_with("PTX");
  if (!is_name && !text.empty())
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// Omits kernels for which both counts are zero.
void print_kernels(const std::vector<Kernel>& kernels, const std::vector<NsightCounter>& counters) {
  for (const NsightCounter& counter : counters) {
    fmt::print(
        "\n### `{}`\n\n{}.{}\n\n| program | kernel | ours | Nsight | ratio | why "
        "|\n|---|---|---:|---:|---:|---|\n",
        counter.name, capitalised(counter.definition),
        counter.reason.empty() ? "" : " Reason for differences: " + decapitalised(counter.reason));
    for (const Kernel& kernel : kernels) {
      if (!kernel.was_run || !is_measured(kernel, counter)) continue;
      const double ours = counter.ours(kernel.ours), theirs = nsight_value(kernel, counter);
      if (ours == 0 && theirs == 0) continue;
      const std::string own = vgpu::validate::reason(counter, kernel.name);
      const std::string why = ours == theirs ? "" : own == counter.reason ? "see above" : own;
      fmt::print("| {} | {} | {} | {} | {} | {} |\n", kernel.program, kernel.name, number(ours),
                 number(theirs), ratio(ours, theirs), why);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: {} NSIGHT.csv PROGRAMS\n", argv[0]), 2;
  std::vector<Kernel> kernels = read_nsight(argv[1]);
  if (kernels.empty())
    return fmt::print(stderr, "{} contains no kernels: make it with nsight_table.sh\n", argv[1]), 2;
  if (const std::string problem = run_all(kernels, argv[2]); !problem.empty()) {
    return fmt::print(stderr, "{}\n", problem), 2;
  }
  const std::vector<NsightCounter> counters = measured_counters(kernels);
  print_summary(kernels, counters);
  for (const Kernel& kernel : kernels) {
    if (!kernel.was_run)
      fmt::print("\n{} / {} did not run to completion on the virtual GPU.\n", kernel.program, kernel.name);
  }
  print_kernels(kernels, counters);
  return 0;
}
