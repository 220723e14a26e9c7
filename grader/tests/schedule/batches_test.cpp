#include "schedule/batches.hpp"

#include "catch.hpp"

namespace batches_test {

using grader::BatchCase;
using grader::batches_of;
using Batches = std::vector<std::vector<std::size_t>>;

const BatchCase kAdd{"add"}, kSum{"sum"}, kLookingSum{"sum", true};

TEST_CASE("cases of one function share a process") {
  CHECK(batches_of({kAdd, kSum, kAdd, kSum, kSum}) == Batches{{1, 3, 4}, {0, 2}});
}

TEST_CASE("a function's only case and cases with a process of their own are in no batch") {
  CHECK(batches_of({kAdd, std::nullopt, kSum, kSum, std::nullopt}) == Batches{{2, 3}});
  CHECK(batches_of({}).empty());
}

TEST_CASE("a process begins with a case that looks for state, if there is one") {
  CHECK(batches_of({kSum, kLookingSum, kSum}) == Batches{{1, 0, 2}});
  CHECK(batches_of({kSum, kLookingSum, kSum, kLookingSum}) == Batches{{1, 0, 2, 3}});
  CHECK(batches_of({kLookingSum, kLookingSum}) == Batches{{0, 1}});
}

}  // namespace batches_test
