// Fat binaries for tests: built byte by byte, or made by nvcc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <lz4.h>
#include <zstd.h>

#include "base/files.hpp"
#include "catch.hpp"

namespace testing {

inline constexpr std::uint64_t kLz4 = 0x2000;
inline constexpr std::uint64_t kZstd = 0x8000;

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

inline std::string member(MemberSpec spec) {
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

inline std::string fat_binary(const std::string& members) {
  std::string header(16, '\0');
  put(header, 0, std::uint32_t{0xBA55ED50});
  put(header, 4, std::uint16_t{1});
  put(header, 6, std::uint16_t{16});
  put(header, 8, static_cast<std::uint64_t>(members.size()));
  return header + members;
}

inline MemberSpec plain(std::uint32_t architecture, std::string text) {
  return {.architecture = architecture, .payload = std::move(text)};
}

inline MemberSpec packed(std::uint64_t flag, const std::string& text) {
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

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

struct Compiled {
  std::string image;     ///< a fat binary
  std::string messages;  ///< what nvcc printed
};

/// The result of compiling kernels/ptx/forms.cu with nvcc; nullopt without nvcc.
inline std::optional<Compiled> compiled(const std::string& flags) {
  const grader::TemporaryFolder folder("ptx-test");
  const auto source = std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader/tests/kernels/ptx/forms.cu";
  const std::string output = (folder.path() / "forms.fatbin").string();
  const std::string messages = (folder.path() / "messages").string();
  const std::string arguments =
      " -fatbin " + flags + " '" + source.string() + "' -o '" + output + "' >'" + messages + "' 2>&1";
  if (std::system(("nvcc" + arguments).c_str()) != 0 &&
      std::system(("/usr/local/cuda/bin/nvcc" + arguments).c_str()) != 0) {
    WARN("skipped: no nvcc that takes " << flags);
    return std::nullopt;
  }
  constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
  auto image = grader::read_file(output, kMaxBytes);
  auto text = grader::read_file(messages, kMaxBytes);
  if (!image) FAIL(image.error());
  if (!text) FAIL(text.error());
  return Compiled{*std::move(image), *std::move(text)};
}

}  // namespace testing
