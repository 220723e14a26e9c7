#include "schedule/batches.hpp"

#include "catch.hpp"

namespace batches_test {

using grader::batches_of;
using Batches = std::vector<std::vector<std::size_t>>;

TEST_CASE("cases of one function share a process") {
  CHECK(batches_of({"add", "sum", "add", "sum", "sum"}) == Batches{{1, 3, 4}, {0, 2}});
}

TEST_CASE("a function's only case and cases with a process of their own are in no batch") {
  CHECK(batches_of({"add", std::nullopt, "sum", "sum", std::nullopt}) == Batches{{2, 3}});
  CHECK(batches_of({}).empty());
}

}  // namespace batches_test
