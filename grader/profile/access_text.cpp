#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "profile/access_picture.hpp"
#include "profile/access_use.hpp"
#include "profile/divergence.hpp"
#include "profile/kernel_facts.hpp"
#include "profile/svg.hpp"

namespace grader {
namespace {

bool is_shared(const vgpu::RecordedSite& site) { return site.space == vgpu::ptx::Space::shared; }

/// "7", or "7+" if several lanes access the word.
std::string cell(std::uint32_t lanes) {
  if (lanes == 0) return " .  ";
  return fmt::format("{:>2}{} ", std::countr_zero(lanes), std::popcount(lanes) > 1 ? "+" : " ");
}

std::string sectors_text(const NamedAccess& site, const vgpu::RecordedAccess& access) {
  const std::vector<SectorUse> sectors = sectors_of(access, site.bytes);
  std::string text = "     byte  0   4   8   12  16  20  24  28\n";
  const std::uint64_t start = sectors.empty() ? 0 : sectors.front().start;
  for (std::size_t i = 0; i < sectors.size() && i < kTextSectors; ++i) {
    std::string row = fmt::format("{:>9}  ", "+" + std::to_string(sectors[i].start - start));
    for (const std::uint32_t lanes : sectors[i].lanes) row += cell(lanes);
    text += row + fmt::format("{:>3} of 32 B\n", sectors[i].used_words() * kWordBytes);
  }
  if (sectors.size() > kTextSectors)
    text += fmt::format("           and {} more sectors\n", sectors.size() - kTextSectors);
  return text + "Numbers are lanes; + marks words of several lanes.\n";
}

std::string banks_text(const NamedAccess& site, const vgpu::RecordedAccess& access,
                       const Terminal& terminal) {
  const auto banks = banks_of(access, site.bytes);
  std::string text;
  for (unsigned first = 0; first < kBanks; first += kBanks / 2) {
    std::string numbers = "   bank ", words = "  words ";
    for (unsigned bank = first; bank < first + kBanks / 2; ++bank) {
      numbers += fmt::format("{:>3}", bank);
      words += banks[bank].empty() ? "  ." : fmt::format("{:>3}", banks[bank].size());
    }
    text += numbers + "\n" + words + "\n";
  }
  const auto most = std::max_element(banks.begin(), banks.end(), [](const auto& one, const auto& other) {
    return one.size() < other.size();
  });
  if (most->size() < 2) return text;
  std::uint32_t lanes = 0;
  for (const WordUse& word : *most) lanes |= word.lanes;
  const std::string sentence =
      fmt::format("Bank {} delivers {} different words, one per wavefront, to the lanes {}.",
                  most - banks.begin(), most->size(), lane_list(lanes));
  for (const std::string& line : wrap(spelled(sentence, terminal), terminal.width)) text += line + "\n";
  return text;
}

}  // namespace

std::string access_headline(const NamedAccess& site, const vgpu::RecordedAccess& access) {
  const std::string unit = is_shared(site) ? "wavefront" : "sector";
  const std::string preposition = site.is_store && !site.is_atomic ? "to" : "of";
  const std::string memory =
      site.memory_name.empty() ? "" : fmt::format(" {} {}", preposition, site.memory_name);
  std::string text =
      fmt::format("{}{} in {}, {}: {}", site.instruction, memory, place_of(site.file, site.line),
                  warp_place(access.block, access.warp), counted(access.cost, unit));
  if (access.cost <= access.ideal) return text;
  return text + fmt::format(", {} {} enough", access.ideal, access.ideal == 1 ? "is" : "are");
}

std::string access_text(const NamedAccess& site, const vgpu::RecordedAccess& access,
                        const Terminal& terminal) {
  std::string text;
  const std::string headline = printable(access_headline(site, access), terminal.unicode);
  for (const std::string& line : wrap(headline, terminal.width)) text += line + "\n";
  return text + (is_shared(site) ? banks_text(site, access, terminal) : sectors_text(site, access));
}

}  // namespace grader
