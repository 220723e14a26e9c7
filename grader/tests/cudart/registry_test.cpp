// The size of device code that a compiler embedded in a program.
#include "vgpu/cudart/client/kernels/registry.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "catch.hpp"

namespace registry_test {

using vgpu::cudart::client::Registry;

namespace {

/// What a compiler passes to __cudaRegisterFatBinary.
struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const char* data = nullptr;
  const void* unused = nullptr;
};

/// The size that is found for an image in front of other data of the program.
std::size_t size_of(const std::string& image, std::string_view next) {
  const std::string memory = image + std::string(next) + std::string(64, '\x7f');
  const Wrapper wrapper{.data = memory.data()};
  Registry registry;
  return registry.add_binary(&wrapper)->size_bytes;
}

}  // namespace

TEST_CASE("PTX text ends before the next section, with a NUL or without") {
  using namespace std::string_view_literals;
  const std::string text =
      "//\n.version 7.5\n\t.file\t1 \"caf\xc3\xa9.cu\"\r\n.visible .entry k() { ret; }\n\n";
  CHECK(size_of(text, "\0"sv) == text.size());
  // clang 16: the section ends with the text, and .eh_frame_hdr follows.
  CHECK(size_of(text, "\x01\x1b\x03\x3b"sv) == text.size());
  CHECK(size_of("", "\0"sv) == 0);
}

TEST_CASE("a fat binary has the size that its header gives") {
  std::string image(16, '\0');
  const std::array<std::uint32_t, 4> header{0xba55ed50, 16U << 16U | 1U, 48, 0};
  std::memcpy(image.data(), header.data(), image.size());
  CHECK(size_of(image, std::string(48, 'x')) == 16 + 48);
}

}  // namespace registry_test
