#include "policy/machine_code.hpp"

#include "catch.hpp"
#include "tests/policy/objects.hpp"

using grader::policy::find_system_call;
using testing::bytes_of;

TEST_CASE("instructions that call the operating system are found with their offsets") {
  const auto found = find_system_call(bytes_of(std::string("\xb8\x01\x00\x00\x00\x0f\x05\xc3", 8)));
  REQUIRE(found);
  CHECK(found->offset == 5);
  CHECK(found->instruction == "syscall");
  CHECK(find_system_call(bytes_of("\xcd\x80"))->instruction == "int");
  CHECK(find_system_call(bytes_of("\x0f\x34"))->instruction == "sysenter");
}

TEST_CASE("the same bytes inside another instruction are not reported") {
  // mov eax, 0x0000050f
  CHECK_FALSE(find_system_call(bytes_of(std::string("\xb8\x0f\x05\x00\x00\xc3", 6))));
  CHECK_FALSE(find_system_call(bytes_of("")));
}

TEST_CASE("bytes that are not an instruction do not end the search") {
  CHECK(find_system_call(bytes_of(std::string("\x06\x06\x90\x90\x90\x90\x90\x0f\x05", 9))));
}
