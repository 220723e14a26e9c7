#include "schedule/journal.hpp"

#include <csignal>

#include <sys/resource.h>

#include "base/files.hpp"
#include "catch.hpp"

namespace journal_test {

using namespace grader;
using testing::contains;

namespace {

std::string text_of(const std::filesystem::path& file) { return *read_file(file, 1 << 20U); }

/// Makes files larger than `bytes` fail with "File too large", as a full disk would, until the end of the
/// scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a journal only grows") {
  const TemporaryFolder folder("journal");
  const auto file = folder.path() / "journal.jsonl";
  for (const char* line : {"{\"a\":1}", "{\"b\":2}"}) {
    auto journal = Journal::open(file);
    REQUIRE(journal);
    CHECK(journal->append(line));
  }
  CHECK(text_of(file) == "{\"a\":1}\n{\"b\":2}\n");
}

TEST_CASE("a second run cannot open the journal of a first that is still running") {
  const TemporaryFolder folder("journal");
  auto first = Journal::open(folder.path() / "journal.jsonl");
  REQUIRE(first);
  const auto second = Journal::open(folder.path() / "journal.jsonl");
  REQUIRE_FALSE(second);
  CHECK(second.error().code == "WG-G22");
}

TEST_CASE("a journal that cannot be created is reported with the reason") {
  const auto journal = Journal::open("/proc/no/journal.jsonl");
  REQUIRE_FALSE(journal);
  CHECK(journal.error().code == "WG-G21");
  CHECK_THAT(journal.error().what, contains("No such file"));
}

TEST_CASE("a line that does not fit is removed completely") {
  const TemporaryFolder folder("journal");
  const auto file = folder.path() / "journal.jsonl";
  auto journal = Journal::open(file);
  REQUIRE(journal);
  REQUIRE(journal->append("{\"a\":1}"));
  {
    const FileSizeLimit limit(20);
    const auto refused = journal->append(std::string(100, 'x'));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "WG-G21");
  }
  CHECK(text_of(file) == "{\"a\":1}\n");
}

}  // namespace journal_test
