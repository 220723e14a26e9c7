#include "app/profile_output.hpp"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

/// nullopt: `text` is not "LINE" or "FILE:LINE".
std::optional<AccessChoice> choice_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
  AccessChoice choice;
  choice.file = colon == std::string::npos ? "" : text.substr(0, colon);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), choice.line);
  if (error != std::errc() || end != digits.data() + digits.size() || choice.line == 0) return std::nullopt;
  return choice;
}

Diagnostic cannot_write(const fs::path& file, const std::string& why, const std::string& option) {
  return usage_error("cannot write " + printable(file.string()) + ": " + why,
                     "choose another place with " + option);
}

}  // namespace

void ProfileOutput::apply_to(RunProfile& profile) const {
  if (const auto choice = choice_of(line)) profile.choice = *choice;
  profile.choice.first = first;
  profile.shows_ptx = ptx;
}

std::optional<Diagnostic> ProfileOutput::problem_with(const RunProfile& profile) const {
  if (line.empty()) return std::nullopt;
  if (!choice_of(line))
    return usage_error("`" + printable(line) + "` is not a line", "use --line 31 or --line FILE:31");
  std::set<std::string> known;
  for (const KernelFacts& kernel : profile.kernels) {
    if (!chosen_accesses(kernel, profile.choice).empty()) return std::nullopt;
    for (const vgpu::RecordedSite& site : kernel.accesses)
      if (site.line != 0) known.insert(place_of(site.file, site.line));
  }
  return usage_error("no kernel accesses global or shared memory in line " + printable(line),
                     known.empty()
                         ? "the program must be compiled with line information"
                         : "lines with accesses: " + printable(fmt::format("{}", fmt::join(known, ", "))));
}

std::optional<Diagnostic> ProfileOutput::problem_with_page() const {
  std::error_code error;
  const fs::path folder = fs::absolute(page, error).parent_path();
  if (page.empty() || fs::is_directory(folder, error)) return std::nullopt;
  return cannot_write(page, "there is no folder " + printable(folder.string()), "--page");
}

bool ProfileOutput::write(const RunProfile& profile, const Console& console) const {
  const auto write_one = [&](const fs::path& file, const std::string& bytes, const std::string& option) {
    const auto is_written = write_file_atomically(file, bytes);
    if (!is_written) complain(console, cannot_write(file, is_written.error(), option), 0);
    return is_written.has_value();
  };
  bool written = true;
  std::fflush(stdout);  // the tables precede the names of files
  if (!page.empty() && (written &= write_one(page, profile_page(profile), "--page")))
    say("page: " + printable(page));
  if (pictures.empty()) return written;
  std::error_code error;
  fs::create_directories(pictures, error);
  for (const auto& [name, document] : profile_pictures(profile)) {
    const bool is_written = write_one(fs::path(pictures) / name, document, "--pictures");
    if (is_written) say("picture: " + printable((fs::path(pictures) / name).string()));
    written &= is_written;
  }
  return written;
}

void add_profile_output(Subcommand command, ProfileOutput& output) {
  command.option("--page", output.page, "write everything as one HTML page").type_name("FILE");
  command.option("--pictures", output.pictures, "folder for the pictures, as SVG files").type_name("DIR");
  command
      .option("--line", output.line, "draw the accesses of this source line (default: those that waste most)")
      .type_name("[FILE:]LINE");
  command.flag("--first", output.first, "draw the first warp that executes the access instead of the worst");
  command.flag("--ptx", output.ptx, "show the PTX below each source line");
}

}  // namespace grader::app
