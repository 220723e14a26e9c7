#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include "profile/access_picture.hpp"
#include "profile/access_use.hpp"
#include "profile/svg.hpp"

namespace grader {
namespace {

// Pixels. A lane and a word have the same width, so that the lanes of a coalesced access are above their
// words.
constexpr double kWordWidth = 25, kWordHeight = 20, kAccessLeft = 96, kAccessTop = 62, kAccessRight = 110;
constexpr double kLanesToMemory = 64;
constexpr std::size_t kWiredLines = 2;  ///< with more rows, lines from lanes to words would cover each other
constexpr std::size_t kMostLines = 32;

double x_of(std::size_t column) { return kAccessLeft + static_cast<double>(column) * kWordWidth; }

std::string lane_label(std::uint32_t lanes) {
  if (lanes == 0) return "";
  return std::to_string(std::countr_zero(lanes)) + (std::popcount(lanes) > 1 ? "+" : "");
}

void draw_lanes(Svg& svg, std::uint32_t active, double y) {
  svg.text(kAccessLeft - 10, y + 14, "lanes", "text", Svg::Anchor::end);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const bool is_on = (active >> lane & 1U) != 0;
    svg.rect(x_of(lane) + 1, y, kWordWidth - 2, kWordHeight, is_on ? "lane" : "off",
             is_on ? "" : "the lane does not take part");
    svg.text(x_of(lane) + kWordWidth / 2, y + 14, std::to_string(lane), is_on ? "ink small" : "faint small",
             Svg::Anchor::middle);
  }
}

/// Wires from lanes to the cells of a row that they access.
void draw_wires(Svg& svg, std::uint32_t lanes, std::size_t column, double from, double to) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    svg.line(x_of(static_cast<std::size_t>(std::countr_zero(rest))) + kWordWidth / 2, from,
             x_of(column) + kWordWidth / 2, to, "wire");
}

/// A row of 32 words: the sectors of one line of 128 bytes.
void draw_line(Svg& svg, const std::vector<SectorUse>& sectors, double y, bool has_wires) {
  for (std::size_t word = 0; word < 32; ++word)
    svg.rect(x_of(word) + 1, y, kWordWidth - 2, kWordHeight, "none");
  unsigned used = 0;
  for (const SectorUse& sector : sectors) {
    used += sector.used_words() * kWordBytes;
    const std::size_t first = sector.start / vgpu::kSectorBytes % kSectorsPerLine * kWordsPerSector;
    for (std::size_t word = 0; word < kWordsPerSector; ++word) {
      const std::uint32_t lanes = sector.lanes[word];
      svg.rect(x_of(first + word) + 1, y, kWordWidth - 2, kWordHeight, lanes != 0 ? "used" : "moved",
               lanes != 0 ? "lanes " + lane_list(lanes) : "moved, but not used");
      svg.text(x_of(first + word) + kWordWidth / 2, y + 14, lane_label(lanes), "ink small",
               Svg::Anchor::middle);
      if (has_wires) draw_wires(svg, lanes, first + word, kAccessTop + kWordHeight, y);
    }
  }
  svg.text(x_of(32) + 8, y + 14, fmt::format("{} of {} bytes", used, sectors.size() * vgpu::kSectorBytes),
           "faint small");
}

void draw_sector_legend(Svg& svg, double y, std::size_t left_out) {
  svg.rect(kAccessLeft, y, 14, 14, "used");
  svg.text(kAccessLeft + 20, y + 12, "used by the lane with the number", "text");
  svg.rect(kAccessLeft + 250, y, 14, 14, "moved");
  svg.text(kAccessLeft + 270, y + 12, "moved with the sector, but not used", "text");
  if (left_out > 0)
    svg.text(kAccessLeft + 520, y + 12, fmt::format("{} more rows are left out", left_out), "faint");
}

/// One row per 128 bytes of memory of which the access touches a part.
std::string sectors_svg(const NamedAccess& site, const vgpu::RecordedAccess& access) {
  constexpr std::uint64_t kLineBytes = kSectorsPerLine * vgpu::kSectorBytes;
  std::map<std::uint64_t, std::vector<SectorUse>> rows;
  for (const SectorUse& sector : sectors_of(access, site.bytes))
    rows[sector.start / kLineBytes].push_back(sector);
  const std::size_t shown = std::min(rows.size(), kMostLines);
  const double memory = kAccessTop + kWordHeight + kLanesToMemory;
  const double height = memory + static_cast<double>(shown) * (kWordHeight + 6) + 58;
  const std::string headline = access_headline(site, access);
  Svg svg(kAccessLeft + 32 * kWordWidth + kAccessRight, height, headline);
  svg.text(10, 24, headline, "text title");
  draw_lanes(svg, access.lanes, kAccessTop);
  svg.text(kAccessLeft - 10, memory - 8, "byte", "faint", Svg::Anchor::end);
  for (std::size_t sector = 0; sector < kSectorsPerLine; ++sector)
    svg.text(x_of(sector * kWordsPerSector) + 2, memory - 8, std::to_string(sector * vgpu::kSectorBytes),
             "faint small");
  auto row = rows.begin();
  for (std::size_t i = 0; i < shown; ++i, ++row) {
    const double y = memory + static_cast<double>(i) * (kWordHeight + 6);
    svg.text(kAccessLeft - 10, y + 14, fmt::format("+{}", (row->first - rows.begin()->first) * kLineBytes),
             "text", Svg::Anchor::end);
    draw_line(svg, row->second, y, rows.size() <= kWiredLines);
  }
  draw_sector_legend(svg, height - 24, rows.size() - shown);
  return svg.document();
}

/// One column per bank; the words of a bank below each other, in the wavefronts in which it delivers them.
std::string banks_svg(const NamedAccess& site, const vgpu::RecordedAccess& access) {
  const auto banks = banks_of(access, site.bytes);
  std::size_t rows = 1;
  for (const auto& bank : banks) rows = std::max(rows, bank.size());
  const double memory = kAccessTop + kWordHeight + kLanesToMemory;
  const double height = memory + static_cast<double>(rows) * (kWordHeight + 4) + 58;
  const std::string headline = access_headline(site, access);
  Svg svg(kAccessLeft + 32 * kWordWidth + 20, height, headline);
  svg.text(10, 24, headline, "text title");
  draw_lanes(svg, access.lanes, kAccessTop);
  svg.text(kAccessLeft - 10, memory - 8, "bank", "faint", Svg::Anchor::end);
  for (std::size_t bank = 0; bank < kBanks; ++bank) {
    svg.text(x_of(bank) + kWordWidth / 2, memory - 8, std::to_string(bank), "faint small",
             Svg::Anchor::middle);
    if (banks[bank].empty()) svg.rect(x_of(bank) + 1, memory, kWordWidth - 2, kWordHeight, "none");
    for (std::size_t row = 0; row < banks[bank].size(); ++row) {
      const std::uint32_t lanes = banks[bank][row].lanes;
      const double y = memory + static_cast<double>(row) * (kWordHeight + 4);
      svg.rect(x_of(bank) + 1, y, kWordWidth - 2, kWordHeight, row == 0 ? "used" : "conflict",
               fmt::format("word {}, lanes {}", banks[bank][row].word, lane_list(lanes)));
      svg.text(x_of(bank) + kWordWidth / 2, y + 14, lane_label(lanes), "ink small", Svg::Anchor::middle);
      if (row == 0) draw_wires(svg, lanes, bank, kAccessTop + kWordHeight, y);
    }
  }
  for (std::size_t row = 0; row < rows; ++row)
    svg.text(kAccessLeft - 10, memory + static_cast<double>(row) * (kWordHeight + 4) + 14,
             fmt::format("word {}", row + 1), "text", Svg::Anchor::end);
  const double legend = height - 24;
  svg.rect(kAccessLeft, legend, 14, 14, "used");
  svg.text(kAccessLeft + 20, legend + 12, "first word of the bank, for the lane with the number", "text");
  svg.rect(kAccessLeft + 380, legend, 14, 14, "conflict");
  svg.text(kAccessLeft + 400, legend + 12, "another word of the same bank: another wavefront", "text");
  return svg.document();
}

}  // namespace

std::string access_svg(const NamedAccess& site, const vgpu::RecordedAccess& access) {
  return site.space == vgpu::ptx::Space::shared ? banks_svg(site, access) : sectors_svg(site, access);
}

}  // namespace grader
