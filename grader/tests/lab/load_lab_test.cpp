#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "lab/lab_fixture.hpp"

namespace load_lab_test {

namespace {

using grader::Diagnostic;
using grader::Lab;
using grader::load_lab;
using testing::contains;
using testing::Json;
using testing::LabFolder;
using testing::small_lab;

Diagnostic error_of(const LabFolder& folder) {
  const auto lab = load_lab(folder.path());
  REQUIRE_FALSE(lab);
  CHECK_FALSE(lab.error().next_step.empty());
  CHECK(lab.error().where->file == (folder.path() / "lab.json").string());
  return lab.error();
}

/// The error message for the small lab with the value at `pointer` replaced.
std::string refusal(const std::string& pointer, const Json& value) {
  Json lab = small_lab();
  lab[Json::json_pointer(pointer)] = value;
  const Diagnostic problem = error_of(LabFolder(lab));
  CHECK(problem.code == "WG-G02");
  return problem.what;
}

std::string refusal_without(const std::string& parent, const std::string& key) {
  Json lab = small_lab();
  lab[Json::json_pointer(parent)].erase(key);
  return error_of(LabFolder(lab)).what;
}

TEST_CASE("a lab is read with all values of the file") {
  const Lab lab = testing::loaded(small_lab());
  CHECK(lab.id == "07-small");
  CHECK(lab.workload == "tiled_matmul");
  CHECK(lab.sources == std::vector<std::string>{"small.cu"});
  CHECK(lab.max_points() == 100);
  REQUIRE(lab.tasks.size() == 3);
  CHECK(lab.tasks[0].title == "first");
  CHECK(lab.tasks[1].title == "Counters");
  CHECK(lab.tasks[1].objectives.at(0).at_most == 9);
  CHECK(lab.tasks[1].objectives.at(0).hint == "wait");
  CHECK(lab.tasks[2].needs == std::vector<std::string>{"first", "second"});
  CHECK(lab.tasks[2].speedup->case_on(grader::DeviceKind::cuda) == "large");
  CHECK(lab.tasks[2].speedup->case_on(grader::DeviceKind::virtual_gpu) == "square");
  CHECK(lab.tasks[2].speedup->on_virtual.solution == 4);
  REQUIRE(lab.cases.size() == 3);
  CHECK(lab.cases[0].entry == "tiled_matmul");
  CHECK(lab.cases[1].entry == "tiled_matmul_dynamic");
  CHECK(lab.cases[1].distribution == "mixed");
  CHECK(lab.cases[1].workload.at("k") == 5);
  CHECK(lab.cases[2].runs_on(grader::DeviceKind::cuda));
  CHECK_FALSE(lab.cases[2].runs_on(grader::DeviceKind::virtual_gpu));
  CHECK(lab.find_case("none") == nullptr);
  CHECK(lab.find_task("second") == &lab.tasks[1]);
}

TEST_CASE("a parameter with a default value can be omitted from a case") {
  Json lab = small_lab();
  lab["workload"] = "memory_types";
  for (auto& [name, one] : lab["cases"].items()) {
    one["workload"] = {{"width", 3}, {"height", 2}};
    one.erase("entry");
  }
  lab["cases"]["odd"]["workload"]["radius"] = 4;
  const Lab read = testing::loaded(lab);
  CHECK(read.find_case("square")->workload.at("radius") == 0);
  CHECK(read.find_case("square")->workload.at("images") == 1);
  CHECK(read.find_case("odd")->workload.at("radius") == 4);
  lab["cases"]["odd"]["workload"].erase("width");
  CHECK(error_of(LabFolder(lab)).code == "WG-G02");
}

TEST_CASE("a case changes only the listed properties of its device") {
  Json description = small_lab();
  description["cases"]["odd"]["device"]["multiprocessors"] = 32;
  description["cases"]["odd"]["device"]["compute_capability"] = 52;
  description["cases"]["odd"]["device"]["operations_before_failure"] = 3;
  CHECK_THAT(error_of(LabFolder(description)).what, contains("needs \"may_fail\": true"));
  description["cases"]["odd"]["may_fail"] = true;
  const Lab lab = testing::loaded(description);
  const vgpu::Profile base;
  CHECK(profile_for(*lab.find_case("odd"), base).shared_bytes_per_block == 2048);
  CHECK(profile_for(*lab.find_case("odd"), base).max_threads_per_block == base.max_threads_per_block);
  CHECK(profile_for(*lab.find_case("odd"), base).sm_count == 32);
  CHECK(profile_for(*lab.find_case("odd"), base).compute_major == 5);
  CHECK(profile_for(*lab.find_case("odd"), base).compute_minor == 2);
  CHECK_FALSE(profile_for(*lab.find_case("odd"), base).runs_later_code);
  CHECK(profile_for(*lab.find_case("odd"), base).operations_before_failure == 3);
  CHECK(profile_for(*lab.find_case("square"), base).runs_later_code);
  CHECK(profile_for(*lab.find_case("square"), base).sm_count == base.sm_count);
  CHECK(profile_for(*lab.find_case("square"), base).shared_bytes_per_block == base.shared_bytes_per_block);
}

TEST_CASE("a file that is not JSON is refused with line and column") {
  const Diagnostic problem = error_of(LabFolder(std::string("{\n  \"schema\": ,\n}")));
  CHECK(problem.code == "WG-G01");
  CHECK(problem.where->line == 2);
  CHECK_THAT(problem.what, contains("line 2, column 13"));
  CHECK(error_of(LabFolder(std::string())).code == "WG-G01");
  CHECK(error_of(LabFolder(std::string("\xff\xfe"))).code == "WG-G01");
  CHECK(error_of(LabFolder(std::string("{\"a\": 1e999}"))).code == "WG-G01");
  CHECK(error_of(LabFolder(std::string(200'000, '['))).code == "WG-G01");
}

TEST_CASE("a missing or oversized lab.json is WG-G04") {
  const grader::TemporaryFolder folder("lab-test");
  CHECK(load_lab(folder.path()).error().code == "WG-G04");
  CHECK_THAT(load_lab(folder.path()).error().what, contains("No such file"));
  CHECK(error_of(LabFolder(std::string(1'000'000, ' '))).code == "WG-G04");
}

TEST_CASE("a repeated key is refused with its path") {
  std::string text = small_lab().dump();
  text.replace(text.find("\"points\":40"), 11, "\"points\":40,\"points\":99");
  const Diagnostic problem = error_of(LabFolder(text));
  CHECK(problem.code == "WG-G02");
  CHECK(problem.what == "`tasks[0].points` is given twice");
}

TEST_CASE("unknown keys are refused everywhere, with a suggestion") {
  CHECK_THAT(refusal("/tiitle", "x"),
             contains("the file has the unknown key \"tiitle\"; did you mean `title`?"));
  CHECK_THAT(refusal("/tasks/0/point", 3),
             contains("`tasks[0]` has the unknown key \"point\"; did you mean `points`?"));
  CHECK_THAT(refusal("/tasks/1/objectives/0/at_mots", 3), contains("did you mean `at_most`?"));
  CHECK_THAT(refusal("/tasks/2/speedup/ful", 3), contains("`tasks[2].speedup` has the unknown key \"ful\""));
  CHECK_THAT(refusal("/tasks/2/speedup/cuda/ful", 3), contains("did you mean `full`?"));
  CHECK_THAT(refusal("/tasks/2/speedup/case/opencl", "odd"),
             contains("`tasks[2].speedup.case` has the unknown key"));
  CHECK_THAT(refusal("/cases/odd/sed", 3), contains("did you mean `seed`?"));
  CHECK_THAT(refusal("/cases/odd/workload/width", 3), contains("known: m, k, n"));
  CHECK_THAT(refusal("/cases/odd/device/shared_bytes", 3), contains("known: max_threads_per_block"));
}

TEST_CASE("missing keys are refused with their place") {
  CHECK(refusal_without("", "title") == "the file lacks the key \"title\"");
  CHECK(refusal_without("/tasks/0", "points") == "`tasks[0]` lacks the key \"points\"");
  CHECK(refusal_without("/cases/odd", "seed") == "`cases.odd` lacks the key \"seed\"");
  CHECK(refusal_without("/cases/odd/workload", "k") == "`cases.odd.workload` lacks the key \"k\"");
  CHECK_THAT(refusal_without("/tasks/0", "cases"), contains("checks nothing"));
}

TEST_CASE("values of a wrong type or out of range are reported with the allowed values") {
  CHECK(refusal("/schema", "warpgrade.lab/2") ==
        "`schema` is \"warpgrade.lab/2\" when it should be one of warpgrade.lab/1; did you mean "
        "`warpgrade.lab/1`?");
  CHECK(refusal("/tasks/0/points", "ten") ==
        "`tasks[0].points` is \"ten\" when it should be a number above 0");
  CHECK(refusal("/tasks/0/points", 0) == "`tasks[0].points` is 0 when it should be a number above 0");
  CHECK_THAT(refusal("/tasks", Json::object()), contains("when it should be an array"));
  CHECK_THAT(refusal("/tasks", Json::array()), contains("at least one task"));
  CHECK_THAT(refusal("/tasks/0", 7), contains("`tasks[0]` is 7 when it should be an object"));
  CHECK_THAT(refusal("/cases/odd/seed", -1), contains("an integer from 0 to 9007199254740991"));
  CHECK_THAT(refusal("/cases/odd/seed", 1.5), contains("an integer"));
  CHECK_THAT(refusal("/cases/odd/seed", 18446744073709551615ULL), contains("an integer"));
  CHECK_THAT(refusal("/cases/odd/distribution", "unifrom"), contains("did you mean `uniform`?"));
  CHECK_THAT(refusal("/cases/odd/earlier_calls", Json::array({{{"m", 0}}})),
             contains("`cases.odd.earlier_calls[0]`") && contains("m is 0 when it should be at least 1"));
  CHECK_THAT(refusal("/cases/odd/earlier_calls", Json::array({{{"rows", 3}}})), contains("rows"));
  CHECK_THAT(refusal("/cases/odd/may_fail", 1), contains("true or false"));
  CHECK_THAT(refusal("/cases/odd/rotations", 257), contains("an integer from 1 to 256"));
  CHECK_THAT(refusal("/cases/odd", {{"workload", {{"m", 1}, {"k", 1}, {"n", 1}}},
                                    {"seed", 1},
                                    {"earlier_calls", Json::array({Json::object()})},
                                    {"rotations", 8}}),
             contains("needs a case without earlier_calls"));
  CHECK_THAT(refusal("/cases/odd/only_on", "gpu"), contains("one of virtual, cuda"));
  CHECK_THAT(refusal("/cases/odd/entry", "tiled_matmull"), contains("did you mean `tiled_matmul`?"));
  CHECK_THAT(refusal("/cases/odd/device/shared_bytes_per_block", 50000),
             contains("an integer from 1 to 49152"));
  CHECK_THAT(refusal("/workload", "matmul"), contains("should be one of") && contains("tiled_matmul"));
  CHECK_THAT(refusal("/id", "08-other"), contains("the folder's name, \"07-small\""));
  CHECK_THAT(refusal("/title", "two\nlines"), contains("printable characters"));
}

TEST_CASE("a case must describe a problem that the workload supports") {
  CHECK(refusal("/cases/odd/workload/k", 0) ==
        "`cases.odd.workload` does not describe a problem: k is 0 when it should be at least 1");
  CHECK_THAT(refusal("/cases/odd/workload/m", 200000),
             contains("m is 200000 when it should be at most 100000"));
  CHECK_THAT(refusal("/cases/square/workload", {{"m", 1024}, {"k", 1024}, {"n", 1024}}),
             contains("m * k * n is 1073741824"));
}

TEST_CASE("values whose sums are infinite are refused where results are sums") {
  CHECK_THAT(refusal("/cases/square/distribution", "huge"), contains("whose sums are infinite"));
}

TEST_CASE("names must exist, be unique and be used") {
  CHECK(refusal("/tasks/0/cases/0", "sqare") ==
        "`tasks[0].cases[0]` names the case \"sqare\", which does not exist; did you mean `square`?");
  CHECK_THAT(refusal("/tasks/0/cases/1", "square"), contains("`tasks[0].cases[1]` repeats \"square\""));
  CHECK_THAT(refusal("/tasks/1/id", "first"), contains("an id that differs from those of all other tasks"));
  CHECK(refusal("/tasks/1/title", "first") == "`tasks[1].title` repeats the title of an earlier task");
  CHECK_THAT(refusal("/tasks/0/cases", {"square"}), contains("`cases.odd` is used by no task"));
  CHECK_THAT(refusal("/tasks/1/objectives/0/counter", "bariers"), contains("did you mean `barriers`?"));
  CHECK_THAT(refusal("/tasks/1/objectives/0/case", "large"),
             contains("does not run on the device \"virtual\""));
  CHECK_THAT(refusal("/tasks/0/id", "../first"), contains("a name of at most 64"));
  CHECK_THAT(refusal("/cases/..", {{"workload", {{"m", 1}, {"k", 1}, {"n", 1}}}, {"seed", 1}}),
             contains("needs a name"));
}

TEST_CASE("bonus tasks are the last tasks, and do not count for the maximum") {
  Json description = small_lab();
  CHECK_THAT(refusal("/tasks/0/bonus", true), contains("`tasks[1]` comes after a bonus task"));
  CHECK_THAT(refusal("/tasks/2/bonus", "yes"), contains("`tasks[2].bonus` is \"yes\""));
  const double all = testing::loaded(description).max_points();
  description["tasks"][2]["bonus"] = true;
  const Lab lab = testing::loaded(description);
  CHECK(lab.tasks[2].is_bonus);
  CHECK(lab.max_points() + lab.bonus_points() == all);
  CHECK(lab.bonus_points() == lab.tasks[2].points);
}

TEST_CASE("sources are plain .cu file names, exactly one") {
  CHECK_THAT(refusal("/sources", Json::array()), contains("a list of one file"));
  CHECK_THAT(refusal("/sources", {"a.cu", "b.cu"}), contains("a list of one file"));
  for (const char* name : {"../small.cu", "small.cpp", ".cu", "a b.cu", "-x.cu"})
    CHECK_THAT(refusal("/sources/0", name), contains("a file name of letters"));
}

TEST_CASE("a task can need only earlier tasks, so there are no cycles") {
  CHECK_THAT(refusal("/tasks/0/needs", {"second"}),
             contains("names the earlier task \"second\", which does not exist"));
  CHECK_THAT(refusal("/tasks/1/needs", {"second"}), contains("`tasks[1].needs[0]` names the earlier task"));
  CHECK_THAT(refusal("/tasks/1/needs", {"frist"}), contains("did you mean `first`?"));
}

TEST_CASE("a limit must be met by the solution and missed by the naive kernel") {
  CHECK_THAT(refusal("/tasks/1/objectives/0/solution", 10), contains("a value that meets the limit"));
  CHECK_THAT(refusal("/tasks/1/objectives/0/naive", 3), contains("a value that misses the limit"));
  CHECK_THAT(refusal("/tasks/1/objectives/0/required", 1), contains("true or false"));
  Json lab = small_lab();
  lab["tasks"][1]["objectives"][0]["naive"] = 3;
  lab["tasks"][1]["objectives"][0]["required"] = true;  // how a function works, which the naive one may do
  CHECK(testing::loaded(lab).tasks[1].objectives[0].is_required);
  lab["tasks"][1]["objectives"][0].erase("at_most");
  lab["tasks"][1]["objectives"][0].erase("at_least");
  CHECK_THAT(error_of(LabFolder(lab)).what, contains("needs \"at_most\" or \"at_least\""));
}

TEST_CASE(
    "limits in other cases are for the objective's function, met by the solution, missed by the naive "
    "kernel") {
  Json lab = small_lab();
  lab["cases"]["other"] = lab["cases"]["square"];
  lab["tasks"][0]["cases"].push_back("other");
  const Json good = {{"cases", {"other"}}, {"at_least", 1}, {"naive", 0}, {"solution", 3}};
  const auto with = [&](const std::string& key, const Json& value) {
    Json elsewhere = good;
    elsewhere[key] = value;
    lab["tasks"][1]["objectives"][0]["elsewhere"] = {elsewhere};
    return lab;
  };
  const auto read = testing::loaded(with("at_least", 2)).tasks[1].objectives[0].elsewhere;
  REQUIRE(read.size() == 1);
  CHECK(read[0].cases == std::vector<std::string>{"other"});
  CHECK(read[0].at_least == 2);
  CHECK(read[0].solution == 3);
  const auto refused = [&](const std::string& key, const Json& value) {
    return error_of(LabFolder(with(key, value))).what;
  };
  CHECK_THAT(refused("cases", {"square"}), contains("a case other than the objective's"));
  CHECK_THAT(refused("cases", {"odd"}), contains("a case of the objective's function, tiled_matmul"));
  CHECK_THAT(refused("cases", {"none"}), contains("names the case \"none\", which does not exist"));
  CHECK_THAT(refused("cases", Json::array()), contains("a list of at least one case"));
  CHECK_THAT(refused("naive", 4), contains("a value that misses the limit"));
  CHECK_THAT(refused("solution", 0), contains("a value that meets the limit"));
  CHECK_THAT(refused("at_lest", 1), contains("at_lest"));
}

TEST_CASE("speed thresholds must be in order") {
  CHECK_THAT(refusal("/tasks/2/speedup/virtual/half", 3.5), contains("less than \"full\" (3.5)"));
  CHECK_THAT(refusal("/tasks/2/speedup/virtual/solution", 3), contains("at least \"full\" (3.5)"));
  CHECK_THAT(refusal("/tasks/2/speedup/over", "mine"), contains("one of naive"));
}

TEST_CASE("a lab can allow symbols and forbid libraries") {
  CHECK(testing::loaded(small_lab()).rules.forbid_libraries == grader::policy::known_libraries());
  CHECK(testing::loaded(small_lab()).rules.entries.front() == "tiled_matmul");
  Json lab = small_lab();
  lab["allow_symbols"] = {"getenv", "_ZN4seed4readEv"};
  lab["forbid_libraries"] = {"thrust"};
  CHECK(testing::loaded(lab).rules.allow_symbols == std::vector<std::string>{"getenv", "_ZN4seed4readEv"});
  CHECK(testing::loaded(lab).rules.forbid_libraries == std::vector<std::string>{"thrust"});
  CHECK_THAT(refusal("/allow_symbols", {"a;b"}), contains("a symbol, as `nm` shows it"));
  CHECK_THAT(refusal("/forbid_libraries", {"boost"}), contains("boost"));
}

TEST_CASE("the rule for tasks whose needed tasks lost points") {
  Json lab = small_lab();
  CHECK(testing::loaded(lab).gates == grader::Gates::share);
  for (const auto& [word, gates] : {std::pair{"share", grader::Gates::share}, {"all", grader::Gates::all}}) {
    lab["gates"] = word;
    CHECK(testing::loaded(lab).gates == gates);
  }
  CHECK_THAT(refusal("/gates", "some"), contains("`gates` is \"some\""));
}

TEST_CASE("questions are read with their formulas, kinds and hints") {
  const Lab lab = testing::loaded(small_lab());
  REQUIRE(lab.questions.size() == 3);
  const grader::Question& bytes = lab.questions[0];
  CHECK(bytes.kind == grader::QuestionKind::number);
  CHECK(bytes.unit == "bytes");
  CHECK(bytes.tolerance == 0.1);
  CHECK(bytes.points == 2);
  CHECK(bytes.is_before_coding);
  CHECK(bytes.hints.size() == 2);
  CHECK(lab.questions[1].choices.size() == 4);
  CHECK(lab.questions[2].own.at("shared_bytes").counter == "barriers");
  CHECK(lab.questions[2].points == 1);
  CHECK(lab.find_question("own") == &lab.questions[2]);
  CHECK(lab.max_points() == 100);
}

TEST_CASE("a question without a computable truth is refused") {
  CHECK_THAT(refusal("/questions/0/truth", "tile-byte"), contains("did you mean `tile-bytes`"));
  CHECK_THAT(refusal("/questions/0/text", "How many bytes?"), contains("does not give the quantity {tile}"));
  CHECK_THAT(refusal("/questions/0/text", "{tile} and {width}?"), contains("names the quantity {width}"));
  CHECK_THAT(refusal("/questions/0/text", "{tile} and {"), contains("names the quantity"));
  CHECK_THAT(refusal("/questions/2/own/shared_bytes/counter", "barrier"),
             contains("which no objective uses"));
  CHECK_THAT(refusal("/questions/2/own/shared_bytes/case", "odd"), contains("which no objective uses"));
  CHECK_THAT(refusal("/questions/2/when", "before"), contains("student's own run"));
  CHECK_THAT(refusal_without("/questions/2", "own"), contains("own"));
  CHECK_THAT(refusal("/questions/0/own", {{"tile", {{"case", "square"}}}}), contains("questions[0].own"));
}

TEST_CASE("questions are unique, have hints, and choices to choose from") {
  CHECK_THAT(refusal("/questions/1/id", "bytes"), contains("differs from those of all other questions"));
  CHECK_THAT(refusal("/questions/0/hints", Json::array()), contains("at least one hint"));
  CHECK_THAT(refusal("/questions/1/choices", {"one"}), contains("2 to 8"));
  CHECK_THAT(refusal("/questions/0/tolerance", 1), contains("less than 1"));
  CHECK_THAT(refusal("/questions/0/points", 0), contains("points"));
  CHECK_THAT(refusal("/questions/0/kind", "essay"), contains("kind"));
}

TEST_CASE("labs are found in a folder") {
  const LabFolder folder(small_lab());
  std::filesystem::create_directory(folder.labs() / "include");
  const auto labs = grader::load_labs(folder.labs());
  REQUIRE(labs);
  REQUIRE(labs->size() == 1);
  CHECK(labs->front().id == "07-small");
  CHECK(grader::load_labs(folder.labs() / "none").error().code == "WG-G04");
}

TEST_CASE("a broken lab is reported, not skipped") {
  const LabFolder folder(std::string("{"));
  CHECK(grader::load_labs(folder.labs()).error().code == "WG-G01");
}

TEST_CASE("every lab of the kit loads, its points sum to 100, and its names survive a trailing slash") {
  const auto labs = grader::load_labs(std::filesystem::path(WARPGRADE_SOURCE_DIR) / "labs");
  REQUIRE(labs);
  CHECK_FALSE(labs->empty());
  for (const Lab& lab : *labs) {
    CHECK(lab.max_points() == 100);
    CHECK(load_lab(lab.folder.string() + "/").has_value());
  }
}

}  // namespace

}  // namespace load_lab_test
