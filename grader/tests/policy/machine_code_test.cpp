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

TEST_CASE("bytes inside an instruction are reported if the code is seen to jump there") {
  // mov rax, imm64 with syscall; ret inside
  const std::string hidden("\x48\xb8\x90\x0f\x05\xc3\x90\x90\x90\x90\xc3", 11);
  CHECK_FALSE(find_system_call(bytes_of(hidden)));
  const std::uint64_t start[] = {0}, middle[] = {0, 3}, beyond[] = {99};
  CHECK_FALSE(find_system_call(bytes_of(hidden), start));
  CHECK_FALSE(find_system_call(bytes_of(hidden), beyond));
  const auto found = find_system_call(bytes_of(hidden), middle);
  REQUIRE(found);
  CHECK(found->offset == 3);
  // jmp, call and lea of a place in the operand, and a jump to the instruction itself
  CHECK(find_system_call(bytes_of(hidden + std::string("\xeb\xf6", 2))));
  CHECK(find_system_call(bytes_of(hidden + std::string("\xe8\xf2\xff\xff\xff", 5))));
  CHECK(find_system_call(bytes_of(hidden + std::string("\x48\x8d\x05\xf1\xff\xff\xff", 7))));
  CHECK_FALSE(find_system_call(bytes_of(hidden + std::string("\xeb\xf3", 2))));
  CHECK_FALSE(find_system_call(bytes_of(hidden + std::string("\x48\x8d\x05\xee\xff\xff\xff", 7))));
}

TEST_CASE("code that only overlaps other code is followed through its own jumps") {
  // mov eax, imm32 whose operand is a jump into the next operand, which is the system call
  const std::string chain("\xb8\xeb\x04\x00\x00\x00\xb8\x90\x0f\x05\x00\xc3", 12);
  CHECK_FALSE(find_system_call(bytes_of(chain)));
  const std::uint64_t entry[] = {1};
  CHECK(find_system_call(bytes_of(chain), entry));
}
