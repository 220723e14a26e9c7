#include "slurm/options.hpp"

#include "catch.hpp"

namespace options_test {

using namespace grader::slurm;
using testing::contains;

TEST_CASE("options of the site are taken as they are") {
  const auto options =
      read_site_options({"partition=gpu", "time=1-00:30", "gres=gpu:h100:1", "constraint=a&(b|c)"});
  REQUIRE(options);
  CHECK(*options ==
        SiteOptions{
            {"partition", "gpu"}, {"time", "1-00:30"}, {"gres", "gpu:h100:1"}, {"constraint", "a&(b|c)"}});
  CHECK(read_site_options({})->empty());
}

TEST_CASE("options that are not for Slurm are refused, with a suggestion") {
  const auto problem = [](const std::vector<std::string>& words) {
    const auto options = read_site_options(words);
    REQUIRE_FALSE(options);
    CHECK(options.error().code.empty());
    CHECK_THAT(options.error().next_step, contains("partition"));
    return options.error().what;
  };
  CHECK_THAT(problem({"partitoin=gpu"}), contains("`partitoin`") && contains("did you mean `partition`"));
  CHECK_THAT(problem({"output=/etc/passwd"}), contains("`output`"));
  CHECK_THAT(problem({"--wrap=rm"}), contains("--wrap"));
  CHECK_THAT(problem({"partition"}), contains("needs a value"));
  CHECK_THAT(problem({"partition="}), contains("needs a value"));
  CHECK_THAT(problem({"time=1 day"}), contains("needs a value"));
  CHECK_THAT(problem({"qos=a\nb"}), contains("needs a value"));
  CHECK_THAT(problem({"qos=" + std::string(201, 'a')}), contains("200"));
  CHECK_THAT(problem({"qos=a", "qos=b"}), contains("twice"));
}

}  // namespace options_test
