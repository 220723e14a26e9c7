#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "base/files.hpp"
#include "base/spelling.hpp"
#include "lab/change_counters.hpp"
#include "lab/counter_names.hpp"
#include "lab/run_counters.hpp"
#include "report/counter_text.hpp"
#include "report/page_text.hpp"
#include "vgpu/cudart/device_side/program_counters.hpp"
#include "vgpu/facts/counter_table.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_pages(const KitPaths& paths) { return paths.root / "handout" / "student" / "diagnostics"; }

/// The text of each code's page.
std::map<std::string, std::string> pages_in(const fs::path& folder) {
  constexpr std::size_t kMaxPageBytes = 256 * 1024;
  std::map<std::string, std::string> pages;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string code = entry->path().stem().string();
    if (!code.starts_with("WG-") || entry->path().extension() != ".md") continue;
    if (auto text = read_file(entry->path(), kMaxPageBytes)) pages[code] = *std::move(text);
  }
  return pages;
}

/// "# WG-M02: write outside an array" → "WG-M02  write outside an array"
std::string title_line(const std::string& code, const std::string& page) {
  const std::string first = page.substr(0, page.find('\n'));
  const std::size_t colon = first.find(": ");
  return code + (colon == std::string::npos ? "" : "  " + first.substr(colon + 2));
}

/// "m02" and "wg-m02" mean WG-M02.
std::string full_code(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word.starts_with("WG-") ? word : "WG-" + word;
}

std::optional<CounterPage> page_of_counter(const std::string& name) {
  const auto page = [&](std::string_view group, std::string_view definition) {
    return CounterPage{name, std::string(group), std::string(definition), {}, {}};
  };
  if (const auto* info = vgpu::cudart::find_program_counter(name))
    return page("of the whole program", info->definition);
  if (const auto* one = find_change_counter(name)) return page("where results come from", one->definition);
  if (const auto* one = find_run_counter(name)) return page("of a whole run", one->definition);
  const vgpu::CounterInfo* info = vgpu::find_counter(name);
  if (info == nullptr) return std::nullopt;
  CounterPage full = page(info->group, info->definition);
  full.nsight = info->nsight;
  full.difference = info->difference;
  return full;
}

/// Profiles print "sectors per global load" for global_load_sectors_per_request.
std::string counter_of_measure(const std::string& words) {
  std::istringstream stream(words);
  std::string unit, per, memory, access, more;
  if (!(stream >> unit >> per >> memory >> access) || per != "per" || stream >> more) return words;
  return fmt::format("{}_{}_{}_per_request", memory, access, unit);
}

/// For what a reader may have copied from a table: "global load requested B/flop" is
/// global_load_requested_bytes per flop, and most_block_threads is a value of block_threads.
std::optional<CounterPage> find_counter_page(const std::string& word) {
  std::string counter = counter_of_words(counter_of_measure(word));
  if (counter.starts_with(kMostPrefix)) counter.erase(0, std::string_view(kMostPrefix).size());
  for (std::size_t end = counter.size(); end != std::string::npos; end = counter.rfind("_per_", end - 1))
    if (auto page = page_of_counter(counter.substr(0, end))) return page;
  return std::nullopt;
}

/// "WG-" and a letter.
std::string beginning_of(const std::string& code) { return code.substr(0, 4); }

bool looks_like_code(const std::string& code) {
  return code.size() > 4 && std::isalpha(static_cast<unsigned char>(code[3])) != 0 &&
         std::all_of(code.begin() + 4, code.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string unknown_code(const std::string& code, const std::map<std::string, std::string>& pages) {
  std::vector<std::string> codes;
  std::set<std::string> beginnings;
  for (const auto& [known, page] : pages) {
    codes.push_back(known);
    beginnings.insert(beginning_of(known));
  }
  return "unknown code `" + code + "`" +
         (beginnings.contains(beginning_of(code))
              ? did_you_mean(code, codes)
              : fmt::format("; codes begin with {}", fmt::join(beginnings, ", "))) +
         "\n`warpgrade explain` lists all codes.";
}

}  // namespace

int explain_word(const std::string& word, const Console& console) {
  if (word == "counters") {
    print(vgpu::counter_table_markdown() + "\n" + vgpu::cudart::program_counter_markdown() + "\n" +
          change_counter_markdown() + "\n" + run_counter_markdown());
    return kPassed;
  }
  if (const auto page = find_counter_page(word)) {
    print(counter_text(*page, console.out));
    return kPassed;
  }
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const fs::path folder = folder_of_pages(*paths);
  const auto pages = pages_in(folder);
  if (pages.empty()) {
    say("warpgrade: no pages in " + folder.string() + "; the checkout is incomplete");
    return kFault;
  }
  if (word.empty()) {
    for (const auto& [code, page] : pages)
      print(cut(spelled(title_line(code, page), console.out), console.out.width, console.out) + "\n");
    print("\nNext: warpgrade explain CODE\n");
    return kPassed;
  }
  const std::string code = full_code(word);
  if (const auto page = pages.find(code); page != pages.end()) {
    print(page_text(page->second, console.out));
    return kPassed;
  }
  if (looks_like_code(code))
    say("warpgrade: " + unknown_code(code, pages));
  else
    say("warpgrade: no code or counter has the name `" + printable(word) + "`" +
        did_you_mean(counter_of_words(word), known_codes(*paths)) +
        "\n`warpgrade explain` lists all codes, `warpgrade explain counters` all counters.");
  return kUsage;
}

std::vector<std::string> known_codes(const KitPaths& paths) {
  std::vector<std::string> codes;
  for (const auto& [known, page] : pages_in(folder_of_pages(paths))) codes.push_back(known);
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) codes.emplace_back(info.name);
  for (const auto& info : vgpu::cudart::program_counter_table()) codes.emplace_back(info.name);
  for (const RunCounter& one : run_counter_table()) codes.emplace_back(one.name);
  return codes;
}

void add_explain(Subcommand root, CommandLine& line) {
  auto word = std::make_shared<std::string>();
  Subcommand command = root.subcommand("explain", R"(Examples:
  warpgrade explain WG-M01
  warpgrade explain            all codes
  warpgrade explain global_load_sectors
  warpgrade explain counters   all counters, as a table

Explains a diagnostic, with an example and how to fix the problem; or shows what a counter counts)");
  command.option("CODE", *word, "a code, such as WG-M01 or M01, or a counter");
  command.callback([word, &line] {
    line.chosen = [word](const Console& console) { return explain_word(*word, console); };
  });
}

}  // namespace grader::app
