#include "schedule/item_list.hpp"

#include "catch.hpp"

namespace item_list_test {

using namespace grader;

using Items = std::vector<std::size_t>;

TEST_CASE("lists of items are short and read back") {
  CHECK(item_list_text({0, 1, 2, 3, 4, 9}) == "0-4,9");
  CHECK(item_list_text({7}) == "7");
  CHECK(item_list_text({}).empty());
  for (const Items& items : {Items{0}, Items{0, 1, 2, 3, 4, 9}, Items{1, 3, 5, 6}})
    CHECK(*parse_item_list(item_list_text(items), 10) == items);
  CHECK(*parse_item_list("5,1-3,2", 10) == Items{1, 2, 3, 5});
}

TEST_CASE("text that is not a list of items is refused") {
  for (const char* text :
       {"", ",", "1,", "a", "1-", "-1", "3-1", "1-2-3", "0x1", "99999999999999999999", "10", "2-10"})
    CHECK_FALSE(parse_item_list(text, 10));
}

}  // namespace item_list_test
