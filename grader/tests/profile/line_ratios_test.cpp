#include "profile/line_ratios.hpp"

#include "catch.hpp"
#include "profile/profile_sample.hpp"

namespace line_ratios_test {

using namespace grader;
using profile_sample::sample_profile;

const LineCounters* find_line(const std::vector<LineCounters>& lines, std::uint32_t number) {
  for (const LineCounters& one : lines)
    if (one.line == number) return &one;
  return nullptr;
}

TEST_CASE("the lines of a file have shares of all instructions, and costs per request with their ideals") {
  const auto lines = lines_of_file(sample_profile().kernels, "transpose.cu");
  REQUIRE(lines.size() == 3);  // code without a line is left out, but counts for the shares
  const LineCounters* third = find_line(lines, 3);
  CHECK(third->share_percent == 50);
  CHECK(third->active_lanes == 32);
  CHECK(third->global_sectors == PerRequest{32, 4});
  CHECK(third->shared_passes == PerRequest{1, 1});
  CHECK_FALSE(third->global_sectors->is_ideal());
  CHECK(third->shared_passes->is_ideal());
  CHECK_FALSE(third->divergent_percent.has_value());
  const LineCounters* sixth = find_line(lines, 6);
  CHECK(sixth->active_lanes == 16);
  CHECK(sixth->divergent_percent == 50);
  CHECK_FALSE(sixth->global_sectors.has_value());
  CHECK_FALSE(sixth->shared_passes.has_value());
}

TEST_CASE("a line that several kernels execute is added up, and lines of other files are left out") {
  auto kernels = sample_profile().kernels;
  KernelFacts second = kernels.front();
  second.lines[1].global.loads = {64, 256, 256};
  second.lines[2].file = "/include/other.cuh";
  kernels.push_back(second);
  const auto lines = lines_of_file(kernels, "transpose.cu");
  CHECK(find_line(lines, 3)->share_percent == 50);
  CHECK(find_line(lines, 3)->global_sectors == PerRequest{18, 4});
  CHECK(find_line(lines, 5)->share_percent == 12.5);
  CHECK(lines_of_file(kernels, "absent.cu").empty());
}

TEST_CASE("more lines than a file of counters can hold are left out") {
  KernelFacts kernel;
  for (std::uint32_t i = 1; i <= kMaxCountedLines + 5; ++i) {
    LineFacts line;
    line.file = "a.cu";
    line.line = i;
    kernel.lines.push_back(line);
  }
  const auto lines = lines_of_file({kernel}, "a.cu");
  CHECK(lines.size() == kMaxCountedLines);
  CHECK(lines.front() == LineCounters{1, 0, {}, {}, {}, {}});
}

}  // namespace line_ratios_test
