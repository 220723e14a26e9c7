#include "schedule/lazy.hpp"

#include <string>

#include "base/expected.hpp"
#include "catch.hpp"
#include "schedule/pool.hpp"

namespace lazy_test {

using namespace grader;

using Value = Expected<int, std::string>;

TEST_CASE("a value is computed once for all callers, and its address does not change") {
  Lazy<Value> lazy;
  std::atomic<int> made{0};
  const auto make = [&] { return Value(++made); };
  const Value& first = lazy.get(make);
  const std::atomic<bool> stop{false};
  run_jobs(8, 100, stop, [&](std::size_t) { lazy.get(make); });
  CHECK(made == 1);
  CHECK(&lazy.get(make) == &first);
  CHECK(*first == 1);
}

TEST_CASE("a failure is retried a limited number of times") {
  Lazy<Value> lazy;
  int made = 0;
  const auto fail = [&] { return ++made, Value(Unexpected{std::string("no memory")}); };
  for (int i = 0; i < 10; ++i) CHECK_FALSE(lazy.get(fail));
  CHECK(made == 3);
  Lazy<Value> other;
  const Value& failed = other.get(fail);
  CHECK(*other.get([] { return Value(7); }) == 7);
  CHECK_FALSE(failed);
}

}  // namespace lazy_test
