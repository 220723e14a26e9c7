#include "slurm/chunks.hpp"

#include "catch.hpp"

namespace chunks_test {

using namespace grader::slurm;

namespace {

Items first(std::size_t count) {
  Items items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(i);
  return items;
}

}  // namespace

TEST_CASE("items are distributed in order, and the last chunk can be smaller") {
  CHECK(chunks(first(7), 3) == std::vector<Items>{{0, 1, 2}, {3, 4, 5}, {6}});
  CHECK(chunks({9, 4}, 5) == std::vector<Items>{{4, 9}});
  CHECK(chunks({}, 5).empty());
}

TEST_CASE("tasks are large enough and few enough for the scheduler") {
  CHECK(items_per_task(1) == 5);
  CHECK(items_per_task(300) == 5);
  CHECK(chunks(first(10'000), items_per_task(10'000)).size() <= 500);
}

TEST_CASE("an item that was lost is graded with fewer others, then alone") {
  CHECK(items_per_retry(20, 0) == 20);
  CHECK(items_per_retry(20, 1) == 5);
  CHECK(items_per_retry(3, 1) == 1);
  CHECK(items_per_retry(20, 2) == 1);
  CHECK(items_per_retry(20, 3) == 1);
}

}  // namespace chunks_test
