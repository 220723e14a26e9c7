#include "judge/unread_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/producers.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::LaunchRecord;

/// "`add`", or "launch 2 of `add`".
std::string name_of(std::size_t number, const std::vector<LaunchRecord>& launches) {
  const std::string& kernel = launches[number].kernel;
  std::size_t before = 0, all = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    before += i <= number && launches[i].kernel == kernel ? 1 : 0;
    all += launches[i].kernel == kernel ? 1 : 0;
  }
  const std::string name = fmt::format("`{}`", kernel_name(kernel));
  return all == 1 ? name : fmt::format("launch {} of {}", before, name);
}

}  // namespace

std::optional<std::string> unread_memory(const CaseRun& run, const harness::Job& job) {
  const auto& launches = run.session.launches;
  const Producers producers = producers_of(run, job);
  if (!job.earlier.empty() || producers.result_bytes == 0 || producers.launches.empty()) return std::nullopt;
  const std::size_t last = producers.launches.back().launch;
  for (std::size_t i = 0; i < last; ++i) {
    const bool is_needed = std::any_of(producers.launches.begin(), producers.launches.end(),
                                       [&](const Producers::One& one) { return one.launch == i; });
    const bool has_stored = launches[i].counters.global_stores.requests > 0;
    if (launches[i].error != vgpu::LaunchError::none || is_needed || !has_stored) continue;
    return fmt::format("no kernel reads what {} stores: {}, which follows, reads another array",
                       name_of(i, launches), name_of(last, launches));
  }
  return std::nullopt;
}

}  // namespace grader
