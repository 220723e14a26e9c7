// The layout of nvcc's fat binaries, from CUDA 13's fatBinaryCtl.h and from the bytes themselves; all
// numbers are little-endian. The container:
//
//   0  u32 magic 0xBA55ED50    4  u16 version 1    6  u16 header size (16)    8  u64 bytes that follow the
//   header
//
// then members, each a header and a payload:
//
//   0  u16 kind: 1 PTX, 2 ELF    4  u32 header size    8  u64 payload size, padded to 8
//  16  u32 compressed size, unpadded; 0 = not compressed
//  28  u32 architecture (80)    40  u64 flags    56  u64 size before compression

#include "vgpu/ptx/fat_binary.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

namespace vgpu::ptx {
namespace {

using Bytes = std::span<const std::byte>;
using Text = grader::Expected<std::string, std::string>;

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::size_t kContainerHeaderBytes = 16;
constexpr std::size_t kMemberHeaderBytes = 64;
constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;

enum class Kind : std::uint16_t { ptx = 1, elf = 2 };

struct Member {
  Kind kind = Kind::ptx;
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  Bytes payload;
};

/// `bytes` has sizeof(T) bytes at `offset`; members need not be aligned.
template <class T>
T number_at(Bytes bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Text failure(std::string what) { return grader::Unexpected{std::move(what)}; }

/// Header and payload sizes of the container, if `bytes` starts with one.
struct Container {
  std::size_t header_bytes = 0;
  std::uint64_t member_bytes = 0;
};
std::optional<Container> container(Bytes bytes) {
  if (bytes.size() < kContainerHeaderBytes || number_at<std::uint32_t>(bytes, 0) != kMagic)
    return std::nullopt;
  const Container result{number_at<std::uint16_t>(bytes, 6), number_at<std::uint64_t>(bytes, 8)};
  if (result.header_bytes < kContainerHeaderBytes) return std::nullopt;
  return result;
}

/// PTX text begins with a directive or a comment.
bool looks_like_text(Bytes bytes) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = std::find_if(bytes.begin(), bytes.end(), [&](std::byte b) {
    return kBlank.find(static_cast<char>(b)) == std::string_view::npos;
  });
  return first != bytes.end() && (static_cast<char>(*first) == '.' || static_cast<char>(*first) == '/');
}

std::string text_until_nul(Bytes bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(end - bytes.begin())};
}

/// Takes the member at the start of `bytes`; the error reports what does not fit.
grader::Expected<Member, std::string> take_member(Bytes& bytes) {
  const auto truncated = [](std::string_view part, std::uint64_t size, std::uint64_t left) {
    return grader::Unexpected{fmt::format(
        "the fat binary is truncated: {} needs {} bytes, but only {} are left", part, size, left)};
  };
  if (bytes.size() < kMemberHeaderBytes)
    return truncated("a member's header", kMemberHeaderBytes, bytes.size());
  const auto header_bytes = number_at<std::uint32_t>(bytes, 4);
  const auto payload_bytes = number_at<std::uint64_t>(bytes, 8);
  if (header_bytes < kMemberHeaderBytes) {
    return grader::Unexpected{
        fmt::format("a member's header in the fat binary has {} bytes when it should have {}", header_bytes,
                    kMemberHeaderBytes)};
  }
  if (header_bytes > bytes.size()) return truncated("a member's header", header_bytes, bytes.size());
  if (payload_bytes > bytes.size() - header_bytes)
    return truncated("the data of a member", payload_bytes, bytes.size() - header_bytes);
  const Member result{static_cast<Kind>(number_at<std::uint16_t>(bytes, 0)),
                      number_at<std::uint32_t>(bytes, 28),
                      number_at<std::uint64_t>(bytes, 40),
                      number_at<std::uint32_t>(bytes, 16),
                      number_at<std::uint64_t>(bytes, 56),
                      bytes.subspan(header_bytes, payload_bytes)};
  bytes = bytes.subspan(header_bytes + payload_bytes);
  return result;
}

bool unpack_lz4(Bytes packed, std::string& text) {
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(),
                                       static_cast<int>(packed.size()), static_cast<int>(text.size()));
  return size >= 0 && static_cast<std::size_t>(size) == text.size();
}

bool unpack_zstd(Bytes packed, std::string& text) {
  return ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) == text.size();
}

std::string_view name_of(Kind kind) { return kind == Kind::ptx ? "PTX" : "machine code"; }

/// The unpacked contents of the member.
Text content_of(const Member& member) {
  const std::uint64_t compression = member.flags & (kFlagLz4 | kFlagZstd);
  if (member.compressed_bytes == 0 && compression == 0)
    return std::string(reinterpret_cast<const char*>(member.payload.data()), member.payload.size());
  if (compression != kFlagLz4 && compression != kFlagZstd) {
    return failure(
        fmt::format("the {} in the fat binary is compressed in an unknown way (flags {:#x}); "
                    "compile with -no-compress",
                    name_of(member.kind), member.flags));
  }
  if (member.compressed_bytes > member.payload.size()) {
    return failure(fmt::format("the fat binary is damaged: {} compressed bytes in a member of {}",
                               member.compressed_bytes, member.payload.size()));
  }
  if (member.unpacked_bytes > kMaxUnpackedBytes) {
    return failure(fmt::format("the {} in the fat binary unpacks to {} bytes; at most {} are read",
                               name_of(member.kind), member.unpacked_bytes, kMaxUnpackedBytes));
  }
  std::string content(member.unpacked_bytes, '\0');
  const Bytes packed = member.payload.first(member.compressed_bytes);
  const bool good = compression == kFlagLz4 ? unpack_lz4(packed, content) : unpack_zstd(packed, content);
  if (!good) {
    return failure(fmt::format("the fat binary is damaged: its {} does not unpack to the size that it states",
                               name_of(member.kind)));
  }
  return content;
}

std::string why_no_ptx(std::vector<std::uint32_t> architectures) {
  if (architectures.empty())
    return "the fat binary is empty; compile with -gencode arch=compute_80,code=compute_80";
  std::sort(architectures.begin(), architectures.end());
  architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
  return fmt::format(
      "the fat binary holds machine code for sm_{} only, and no PTX; compile with -gencode "
      "arch=compute_80,code=compute_80",
      fmt::join(architectures, ", sm_"));
}

Text content_in(Bytes members, Kind kind) {
  std::optional<Member> best;
  std::vector<std::uint32_t> others;
  while (!members.empty()) {
    const auto member = take_member(members);
    if (!member) return failure(member.error());
    if (member->kind != kind) {
      others.push_back(member->architecture);
    } else if (!best || member->architecture > best->architecture) {
      best = *member;
    }
  }
  if (best) return content_of(*best);
  return failure(kind == Kind::ptx ? why_no_ptx(std::move(others)) : "there is no machine code");
}

Text extract(Bytes image, Kind kind) {
  const auto found = container(image);
  if (!found) return failure("the device code is neither a fat binary nor PTX text");
  if (found->header_bytes > image.size() || found->member_bytes > image.size() - found->header_bytes) {
    return failure(fmt::format("the fat binary is truncated: its members need {} bytes, but only {} are left",
                               found->member_bytes,
                               image.size() - std::min(image.size(), found->header_bytes)));
  }
  return content_in(image.subspan(found->header_bytes, found->member_bytes), kind);
}

}  // namespace

std::size_t image_size(const std::byte* image, std::size_t limit) {
  if (image == nullptr) return 0;
  const Bytes bytes(image, limit);  // at most `limit`: nothing is read after the image's own end
  if (const auto found = container(bytes)) {
    const bool fits = found->header_bytes <= limit && found->member_bytes <= limit - found->header_bytes;
    return fits ? found->header_bytes + found->member_bytes : 0;
  }
  if (!looks_like_text(bytes)) return 0;
  return static_cast<std::size_t>(std::find(bytes.begin(), bytes.end(), std::byte{0}) - bytes.begin());
}

grader::Expected<std::string, std::string> extract_ptx(std::span<const std::byte> image) {
  if (looks_like_text(image)) return text_until_nul(image);
  auto text = extract(image, Kind::ptx);
  if (text) text->resize(std::min(text->size(), text->find('\0')));
  return text;
}

std::string extract_machine_code(std::span<const std::byte> image) {
  auto code = extract(image, Kind::elf);
  return code ? *std::move(code) : std::string();
}

}  // namespace vgpu::ptx
