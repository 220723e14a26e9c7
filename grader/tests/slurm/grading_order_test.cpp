#include "catch.hpp"
#include "slurm/grade_on_slurm.hpp"

namespace grading_order_test {

using namespace grader;

TEST_CASE("items of one lab are together, and within a lab those of one source") {
  Manifest manifest;
  for (const auto& [lab, source] : std::vector<std::pair<std::string, std::string>>{
           {"01", "a"}, {"02", "x"}, {"01", "b"}, {"02", "y"}, {"01", "a"}, {"02", "x"}})
    manifest.items.push_back({.lab = lab, .source_sha256 = source});
  CHECK(slurm::grading_order(manifest, {0, 1, 2, 3, 4, 5}) == std::vector<std::size_t>{0, 4, 2, 1, 5, 3});
  CHECK(slurm::grading_order(manifest, {2, 3, 4}) == std::vector<std::size_t>{2, 4, 3});
  CHECK(slurm::grading_order(manifest, {}).empty());
}

}  // namespace grading_order_test
