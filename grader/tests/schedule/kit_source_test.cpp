#include "schedule/kit_source.hpp"

#include "base/sealed_text.hpp"
#include "catch.hpp"

namespace kit_source_test {

using namespace grader;

TEST_CASE("a sealed program of the kit can be compiled while its object exists") {
  const TemporaryFolder folder("kit");
  const auto source = folder.path() / "naive.cu";
  CHECK(KitSource(source).path() == source);  // neither file: the reader reports what is missing
  REQUIRE(write_file_atomically(folder.path() / "naive.sealed", sealed("// the baseline")));
  std::filesystem::path copy;
  {
    const KitSource unsealed(source);
    copy = unsealed.path();
    CHECK(*read_file(copy, 100) == "// the baseline");
    CHECK(copy.filename() == "naive.cu");
  }
  CHECK_FALSE(std::filesystem::exists(copy));
  REQUIRE(write_file_atomically(source, "// newer"));
  CHECK(KitSource(source).path() == source);
}

}  // namespace kit_source_test
