// The whole profile, as text and as a page.
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "goldens.hpp"
#include "profile/profile_sample.hpp"
#include "profile/run_profile.hpp"

using namespace grader;
using namespace profile_sample;

namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns(line));
  return most;
}

}  // namespace

TEST_CASE("the text is as approved: wide, narrow, coloured, in ASCII") {
  RunProfile profile = sample_profile();
  const auto approved = [&](const std::string& name, const Terminal& terminal) {
    const auto text = profile_text(profile, terminal);
    CHECK(text == golden(name, text));
    return text;
  };
  CHECK(widest(approved("profile-120.txt", plain(120))) <= 120);
  CHECK(testing::changed_goldens("profile", golden, [&](const Terminal& terminal) {
          return profile_text(profile, terminal);
        }) == testing::kNoChange);
  CHECK(widest(profile_text(profile, plain(60))) <= 60);
  const auto simple = profile_text(profile, ascii());
  CHECK(std::all_of(simple.begin(), simple.end(), [](unsigned char c) { return c < 0x80; }));
  CHECK(simple.find('\x1b') == std::string::npos);
  profile.shows_ptx = true;
  CHECK_THAT(profile_text(profile, plain(120)), testing::contains("           ld.global.f32 %f1, [%rd4];\n"));
}

TEST_CASE("the counters have their ideals next to them, and deviations are marked in words") {
  const auto rows = measures_of(sample_profile().kernels.front());
  const auto row = [&](const std::string& name) {
    return *std::find_if(rows.begin(), rows.end(), [&](const Measure& one) { return one.name == name; });
  };
  CHECK((row("sectors per global load").yours == "32" && row("sectors per global load").ideal == "4"));
  CHECK(row("sectors per global store").is_ideal);
  CHECK((row("wavefronts per shared load").yours == "32" && !row("wavefronts per shared load").is_ideal));
  CHECK(row("divergent branches").yours == "50 %");
  CHECK(row("active lanes per instruction").yours == "28.16");
}

TEST_CASE("a value close to its ideal is not marked: a guard lets a few warps diverge") {
  KernelFacts kernel = sample_profile().kernels.front();
  kernel.longest.counters.branches = 100;
  const auto is_ideal = [&](std::uint64_t divergent) {
    kernel.longest.counters.divergent_branches = divergent;
    const auto rows = measures_of(kernel);
    return std::find_if(rows.begin(), rows.end(),
                        [](const Measure& one) { return one.name == "divergent branches"; })
        ->is_ideal;
  };
  CHECK(is_ideal(4));
  CHECK_FALSE(is_ideal(6));
}

TEST_CASE("the page is as approved, escapes all text, and permits neither script nor network") {
  RunProfile profile = sample_profile();
  profile.kernels.front().name = "k<script>alert(1)</script>";
  const auto page = profile_page(profile);
  CHECK(page == golden("profile.html", page));
  CHECK_THAT(page, testing::contains("default-src 'none'; style-src 'unsafe-inline'") &&
                       testing::contains("case &lt;64x64&gt;") && testing::contains("&lt;b&gt;&amp;?[31m"));
  CHECK_THAT(page, !testing::contains("<script") && !testing::contains("http-equiv=\"refresh") &&
                       !testing::contains("src="));
}

TEST_CASE("pictures have the names of their kernels, without characters that a path could misread") {
  RunProfile profile = sample_profile();
  profile.kernels.front().name = "../k";
  std::vector<std::string> names;
  for (const auto& [name, document] : profile_pictures(profile)) names.push_back(name);
  CHECK(names == std::vector<std::string>{"---k-access-3.svg", "---k-access-5.svg", "---k-divergence.svg",
                                          "roofline-lecture.svg", "timeline.svg"});
}

TEST_CASE("a run without a finished kernel says so") {
  RunProfile profile;
  profile.title = "nothing";
  describe(profile, {}, [](const std::string&) { return SourceText{}; });
  CHECK_THAT(profile_text(profile, plain()), testing::contains("No kernel ran to its end."));
  CHECK_THAT(profile_page(profile), testing::contains("No kernel ran to its end."));
}

TEST_CASE("launches of one kernel are added up, and the longest is described") {
  RunProfile profile = sample_profile();
  auto& launches = profile.run.programs.front().launches;
  launches.push_back(launches.front());
  launches.back().time.run_s = 50e-6;
  launches.back().grid = {99, 1, 1};
  describe(profile, {}, [](const std::string&) { return SourceText{}; });
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].launches == 2);
  CHECK(profile.kernels[0].longest.grid.x == 99);
  CHECK(profile.kernels[0].seconds == Approx(70e-6));
}

TEST_CASE("code in clang's own headers has no line of its own") {
  RunProfile profile = sample_profile();
  vgpu::LaunchRecord& launch = profile.run.programs.front().launches.front();
  for (const std::uint32_t number : {53U, 66U}) {
    vgpu::LineCounters own{"/usr/lib/clang/14/include/__clang_cuda_builtin_vars.h", number, {}};
    own.counters.warp_instructions = 5;
    launch.lines.push_back(own);
  }
  describe(profile, {}, [](const std::string&) { return SourceText{}; });
  REQUIRE(profile.kernels[0].lines.size() == 4);
  CHECK(profile.kernels[0].lines[0].line == 0);
  CHECK(profile.kernels[0].lines[0].counters.warp_instructions == 20);
}

TEST_CASE("the objectives of the case are compared, each counter once") {
  Lab lab;
  Task task;
  Objective objective;
  objective.counter = "global_load_sectors";
  objective.case_name = "one";
  objective.at_most = 4;
  objective.naive = 32;
  objective.solution = 4;
  objective.related = {{"barriers", 1, 2}};
  Objective other = objective;
  other.case_name = "two";
  task.objectives = {objective, objective, other};
  lab.tasks = {task};
  Score score;
  score.counters["one"] = {{"global_load_sectors", 8}, {"barriers", 3}};
  const auto compared = compared_counters(lab, score, "one");
  REQUIRE(compared.size() == 2);
  CHECK(compared[0].name == "global load sectors");
  CHECK((compared[0].yours == "8" && compared[0].naive == "32" && compared[0].limit == "≤ 4"));
  CHECK((compared[1].yours == "3" && compared[1].limit.empty()));
  CHECK(compared_counters(lab, score, "two").empty());
}
