#include "app/check_page.hpp"

#include <algorithm>

#include "app/output.hpp"
#include "report/kernel_limits.hpp"

namespace grader::app {

namespace fs = std::filesystem;

CheckPage check_page(const KitPaths& paths, const Lab& lab, const fs::path& source,
                     const std::string& source_option) {
  const fs::path hints = lab.folder / "hints.md", lab_page = lab.folder / "README.md";
  std::error_code error;
  CheckPage page{shown_path(source), fs::exists(hints, error) ? shown_path(hints) : ""};
  const std::string lab_and_source =
      lab.id + (source_option.empty() ? "" : " --source " + shell_word(source_option));
  page.command = "warpgrade check " + lab_and_source;
  page.hand_in = "warpgrade handin " + lab_and_source;
  if (fs::exists(lab_page, error)) page.write_up_path = shown_path(lab_page);
  page.next_lab = lab_after(paths, lab.id);
  return page;
}

std::optional<std::string> timed_limits(const Lab& lab, const CaseRun& run, const std::string& case_name) {
  const bool is_timed = std::any_of(lab.tasks.begin(), lab.tasks.end(), [&](const Task& task) {
    return task.speedup && task.speedup->virtual_case == case_name;
  });
  const vgpu::LaunchRecord* launch = longest_kernel(run.session.launches);
  return is_timed && launch != nullptr ? std::optional(limits_text(*launch)) : std::nullopt;
}

}  // namespace grader::app
