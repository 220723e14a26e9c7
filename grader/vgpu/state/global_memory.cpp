#include "vgpu/state/global_memory.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <iterator>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/state/unwritten.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kMaxTracedBytes = std::size_t{64} << 20U;  // of a segment with Segment::stored_by

std::size_t words_to(std::size_t offset) { return (offset + kWordBytes - 1) / kWordBytes; }

}  // namespace

namespace {

constexpr std::size_t kPatternBytes = std::size_t{16} << 20U;
/// glibc's malloc gives larger requests pages of their own (mallopt(3), M_MMAP_THRESHOLD).
constexpr std::size_t kOwnPagesBytes = std::size_t{64} << 20U;

/// A file with the contents of unwritten memory; -1: the system refuses.
int pattern_file() {
  static const int file = [] {
    const int made = ::memfd_create("unwritten", MFD_CLOEXEC);
    if (made < 0 || ::ftruncate(made, kPatternBytes) != 0) return -1;
    void* bytes = ::mmap(nullptr, kPatternBytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (bytes == MAP_FAILED) return -1;
    fill_unwritten(static_cast<std::byte*>(bytes), kPatternBytes);
    ::munmap(bytes, kPatternBytes);
    return made;
  }();
  return file;
}

/// As fill_unwritten(). Large memory needs no pages of the machine until they are written: its pages are
/// copies on write of the file's.
void make_unwritten(std::byte* data, std::size_t size) {
  if (size < kOwnPagesBytes || pattern_file() < 0) return fill_unwritten(data, size);
  static_assert(kPatternBytes % sizeof kUnwrittenWords == 0);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
  fill_unwritten(data, before);
  std::size_t done = before;
  for (; size - done >= page; done += std::min(kPatternBytes, (size - done) / page * page)) {
    const std::size_t length = std::min(kPatternBytes, (size - done) / page * page);
    const void* mapped = ::mmap(data + done, length, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern_file(), 0);
    if (mapped == MAP_FAILED) break;
  }
  fill_unwritten(data + done, size - done);
}

}  // namespace

AlignedBytes aligned_bytes(std::size_t size) {
  const std::size_t rounded = (size + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
  return AlignedBytes(static_cast<std::byte*>(std::aligned_alloc(kAllocationAlignment, rounded)));
}

std::uint64_t GlobalMemory::allocate(std::size_t size, Purpose purpose) {
  assert(used_bytes_ <= limit_bytes_);  // the subtraction below cannot wrap
  if (size == 0 || size > limit_bytes_ - used_bytes_ || size > kAllocationStart) return 0;
  const bool in_kernel = purpose == Purpose::device_heap;
  if (in_kernel && size > device_heap_limit_ - std::min(device_heap_bytes_, device_heap_limit_)) return 0;
  if (segments_.size() >= kMaxAllocations) return 0;
  AlignedBytes data = aligned_bytes(size);
  if (!data) return 0;
  make_unwritten(data.get(), size);
  const std::uint64_t start = kDeviceBase + (segments_.size() << kAllocationShift) + kAllocationStart;
  const std::uint32_t ordinal = purpose == Purpose::heap ? ++heap_count_ : 0;
  segments_.push_back({start, size, std::move(data), ordinal, purpose});
  // Segment n is found from its addresses alone: near() relies on the first and the last byte having number
  // n.
  assert(segment_number(start) == segments_.size() && segment_number(start + size - 1) == segments_.size());
  if (track_writes_ && is_heap(purpose)) segments_.back().written.begin(size);
  used_bytes_ += size;
  if (in_kernel) device_heap_bytes_ += size;
  return start;
}

bool GlobalMemory::free(std::uint64_t start) {
  const std::uint64_t number = segment_number(start);
  if (number == 0 || number > segments_.size()) return false;
  Segment& segment = segments_[number - 1];
  if (!segment.live() || segment.start != start) return false;
  assert(segment.size <= used_bytes_);
  segment.data.reset();
  segment.stored_by = {};
  used_bytes_ -= segment.size;
  if (segment.purpose == Purpose::device_heap) device_heap_bytes_ -= segment.size;
  ++frees_;
  return true;
}

bool GlobalMemory::map_host(std::uint64_t start, std::byte* memory, std::size_t size) {
  if (start == 0 || start >= kHostEnd || size == 0 || size > kHostEnd - start) return false;
  if (start % kAllocationAlignment != 0) return false;  // block views commit 64-byte pieces of one segment
  auto first = host_segments_.lower_bound(start);
  if (first != host_segments_.begin() && std::prev(first)->second.end() > start) --first;
  auto last = first;
  for (; last != host_segments_.end() && last->first < start + size; ++last)
    if (last->second.live()) return false;
  host_segments_.erase(first, last);  // the host reuses addresses that it has freed
  Segment segment{start, size, AlignedBytes(memory, Free{.owned = false}), 0, Purpose::shared_host};
  host_segments_.emplace(start, std::move(segment));
  return true;
}

bool GlobalMemory::unmap_host(std::uint64_t start) {
  const auto found = host_segments_.find(start);
  if (found == host_segments_.end() || !found->second.live()) return false;
  // The segment stays, without data: later accesses are uses of freed memory.
  found->second.data.reset();
  found->second.stored_by = {};
  ++frees_;
  return true;
}

const Segment* GlobalMemory::near_host(std::uint64_t address) const {
  const auto next = host_segments_.upper_bound(address);
  if (next != host_segments_.begin()) {
    const Segment& before = std::prev(next)->second;
    if (address < before.end() + kHostReach) return &before;
  }
  return next != host_segments_.end() && next->first - address < kHostReach ? &next->second : nullptr;
}

const Segment* GlobalMemory::near(std::uint64_t address) const {
  const std::uint64_t number = segment_number(address);
  if (number == 0) return near_host(address);
  return number <= segments_.size() ? &segments_[number - 1] : nullptr;
}

const Segment* GlobalMemory::holding(std::uint64_t address, std::size_t size) const {
  const Segment* segment = near(address);
  if (segment == nullptr || !segment->live() || address < segment->start) return nullptr;
  const std::uint64_t offset = address - segment->start;
  // In this order, no sum or difference wraps around.
  return size <= segment->size && offset <= segment->size - size ? segment : nullptr;
}

void GlobalMemory::mark_written(std::uint64_t address, std::size_t size) {
  const Segment* held = holding(address, size);
  if (size == 0 || held == nullptr || held->written.are_all()) return;
  Segment& segment = segments_[segment_number(address) - 1];
  if (size == segment.size) return segment.written.mark_all();
  segment.written.mark(address - segment.start, size);
}

void GlobalMemory::mark_unwritten(std::uint64_t address, std::size_t size) {
  const Segment* held = holding(address, size);
  if (!track_writes_ || held == nullptr || !is_heap(held->purpose)) return;
  Segment& segment = segments_[segment_number(address) - 1];
  if (size == segment.size) return segment.written.begin(size);
  segment.written.forget(address - segment.start, size, segment.size);
}

bool GlobalMemory::is_written(std::uint64_t address, std::size_t size) const {
  const Segment* segment = near(address);
  return segment == nullptr || segment->written.has(address - segment->start, size);
}

std::uint32_t GlobalMemory::unwritten_bytes(std::uint64_t address, std::size_t size) const {
  const Segment* segment = near(address);
  return segment == nullptr ? 0 : segment->written.missing(address - segment->start, size);
}

GlobalMemory::Gaps GlobalMemory::unwritten_gaps(std::uint64_t address, std::size_t size) const {
  const Segment* segment = holding(address, size);
  if (segment == nullptr) return {};
  const WrittenBytes::Gaps gaps = segment->written.gaps(address - segment->start, size);
  return {segment->start + gaps.first, gaps.bytes};
}

void GlobalMemory::copy_written(std::uint64_t to, std::uint64_t from, std::size_t size) {
  if (is_written(from, size)) return mark_written(to, size);
  // Bytes that are unwritten in the source are unwritten in the target, too, whatever was there before.
  std::uint32_t missing = 0;
  for (std::size_t done = 0, end = 0; done < size; done = end) {
    if (done % WrittenBytes::kMaskBytes == 0)
      missing = unwritten_bytes(from + done, std::min(WrittenBytes::kMaskBytes, size - done));
    const bool is_missing = (missing & 1U) != 0;
    const int same = std::countr_zero(is_missing ? ~missing : missing);
    end = std::min(done + static_cast<std::size_t>(same), size);
    end = std::min(end, (done / WrittenBytes::kMaskBytes + 1) * WrittenBytes::kMaskBytes);
    missing = end - done < WrittenBytes::kMaskBytes ? missing >> (end - done) : 0;
    is_missing ? mark_unwritten(to + done, end - done) : mark_written(to + done, end - done);
  }
}

/// The segment if its stores can be traced.
const Segment* GlobalMemory::traced(std::uint64_t address, std::size_t size) const {
  const Segment* segment = holding(address, size);
  return segment != nullptr && segment->size <= kMaxTracedBytes ? segment : nullptr;
}

Segment& GlobalMemory::writable(const Segment& segment) {
  const std::uint64_t number = segment_number(segment.start);
  return number == 0 ? host_segments_.find(segment.start)->second : segments_[number - 1];
}

void GlobalMemory::mark_stored(std::uint64_t address, std::size_t size, StoreLine by) {
  const Segment* held = traced(address, size);
  if (size == 0 || held == nullptr || (by == 0 && held->stored_by.empty())) return;
  Segment& segment = writable(*held);
  segment.stored_by.resize(words_to(segment.size));
  const std::size_t offset = address - segment.start;
  std::fill(segment.stored_by.begin() + static_cast<std::ptrdiff_t>(offset / kWordBytes),
            segment.stored_by.begin() + static_cast<std::ptrdiff_t>(words_to(offset + size)), by);
}

bool GlobalMemory::mark_stored_again(std::uint64_t address, std::size_t size, StoreLine by) {
  const Segment* held = traced(address, size);
  if (held == nullptr) return true;
  if (held->stored_by.empty()) return by == 0;
  mark_stored(address, size, by);
  return true;
}

/// Words that the ranges cover in part get the line of the source's word.
void GlobalMemory::copy_stored(std::uint64_t to, std::uint64_t from, std::size_t size) {
  const Segment *source = traced(from, size), *target = traced(to, size);
  if (size == 0 || target == nullptr) return;
  if (source == nullptr || (source->stored_by.empty() && target->stored_by.empty()))
    return mark_stored(to, size, 0);
  const std::vector<StoreLine> lines = stored_by(from, size);
  Segment& segment = writable(*target);
  segment.stored_by.resize(words_to(segment.size));
  const std::size_t first = (to - segment.start) / kWordBytes;
  const std::size_t count = std::min(lines.size(), segment.stored_by.size() - first);
  std::copy_n(lines.begin(), count, segment.stored_by.begin() + static_cast<std::ptrdiff_t>(first));
}

std::vector<StoreLine> GlobalMemory::stored_by(std::uint64_t address, std::size_t size) const {
  std::vector<StoreLine> lines(words_to(size));
  const Segment* segment = holding(address, size);
  if (segment == nullptr || segment->stored_by.empty() || size == 0) return lines;
  const std::size_t first = (address - segment->start) / kWordBytes;
  const std::size_t count = std::min(lines.size(), segment->stored_by.size() - first);
  std::copy_n(segment->stored_by.begin() + static_cast<std::ptrdiff_t>(first), count, lines.begin());
  return lines;
}

std::byte* GlobalMemory::host(std::uint64_t address, std::size_t size) const {
  const Segment* segment = holding(address, size);
  return segment == nullptr ? nullptr : segment->data.get() + (address - segment->start);
}

}  // namespace vgpu::exec
