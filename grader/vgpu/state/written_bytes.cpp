#include "vgpu/state/written_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace vgpu::exec {
namespace {

constexpr std::size_t kWordSize = 4;
constexpr std::size_t kLeastGap = 16;  // the largest alignment of CUDA's types: padding is shorter
constexpr std::uint32_t kWholeWord = 0xF;
constexpr std::size_t kWordsPerPart = 16;  // an element of Parts has 64 bits

/// Calls visit(element of words_, bits) for the words [word, end) until it returns false.
template <class Visit>
void for_words(std::size_t word, std::size_t end, Visit visit) {
  while (word < end) {
    const std::size_t count = std::min<std::size_t>(end - word, 64 - word % 64);
    if (!visit(word / 64, (~std::uint64_t{0} >> (64 - count)) << word % 64)) return;
    word += count;
  }
}

/// The bits of the bytes [offset, offset + size) in their word.
std::uint32_t bits_in_word(std::size_t offset, std::size_t size) {
  return ((1U << size) - 1) << offset % kWordSize;
}

/// How many of the next `size` bytes from `offset` on are in the first word.
std::size_t first_part(std::size_t offset, std::size_t size) {
  return std::min(size, kWordSize - offset % kWordSize);
}

}  // namespace

void WrittenBytes::begin(std::size_t size) {
  words_.assign(size / (64 * kWordSize) + 1, 0);
  parts_.clear();
  full_ = 0;
  // Bytes after the end count as written, so that an element can become full.
  for (std::size_t at = size; at < words_.size() * 64 * kWordSize;) {
    const std::size_t count = kWordSize - at % kWordSize;
    mark_in_word(at, count);
    at += count;
  }
}

void WrittenBytes::set_words(std::size_t at, std::uint64_t bits) {
  constexpr std::uint64_t kFull = ~std::uint64_t{0};
  if (words_[at] == kFull) --full_;
  words_[at] = bits;
  if (bits == kFull) ++full_;
}

void WrittenBytes::mark_all() {
  words_ = {};
  parts_ = {};
}

std::uint32_t WrittenBytes::bytes_of(std::size_t word) const {
  if (words_.empty() || has_word(word)) return kWholeWord;
  const auto parts = parts_.find(word / 64);
  if (parts == parts_.end()) return 0;
  return parts->second[word % 64 / kWordsPerPart] >> word % kWordsPerPart * kWordSize & kWholeWord;
}

void WrittenBytes::set_bytes(std::size_t word, std::uint32_t bytes) {
  const std::uint64_t bit = std::uint64_t{1} << word % 64;
  set_words(word / 64, bytes == kWholeWord ? words_[word / 64] | bit : words_[word / 64] & ~bit);
  const auto known = parts_.find(word / 64);
  if (known != parts_.end() && ~words_[word / 64] == 0) {
    parts_.erase(known);
  } else if (bytes != kWholeWord && (known != parts_.end() || bytes != 0)) {
    std::uint64_t& part = parts_[word / 64][word % 64 / kWordsPerPart];
    const std::size_t shift = word % kWordsPerPart * kWordSize;
    part = (part & ~(std::uint64_t{kWholeWord} << shift)) | std::uint64_t{bytes} << shift;
  }
}

void WrittenBytes::mark_in_word(std::size_t offset, std::size_t size) {
  const std::size_t word = offset / kWordSize;
  if (!has_word(word)) set_bytes(word, bytes_of(word) | bits_in_word(offset, size));
}

void WrittenBytes::mark(std::size_t offset, std::size_t size) {
  if (words_.empty()) return;
  if (const std::size_t before = first_part(offset, size); before != kWordSize) {
    mark_in_word(offset, before);
    offset += before;
    size -= before;
  }
  const std::size_t end = (offset + size) / kWordSize;
  for_words(offset / kWordSize, end, [&](std::size_t at, std::uint64_t bits) {
    set_words(at, words_[at] | bits);
    return true;
  });
  if (const std::size_t rest = size % kWordSize; rest != 0) mark_in_word(end * kWordSize, rest);
  if (full_ == words_.size()) mark_all();
}

void WrittenBytes::forget(std::size_t offset, std::size_t size, std::size_t of) {
  if (words_.empty()) {
    words_.assign(of / (64 * kWordSize) + 1, ~std::uint64_t{0});
    full_ = words_.size();
  }
  while (size != 0) {
    const std::size_t count = first_part(offset, size);
    const std::size_t word = offset / kWordSize;
    set_bytes(word, bytes_of(word) & ~bits_in_word(offset, count));
    offset += count;
    size -= count;
  }
}

bool WrittenBytes::has(std::size_t offset, std::size_t size) const {
  if (words_.empty() || size == 0) return true;
  const std::size_t end = (offset + size + kWordSize - 1) / kWordSize;
  bool all = true;
  for_words(offset / kWordSize, end,
            [&](std::size_t at, std::uint64_t bits) { return all = (words_[at] & bits) == bits; });
  if (all || parts_.empty()) return all;
  for (std::size_t done = 0; done < size;) {
    const std::size_t count = first_part(offset + done, size - done);
    const std::uint32_t bits = bits_in_word(offset + done, count);
    if ((bytes_of((offset + done) / kWordSize) & bits) != bits) return false;
    done += count;
  }
  return true;
}

std::uint32_t WrittenBytes::missing(std::size_t offset, std::size_t size) const {
  assert(size <= kMaskBytes);
  std::uint32_t all = 0;
  for (std::size_t done = 0; done < size;) {
    const std::size_t at = offset + done;
    const std::size_t count = first_part(at, size - done);
    const std::uint32_t unwritten = ~bytes_of(at / kWordSize) & bits_in_word(at, count);
    all |= unwritten >> at % kWordSize << done;
    done += count;
  }
  return all;
}

WrittenBytes::Gaps WrittenBytes::gaps(std::size_t offset, std::size_t size) const {
  Gaps found;
  if (has(offset, size)) return found;
  const std::size_t end = offset + size;
  std::size_t start = offset;  // of the unwritten bytes so far
  const auto end_gap = [&](std::size_t at) {
    const std::size_t gap = at - start;
    if (gap < kLeastGap && gap < size) return;
    if (found.bytes == 0) found.first = start;
    found.bytes += gap;
  };
  for (std::size_t at = offset; at < end; at += kMaskBytes) {
    const std::size_t count = std::min(kMaskBytes, end - at);
    const std::uint64_t unwritten = missing(at, count);
    for (std::uint64_t written = ~unwritten & ((std::uint64_t{1} << count) - 1); written != 0;
         written &= written - 1) {
      const std::size_t byte = at + static_cast<std::size_t>(std::countr_zero(written));
      end_gap(byte);
      start = byte + 1;
    }
  }
  end_gap(end);
  return found;
}

}  // namespace vgpu::exec
