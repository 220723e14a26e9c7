#include "lab/facts.hpp"

#include "catch.hpp"

namespace facts_test {

using namespace grader;

namespace {

Lab lab() {
  Lab made;
  made.workload = "tiled_matmul";
  made.sources = {"tiled_matmul.cu"};
  made.rules.allow_symbols = {"getenv", "time"};
  return made;
}

Case one() {
  Case made;
  made.entry = "tiled_matmul";
  made.workload = {{"m", 1}, {"k", 2}};
  made.seed = 7;
  return made;
}

}  // namespace

TEST_CASE("facts of a run change the digest of the lab, the rubric does not") {
  Lab other = lab();
  other.title = "another";
  other.tasks.resize(2);
  other.cases.resize(1);
  other.rules.allow_symbols = {"time", "getenv"};
  CHECK(facts_sha256(other) == facts_sha256(lab()));
  other.rules.allow_symbols = {"time"};
  CHECK(facts_sha256(other) != facts_sha256(lab()));
  other = lab();
  other.rules.forbid_libraries.clear();
  CHECK(facts_sha256(other) != facts_sha256(lab()));
  other = lab();
  other.workload = "reduction";
  CHECK(facts_sha256(other) != facts_sha256(lab()));
}

TEST_CASE("facts of a run change the digest of a case, and name, seed and visibility do not") {
  Case other = one();
  other.name = "another";
  other.seed = 8;
  other.visibility = Visibility::hidden;
  CHECK(facts_sha256(other) == facts_sha256(one()));
  other.workload["k"] = 3;
  CHECK(facts_sha256(other) != facts_sha256(one()));
  other = one();
  other.device["max_threads_per_block"] = 64;
  CHECK(facts_sha256(other) != facts_sha256(one()));
}

}  // namespace facts_test
