// Tests the values of the counter table, and that the handout shows the same table.
#include "vgpu/facts/counter_table.hpp"

#include <set>

#include "base/files.hpp"
#include "catch.hpp"
#include "lab/change_counters.hpp"
#include "lab/run_counters.hpp"
#include "vgpu/cudart/device_side/program_counters.hpp"

using vgpu::Counters;
using vgpu::find_counter;

namespace {

double value(const char* name, const Counters& counters) {
  const auto* info = find_counter(name);
  REQUIRE(info != nullptr);
  return info->value(counters);
}

}  // namespace

TEST_CASE("names are unique, and every counter has a description") {
  std::set<std::string_view> names;
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(!info.definition.empty());
    CHECK(info.value(Counters{}) == 0);
  }
  CHECK(find_counter("sectors") == nullptr);
}

TEST_CASE("ratios have the values that their names state") {
  Counters counters;
  counters.warp_instructions = 10;
  counters.thread_instructions = 240;
  counters.global_loads = {2, 8, 160};
  counters.global_stores = {1, 4, 40};
  counters.shared_loads.requested_bytes = 640;
  counters.flops = 400;
  counters.cache.dram_read_bytes = 300;
  counters.cache.dram_write_bytes = 100;
  CHECK(value("active_lanes_per_instruction", counters) == 24);
  CHECK(value("global_load_sectors_per_request", counters) == 4);
  CHECK(value("global_load_transferred_bytes", counters) == 256);
  CHECK(value("dram_bytes", counters) == 400);
  CHECK(value("flops_per_dram_byte", counters) == 1);
  CHECK(value("flops_per_requested_byte", counters) == 2);
  CHECK(value("shared_load_reuse", counters) == 4);
}

TEST_CASE("the handout contains the current table") {
  const auto page = grader::read_file(WARPGRADE_SOURCE_DIR "/handout/student/counters.md", 1U << 20U);
  REQUIRE(page);
  const std::string begin = "<!-- counters: as `warpgrade explain counters` prints them -->\n\n";
  const std::size_t at = page->find(begin);
  REQUIRE(at != std::string::npos);
  CHECK(page->substr(at + begin.size()) ==
        vgpu::counter_table_markdown() + "\n" + vgpu::cudart::program_counter_markdown() + "\n" +
            grader::change_counter_markdown() + "\n" + grader::run_counter_markdown());
}
