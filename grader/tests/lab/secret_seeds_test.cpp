#include "lab/secret_seeds.hpp"

#include <set>

#include "catch.hpp"
#include "lab/lab_fixture.hpp"
#include "lab/workload.hpp"

namespace secret_seeds_test {

namespace {

using grader::Lab;
using grader::read_secret_seeds;
using grader::SecretSeeds;
using testing::contains;

const std::string kSecret = "0123456789abcdef";

Lab lab_with_public_case() {
  auto lab = testing::small_lab();
  lab["cases"]["odd"]["public"] = true;
  return testing::loaded(lab);
}

TEST_CASE("a case has a visibility for exports, and unknown words are refused") {
  auto lab = testing::small_lab();
  lab["cases"]["odd"]["visibility"] = "after_due_date";
  CHECK(testing::loaded(lab).find_case("odd")->visibility == grader::Visibility::after_due_date);
  CHECK(testing::loaded(lab).find_case("square")->visibility == grader::Visibility::visible);
  lab["cases"]["odd"]["visibility"] = "never";
  const testing::LabFolder folder(lab.dump());
  CHECK_THAT(grader::load_lab(folder.path()).error().what, contains("visibility"));
}

TEST_CASE("every case that is not public gets another seed, a public case keeps its own") {
  const Lab before = lab_with_public_case();
  const Lab after = SecretSeeds(kSecret).applied_to(before);
  REQUIRE(after.cases.size() == before.cases.size());
  for (std::size_t i = 0; i < after.cases.size(); ++i) {
    const bool is_public = after.cases[i].name == "odd";
    INFO(after.cases[i].name);
    CHECK(before.cases[i].is_public == is_public);
    CHECK((after.cases[i].seed == before.cases[i].seed) == is_public);
    CHECK(after.cases[i].has_secret_seed == !is_public);
  }
}

TEST_CASE("another seed changes all inputs, but not their sizes") {
  const Lab before = lab_with_public_case();
  const Lab after = SecretSeeds(kSecret).applied_to(before);
  const auto old_job = *make_job(before, *before.find_case("square"));
  const auto new_job = *make_job(after, *after.find_case("square"));
  for (std::size_t i = 0; i < old_job.inputs.size(); ++i) {
    CHECK(old_job.inputs[i].shape == new_job.inputs[i].shape);
    CHECK(old_job.inputs[i].values != new_job.inputs[i].values);
  }
}

TEST_CASE("seeds are the same on every machine, and differ by file, lab and case") {
  // Computed with Python's hashlib.
  CHECK(SecretSeeds(kSecret).seed("02-tiled-matmul", "one") == 16036191470365394694U);
  CHECK(SecretSeeds(kSecret).fingerprint() == "3f0077a4cff49cfd");
  std::set<std::uint64_t> seeds;
  for (const std::string& secret : {kSecret, kSecret + "\n"})
    for (const char* lab : {"a", "b"})
      for (const char* one : {"a", "b"}) seeds.insert(SecretSeeds(secret).seed(lab, one));
  CHECK(seeds.size() == 8);
  CHECK(SecretSeeds(kSecret).fingerprint() != SecretSeeds(kSecret + "\n").fingerprint());
}

TEST_CASE("a seed file that is missing, too short or too long is WG-G26") {
  const grader::TemporaryFolder folder("seed-test");
  const auto file = folder.path() / "seed";
  CHECK(read_secret_seeds(file).error().code == "WG-G26");
  REQUIRE(grader::write_file_atomically(file, "too short"));
  CHECK_THAT(read_secret_seeds(file).error().what,
             contains("has 9 bytes, but a seed file needs at least 16"));
  REQUIRE(grader::write_file_atomically(file, std::string(5000, 'x')));
  CHECK(read_secret_seeds(file).error().code == "WG-G26");
  REQUIRE(grader::write_file_atomically(file, kSecret));
  CHECK(read_secret_seeds(file)->seed("a", "b") == SecretSeeds(kSecret).seed("a", "b"));
}

}  // namespace

}  // namespace secret_seeds_test
