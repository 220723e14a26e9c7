// Fat binaries put together here byte by byte, sound and damaged; those of nvcc where it is found.

#include "vgpu/ptx/fat_binary.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include <lz4.h>
#include <zstd.h>

#include "base/files.hpp"
#include "ptx/ptx_text.hpp"

using namespace vgpu::ptx;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
const std::string kText = ".version 7.5\n.target sm_80\n.address_size 64\n" + std::string(500, '\n');

struct MemberSpec {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 80;
  std::uint64_t flags = 0;
  std::string payload{};
  std::uint32_t compressed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::uint32_t header_bytes = 80;
};

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string member(MemberSpec spec) {
  spec.payload.resize((spec.payload.size() + 7) / 8 * 8);
  std::string header(80, '\0');
  put(header, 0, spec.kind);
  put(header, 2, std::uint16_t{0x0101});
  put(header, 4, spec.header_bytes);
  put(header, 8, static_cast<std::uint64_t>(spec.payload.size()));
  put(header, 16, spec.compressed_bytes);
  put(header, 28, spec.architecture);
  put(header, 40, spec.flags);
  put(header, 56, spec.unpacked_bytes);
  return header + spec.payload;
}

std::string fat_binary(const std::string& members) {
  std::string header(16, '\0');
  put(header, 0, std::uint32_t{0xBA55ED50});
  put(header, 4, std::uint16_t{1});
  put(header, 6, std::uint16_t{16});
  put(header, 8, static_cast<std::uint64_t>(members.size()));
  return header + members;
}

MemberSpec plain(std::uint32_t architecture, std::string text) {
  return {.architecture = architecture, .payload = std::move(text)};
}

MemberSpec packed(std::uint64_t flag, const std::string& text) {
  std::string bytes(flag == kLz4 ? static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size())))
                                 : ZSTD_compressBound(text.size()),
                    '\0');
  const std::size_t size =
      flag == kLz4
          ? static_cast<std::size_t>(LZ4_compress_default(
                text.data(), bytes.data(), static_cast<int>(text.size()), static_cast<int>(bytes.size())))
          : ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3);
  bytes.resize(size);
  return {.flags = flag | 0x11,
          .payload = bytes,
          .compressed_bytes = static_cast<std::uint32_t>(size),
          .unpacked_bytes = text.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

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

TEST_CASE("PTX comes out of a fat binary, however it was packed") {
  CHECK(extracted(fat_binary(member(plain(80, kText)))) == kText);
  CHECK(extracted(fat_binary(member(packed(kLz4, kText)))) == kText);
  CHECK(extracted(fat_binary(member(packed(kZstd, kText)))) == kText);
}

TEST_CASE("raw PTX is taken up to its NUL") {
  CHECK(extracted(kText) == kText);
  CHECK(extracted("\n// made by clang\n.version 7.5" + std::string(1, '\0') + "rest") ==
        "\n// made by clang\n.version 7.5");
}

TEST_CASE("of several PTX members that of the highest architecture is taken") {
  const std::string machine_code = member({.kind = 2, .architecture = 120, .payload = "\177ELF"});
  CHECK(extracted(fat_binary(machine_code + member(plain(80, ".a")) + member(plain(90, ".b")) +
                             member(plain(75, ".c")))) == ".b");
}

TEST_CASE("machine code alone is refused, with what to do") {
  const std::string members = member({.kind = 2, .architecture = 90}) +
                              member({.kind = 2, .architecture = 80}) +
                              member({.kind = 2, .architecture = 90});
  CHECK(refusal(fat_binary(members)) ==
        "the fat binary holds machine code for sm_80, sm_90 only, and no PTX; compile with -gencode "
        "arch=compute_80,code=compute_80");
  CHECK_THAT(refusal(fat_binary("")), testing::contains("the fat binary is empty"));
}

TEST_CASE("what is no device code is refused") {
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

TEST_CASE("sizes that lie are refused") {
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
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes = (std::uint64_t{16} << 20U) + 1; }),
             testing::contains("unpacks to 16777217 bytes; at most 16777216 are read"));
  CHECK_THAT(with([](MemberSpec& s) { s.unpacked_bytes = UINT64_MAX; }),
             testing::contains("at most 16777216"));
  CHECK_THAT(with([](MemberSpec& s) { s.compressed_bytes = UINT32_MAX; }),
             testing::contains("compressed bytes in a member"));
  CHECK_THAT(with([](MemberSpec& s) { s.compressed_bytes -= 2; }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.payload.assign(s.payload.size(), '\xff'); }),
             testing::contains("does not unpack to the size"));
  CHECK_THAT(with([](MemberSpec& s) { s.header_bytes = 0; }),
             testing::contains("has 0 bytes when it should have 64"));
  CHECK_THAT(with([](MemberSpec& s) { s.header_bytes = UINT32_MAX; }), testing::contains("is cut off"));
}

TEST_CASE("a payload size near 2^64 is refused") {
  std::string image = fat_binary(member(plain(80, kText)));
  put(image, 16 + 8, UINT64_MAX - 8);
  CHECK_THAT(refusal(image), testing::contains("is cut off"));
  put(image, 8, UINT64_MAX);
  CHECK_THAT(refusal(image), testing::contains("is cut off"));
}

TEST_CASE("a fat binary that is cut at any byte is refused, and its size is not known") {
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

TEST_CASE("a fat binary with any byte changed never does harm") {
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

namespace {

/// The fat binary in an object that nvcc made; nullopt where there is no nvcc.
std::optional<std::string> compiled(const std::string& flags) {
  const grader::TemporaryFolder folder("ptx-test");
  const std::string source = (fs::path(WARPGRADE_SOURCE_DIR) / "grader/tests/kernels/ptx/forms.cu").string();
  const std::string output = (folder.path() / "forms.fatbin").string();
  const std::string arguments = " -fatbin " + flags + " '" + source + "' -o '" + output + "' >/dev/null 2>&1";
  if (std::system(("nvcc" + arguments).c_str()) != 0 &&
      std::system(("/usr/local/cuda/bin/nvcc" + arguments).c_str()) != 0) {
    WARN("skipped: no nvcc that takes " << flags);
    return std::nullopt;
  }
  auto image = grader::read_file(output, std::size_t{16} << 20U);
  if (!image) FAIL(image.error());
  return *std::move(image);
}

}  // namespace

TEST_CASE("fat binaries of nvcc give PTX that parses, however they are packed", "[slow]") {
  const std::string mode = GENERATE("-no-compress", "--compress-mode=speed", "--compress-mode=size", "");
  const auto image = compiled("-lineinfo -gencode arch=compute_80,code=compute_80 " + mode);
  if (!image) return;
  CHECK(image_size(bytes_of(*image).data(), image->size()) == image->size());
  CHECK(testing::parsed(extracted(*image)).functions.size() == 8);
}

TEST_CASE("a fat binary of nvcc with machine code alone is refused", "[slow]") {
  const auto image = compiled("-gencode arch=compute_90,code=sm_90");
  if (image) CHECK_THAT(refusal(*image), testing::contains("holds machine code for sm_90 only"));
}
