#include "report/health_text.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "report/sample.hpp"

using namespace grader;

TEST_CASE("doctor's lines are as approved: piped, narrow, ASCII, coloured") {
  CHECK(testing::changed_goldens("doctor", testing::golden, [](const Terminal& terminal) {
          return health_text({Health::ok, "compiler", "nvcc 13.0.88, /usr/local/cuda/bin/nvcc", ""},
                             terminal) +
                 health_text({Health::warn, "sandbox",
                              "user namespaces are not available; `check` works, `grade` does not",
                              "ask the operator of this machine for user namespaces"},
                             terminal) +
                 health_text({Health::missing, "kit", "no labs in ~/数据/kit", "unpack the archive again"},
                             terminal);
        }) == testing::kNoChange);
}
