#include "slurm/options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.hpp"

namespace grader::slurm {
namespace {

const std::vector<std::string> kKeys = {"account",   "constraint", "cpus-per-task", "exclude",     "gres",
                                        "licenses",  "mem",        "mem-per-cpu",   "nice",        "nodelist",
                                        "partition", "priority",   "qos",           "reservation", "time"};

constexpr std::size_t kMaxValueBytes = 200;

bool is_value(std::string_view text) {
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  return !text.empty() && text.size() <= kMaxValueBytes && std::all_of(text.begin(), text.end(), visible);
}

Unexpected<Diagnostic> wrong(const std::string& what) {
  return Unexpected{usage_error(what, "use --slurm-option KEY=VALUE with one of: " + known_site_options())};
}

}  // namespace

std::string known_site_options() { return fmt::format("{}", fmt::join(kKeys, ", ")); }

Expected<SiteOptions, Diagnostic> read_site_options(const std::vector<std::string>& words) {
  SiteOptions options;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      return wrong(
          fmt::format("`{}` is not an option that is passed on to Slurm{}", key, did_you_mean(key, kKeys)));
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (!is_value(value))
      return wrong(fmt::format("the Slurm option `{}` needs a value of at most {} visible characters", key,
                               kMaxValueBytes));
    if (!options.emplace(key, value).second)
      return wrong(fmt::format("the Slurm option `{}` is given twice", key));
  }
  return options;
}

}  // namespace grader::slurm
