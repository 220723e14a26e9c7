#include "report/exactness.hpp"

#include "catch.hpp"
#include "report/check_text.hpp"
#include "report/result_reader.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

using namespace grader;

TEST_CASE("the line names functions, their place, and what a result can reach") {
  vgpu::Approximations found;
  CHECK(exactness_text(found) == "exact: no approximate function");
  found.functions = {{"ex2.approx.f32", 1, {"/src/a.cu", 5}}, {"div.full.f32", 3, {"/src/a.cu", 7}}};
  CHECK(exactness_text(found) ==
        "approximate: ex2.approx.f32 (a.cu:5), div.full.f32 (3 times, first in a.cu:7); no result reaches a "
        "branch, an address or a barrier");
  found.branch = {"/src/a.cu", 9};
  found.barrier = {"/src/a.cu", 11};
  CHECK_THAT(exactness_text(found),
             testing::contains("; a result can reach a branch (a.cu:9), a barrier (a.cu:11)"));
}

TEST_CASE("with several kernels, only those that approximate are named") {
  vgpu::cudart::SessionReport program;
  vgpu::LaunchRecord exact, approximate;
  exact.kernel = "_Z5exactv";
  exact.approximations = std::make_shared<const vgpu::Approximations>();
  approximate.kernel = "_Z4fastv";
  vgpu::Approximations found;
  found.functions = {{"rcp.approx.f32", 1, {"", 0}}};
  approximate.approximations = std::make_shared<const vgpu::Approximations>(found);
  program.launches = {exact, exact};
  CHECK(exactness_lines({program}) == std::vector<std::string>{"exact: no approximate function"});
  program.launches.push_back(approximate);
  const auto lines = exactness_lines({program});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], testing::contains("fast is approximate: rcp.approx.f32 (no line)"));
  CHECK(exactness_lines(std::vector<vgpu::cudart::SessionReport>{}).empty());
}

TEST_CASE("check and result.json have the kernels that are not exact") {
  Result result = testing::accepted_result();
  const auto page = [&] {
    return check_text(testing::sample_lab(), result, {"labs/02-tiled-matmul/other.cu", ""},
                      testing::plain(200));
  };
  result.score.inexact.emplace();
  CHECK_THAT(page(), !testing::contains("arithmetic"));
  CHECK_THAT(result_json(result), testing::contains("\"inexact_kernels\": []"));
  vgpu::Approximations found;
  found.functions = {{"ex2.approx.f32", 1, {"tiled_matmul.cu", 5}}};
  found.branch = {"tiled_matmul.cu", 9};
  result.score.inexact = {{"blur", found}};
  CHECK_THAT(page(),
             testing::contains("  arithmetic: blur is approximate: ex2.approx.f32 (other.cu:5); a result "
                               "can reach a branch (other.cu:9)\n"));
  const auto read = parse_result(result_json(result));
  REQUIRE(read.has_value());
  CHECK(read->score.inexact == result.score.inexact);
  auto problems = SchemaCheck::of("result.schema.json").problems(nlohmann::json::parse(result_json(result)));
  std::erase_if(problems, [](const std::string& one) { return one.starts_with("/provenance/"); });
  CHECK(problems == std::vector<std::string>{});
  result.score.inexact = std::vector<InexactKernel>(5, {"blur", found});
  CHECK_THAT(page(), testing::contains("  arithmetic: 2 more kernels are approximate\n"));
}
