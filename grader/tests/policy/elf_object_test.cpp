// Objects are untrusted bytes: reading them never accesses memory outside the file, whatever the bytes are.
#include "policy/elf_object.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include <elf.h>

#include "catch.hpp"
#include "policy/policy.hpp"
#include "tests/policy/objects.hpp"

using namespace grader::policy;
using testing::bytes_of;
using testing::contains;

TEST_CASE("an object's definitions, imports and relocations are read") {
  const std::string file = testing::small_object();
  const auto object = read_elf_object(bytes_of(file));
  REQUIRE(object);
  const auto named = [&](std::string_view name) {
    for (const Symbol& one : object->symbols)
      if (one.name == name) return &one;
    return static_cast<const Symbol*>(nullptr);
  };
  REQUIRE(named("entry") != nullptr);
  CHECK_FALSE(named("entry")->is_import());
  REQUIRE(named("fopen") != nullptr);
  CHECK(named("fopen")->is_import());
  CHECK(object->function_at(named("entry")->section, 2) == named("entry"));
  CHECK(object->function_at(named("entry")->section, 1000) == nullptr);
}

TEST_CASE("a file that is not an object for this machine is refused with a reason") {
  CHECK_THAT(read_elf_object(bytes_of("")).error(), contains("shorter than a header"));
  CHECK_THAT(read_elf_object(bytes_of(std::string(100, 'x'))).error(), contains("not a relocatable object"));
  std::string program = testing::small_object();
  program[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
  CHECK_THAT(read_elf_object(bytes_of(program)).error(), contains("not a relocatable object"));
}

TEST_CASE("every prefix of an object is read or refused, never overrun") {
  const std::string file = testing::small_object();
  for (std::size_t length = 0; length < file.size(); ++length) {
    // A copy of its own, so that a sanitizer detects an access one byte too far.
    const std::vector<std::byte> part(reinterpret_cast<const std::byte*>(file.data()),
                                      reinterpret_cast<const std::byte*>(file.data()) + length);
    CHECK_FALSE(read_elf_object(part));
  }
}

TEST_CASE("an object with any one byte changed is examined without harm") {
  const std::string file = testing::small_object();
  const Rules rules{.entries = {"entry"}};
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int value : {0x00, 0x7F, 0xFF}) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(changed.data()),
                                         reinterpret_cast<const std::byte*>(changed.data()) + changed.size());
      examine_object(bytes, {"", "a.cu"}, rules);
    }
  SUCCEED();
}
