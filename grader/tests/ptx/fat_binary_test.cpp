// Valid and damaged fat binaries, built here byte by byte; those of nvcc if it is found.

#include "vgpu/ptx/fat_binary.hpp"

#include "ptx/fat_images.hpp"
#include "ptx/ptx_text.hpp"

using namespace vgpu::ptx;
using namespace testing;

namespace {

const std::string kText = ".version 7.5\n.target sm_80\n.address_size 64\n" + std::string(500, '\n');

std::string extracted(const std::string& image) {
  auto text = extract_ptx(bytes_of(image));
  if (!text) FAIL(text.error());
  return *std::move(text);
}

std::string refusal(const std::string& image) {
  const auto text = extract_ptx(bytes_of(image));
  if (text) FAIL("the image gives " << text->size() << " bytes of text");
  return text.error();
}

}  // namespace

TEST_CASE("PTX is extracted from a fat binary with any compression") {
  CHECK(extracted(fat_binary(member(plain(80, kText)))) == kText);
  CHECK(extracted(fat_binary(member(packed(kLz4, kText)))) == kText);
  CHECK(extracted(fat_binary(member(packed(kZstd, kText)))) == kText);
}

TEST_CASE("raw PTX ends at its NUL") {
  CHECK(extracted(kText) == kText);
  CHECK(extracted("\n// made by clang\n.version 7.5" + std::string(1, '\0') + "rest") ==
        "\n// made by clang\n.version 7.5");
}

TEST_CASE("the PTX member with the highest architecture is used") {
  const std::string machine_code = member({.kind = 2, .architecture = 120, .payload = "\177ELF"});
  CHECK(extracted(fat_binary(machine_code + member(plain(80, ".a")) + member(plain(90, ".b")) +
                             member(plain(75, ".c")))) == ".b");
}

TEST_CASE("machine code alone is refused, with advice") {
  const std::string members = member({.kind = 2, .architecture = 90}) +
                              member({.kind = 2, .architecture = 80}) +
                              member({.kind = 2, .architecture = 90});
  CHECK(refusal(fat_binary(members)) ==
        "the fat binary holds machine code for sm_80, sm_90 only, and no PTX; compile with -gencode "
        "arch=compute_80,code=compute_80");
  CHECK_THAT(refusal(fat_binary("")), testing::contains("the fat binary is empty"));
}

TEST_CASE("data other than device code is refused") {
  CHECK(refusal("") == "the device code is neither a fat binary nor PTX text");
  CHECK(refusal("\177ELF and so on, long enough for a header") ==
        "the device code is neither a fat binary nor PTX text");
  CHECK(refusal(fat_binary("").substr(0, 15)) == "the device code is neither a fat binary nor PTX text");
}

TEST_CASE("an unknown compression is refused, with its flags") {
  MemberSpec both = packed(kZstd, kText);
  both.flags = kZstd | kLz4;
  CHECK_THAT(refusal(fat_binary(member(both))),
             testing::contains("compressed in an unknown way (flags 0xa000)"));
  MemberSpec neither = packed(kZstd, kText);
  neither.flags = 0x11;
  CHECK_THAT(refusal(fat_binary(member(neither))),
             testing::contains("compressed in an unknown way (flags 0x11)"));
}

TEST_CASE("wrong sizes are refused") {
  const std::uint64_t flag = GENERATE(kLz4, kZstd);
  const auto with = [&](auto change) {
    MemberSpec spec = packed(flag, kText);
    change(spec);
    return refusal(fat_binary(member(spec)));
  };
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes -= 1; }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes += 1; }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes = 0; }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes = (std::uint64_t{64} << 20U) + 1; }),
             testing::contains("unpacks to 67108865 bytes; at most 67108864 are read"));
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes = UINT64_MAX; }),
             testing::contains("at most 67108864"));
  CHECK_THAT(with([](MemberSpec& s) { s.compressed_bytes = UINT32_MAX; }),
             testing::contains("compressed bytes in a member"));
  CHECK_THAT(with([](MemberSpec& s) { s.compressed_bytes -= 2; }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.payload.assign(s.payload.size(), '\xff'); }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.header_bytes = 0; }),
             testing::contains("has 0 bytes when it should have 64"));
  CHECK_THAT(with([](MemberSpec& s) { s.header_bytes = UINT32_MAX; }), testing::contains("is truncated"));
}

TEST_CASE("a payload size near 2^64 is refused") {
  std::string image = fat_binary(member(plain(80, kText)));
  put(image, 16 + 8, UINT64_MAX - 8);
  CHECK_THAT(refusal(image), testing::contains("is truncated"));
  put(image, 8, UINT64_MAX);
  CHECK_THAT(refusal(image), testing::contains("is truncated"));
}

TEST_CASE("a fat binary truncated at any byte is refused, and its size is not known") {
  const std::uint64_t flag = GENERATE(std::uint64_t{0}, kLz4, kZstd);
  const std::string whole = fat_binary(member({.kind = 2, .payload = "code"}) +
                                       member(flag == 0 ? plain(80, kText) : packed(flag, kText)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    CAPTURE(size);
    CHECK_FALSE(extract_ptx(bytes_of(part)));
    CHECK(image_size(bytes_of(part).data(), size) == 0);
  }
}

TEST_CASE("a fat binary with any byte changed is read without a memory error") {
  const std::uint64_t flag = GENERATE(std::uint64_t{0}, kLz4, kZstd);
  const std::string whole = fat_binary(member(flag == 0 ? plain(80, kText) : packed(flag, kText)));
  const std::size_t checked = std::min<std::size_t>(whole.size(), 300);
  for (std::size_t i = 0; i < checked; ++i) {
    for (const char c : {'\0', '\1', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = c;
      const auto text = extract_ptx(bytes_of(damaged));
      if (!text) CHECK_FALSE(text.error().empty());
      CHECK(image_size(bytes_of(damaged).data(), damaged.size()) <= damaged.size());
    }
  }
}

TEST_CASE("the size of an image is read from the image") {
  const std::string image = fat_binary(member(plain(80, kText)));
  const std::string longer = image + "something else";
  CHECK(image_size(bytes_of(longer).data(), longer.size()) == image.size());
  CHECK(image_size(bytes_of(image).data(), std::size_t{1} << 40U) == image.size());
  CHECK(image_size(bytes_of(kText).data(), std::size_t{1} << 40U) == kText.size());
  CHECK(image_size(bytes_of(kText).data(), 10) == 10);
  CHECK(image_size(nullptr, 100) == 0);
  const std::string other = "\177ELF and so on, long enough for a header";
  CHECK(image_size(bytes_of(other).data(), other.size()) == 0);
}

TEST_CASE("fat binaries of nvcc contain PTX that parses, with any compression", "[slow]") {
  const std::string mode = GENERATE("-no-compress", "--compress-mode=speed", "--compress-mode=size", "");
  const auto made = compiled("-lineinfo -gencode arch=compute_80,code=compute_80 " + mode);
  if (!made) return;
  CHECK(image_size(bytes_of(made->image).data(), made->image.size()) == made->image.size());
  CHECK(parsed(extracted(made->image)).functions.size() == 8);
}

TEST_CASE("a fat binary of nvcc with machine code alone is refused", "[slow]") {
  const auto made = compiled("-gencode arch=compute_90,code=sm_90");
  if (made) CHECK_THAT(refusal(made->image), testing::contains("holds machine code for sm_90 only"));
}
