#include "packing/public_lab.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"

namespace public_lab_test {

using namespace grader;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

/// 00-warm-up with these cases hidden.
class HiddenCases {
 public:
  explicit HiddenCases(const std::vector<std::string>& names, const std::string& visibility = "hidden")
      : folder_("lab") {
    Json json =
        Json::parse(*read_file(fs::path(WARPGRADE_SOURCE_DIR) / "labs/00-warm-up/lab.json", kMaxBytes));
    for (const std::string& name : names) json["cases"].at(name)["visibility"] = visibility;
    text_ = json.dump();
    fs::create_directory(folder());
    REQUIRE(write_file_atomically(folder() / "lab.json", text_));
  }

  std::string shown() const { return public_lab_json(*load_lab(folder()), text_); }
  /// The lab as students get it; it must be valid.
  Lab shown_lab() const {
    REQUIRE(write_file_atomically(folder() / "lab.json", shown()));
    auto lab = load_lab(folder());
    if (!lab) FAIL(lab.error().what);
    return *std::move(lab);
  }
  const std::string& text() const { return text_; }

 private:
  fs::path folder() const { return folder_.path() / "00-warm-up"; }

  TemporaryFolder folder_;
  std::string text_;
};

}  // namespace

TEST_CASE("a lab without hidden cases stays as it is") {
  const HiddenCases none({});
  CHECK(none.shown() == none.text());
}

TEST_CASE("hidden cases leave no trace in the public lab") {
  for (const char* visibility : {"hidden", "after_due_date", "after_published"}) {
    const HiddenCases hidden({"n-524832", "block-64"}, visibility);
    const std::string shown = hidden.shown();
    CHECK(shown.find("n-524832") == std::string::npos);
    CHECK(shown.find("block-64") == std::string::npos);
    CHECK(shown.find("524832") == std::string::npos);
    const Lab lab = hidden.shown_lab();
    CHECK(lab.find_case("n-257") != nullptr);
    CHECK(lab.max_points() == 100);
  }
}

TEST_CASE("a task that only hidden cases check is removed") {
  const HiddenCases hidden({"n-131072"});  // geometry and speed
  const Lab lab = hidden.shown_lab();
  CHECK(lab.find_task("geometry") == nullptr);
  CHECK(lab.find_task("speed") == nullptr);
  CHECK(lab.find_task("errors") != nullptr);
  CHECK(lab.max_points() == 75);
}

}  // namespace public_lab_test
