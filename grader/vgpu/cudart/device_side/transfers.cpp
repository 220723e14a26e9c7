#include "vgpu/cudart/device_side/transfers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "vgpu/cudart/device_side/lineage.hpp"
#include "vgpu/cudart/device_side/rows.hpp"

namespace vgpu::cudart {

void Transfers::keep(std::vector<std::uint32_t>& words, std::span<const std::byte> bytes) {
  if (!keeps_words_) return;
  const std::size_t kept = words.size(), count = (bytes.size() + kWordBytes - 1) / kWordBytes;
  if (bytes.empty() || !words_.is_complete) return;
  if (count > kMaxBytes / kWordBytes - kept) {
    words_.is_complete = false;
    return;
  }
  words.resize(kept + count);
  std::memcpy(&words[kept], bytes.data(), bytes.size());
}

void Transfers::add_origins(Origins& origins, DevicePtr start, std::size_t size_bytes) const {
  const auto add = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(origins.lines, device_.stored_by(start, size_bytes));
  if (device_.follows_terms()) add(origins.terms, device_.terms_of(start, size_bytes));
}

void Transfers::keep_fetched(std::span<const std::byte> bytes, Origins origins, bool is_asked_for) {
  const std::size_t kept = words_.to_host.size();
  keep(words_.to_host, bytes);
  const auto add = [&](auto& all, auto& more) {
    more.resize(words_.to_host.size() - kept);
    all.insert(all.end(), more.begin(), more.end());
  };
  add(words_.stored_by, origins.lines);
  if (device_.follows_terms()) add(words_.terms, origins.terms);
  words_.is_asked_for.resize(words_.to_host.size(), is_asked_for);
}

void Transfers::keep(SentWords& sent, std::span<const std::byte> bytes, bool is_shared) {
  keep(sent.words, bytes);
  if (sent.words.size() > (sent.pieces.empty() ? 0 : sent.pieces.back().end))
    sent.pieces.push_back({sent.words.size(), words_.to_host.size(), is_shared});
}

std::vector<std::byte> Transfers::values_in(const Rows& rows, const Box& box,
                                            std::uint64_t size_bytes) const {
  std::vector<std::byte> bytes(keeps_words_ ? size_bytes : 0);
  if (keeps_words_) read_rows(device_, rows, box, bytes);
  return bytes;
}

void Transfers::link(std::uint64_t start, std::uint64_t host, std::uint64_t size_bytes) {
  // The sizes come from the program, which can link one range many times.
  if (size_bytes > kMaxBytes - linked_bytes_) return;
  Linked linked{start, host, std::vector<std::byte>(size_bytes)};
  if (!device_.read(start, linked.known)) return;
  linked_bytes_ += size_bytes;
  linked_.push_back(std::move(linked));
}

/// linked_.end(): the rows are not in a __managed__ variable.
std::vector<Transfers::Linked>::iterator Transfers::linked_with(const Rows& rows, const Box& box,
                                                                std::uint64_t size_bytes) {
  if (box.height * box.depth != 1) return linked_.end();
  return std::find_if(linked_.begin(), linked_.end(), [&](const Linked& one) {
    return one.start <= rows.address && rows.address + size_bytes <= one.start + one.known.size();
  });
}

std::uint64_t Transfers::changed_bytes(const Rows& rows, const Box& box, std::uint64_t size_bytes) {
  const auto linked = linked_with(rows, box, size_bytes);
  if (linked == linked_.end()) return size_bytes;
  std::vector<std::byte> now(size_bytes);
  device_.read(rows.address, now);
  const std::uint64_t offset = rows.address - linked->start;
  std::byte* known = linked->known.data() + offset;
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < now.size(); at += kWordBytes) {
    const auto word = std::span(now).subspan(at, std::min(kWordBytes, now.size() - at));
    const bool is_new = std::memcmp(known + at, word.data(), word.size()) != 0;
    if (is_new && !stores_.has(linked->host + offset + at, word)) changed += word.size();
  }
  std::copy(now.begin(), now.end(), known);
  return changed;
}

void Transfers::sent(std::span<const std::byte> bytes) {
  traffic_.to_device += bytes.size();
  keep(words_.to_device, bytes);
}

void Transfers::sent_parameters(std::string_view kernel, std::span<const std::byte> bytes) {
  parameters_.launched(kernel, bytes);
  keep(words_.parameters, bytes);
}

HostTraffic Transfers::traffic() const {
  HostTraffic sum = traffic_;
  sum.to_device += parameters_.unforeseen() * kWordBytes;
  return sum;
}

TransferredWords Transfers::take_words() {
  words_.unforeseen_parameters = parameters_.unforeseen();
  return std::move(words_);
}

/// Records the value as it fills a word of memory.
void Transfers::filled(std::uint32_t value, std::uint32_t value_bytes) {
  traffic_.to_device += value_bytes;
  std::array<std::byte, kWordBytes> word;
  for (std::size_t at = 0; at < word.size(); at += value_bytes) std::memcpy(&word[at], &value, value_bytes);
  keep(words_.to_device, word);
}

/// Rows that do not consist of whole words have no lines.
void Transfers::fetched(const Rows& rows, const Box& box, std::span<const std::byte> bytes) {
  traffic_.to_host += changed_bytes(rows, box, bytes.size());
  if (!keeps_words_ || bytes.empty()) return;
  Origins origins;
  const Box one_piece = merged(box, {&rows});
  if (one_piece.width % kWordBytes == 0)
    for_rows(one_piece, [&](std::uint64_t slice, std::uint64_t row) {
      add_origins(origins, row_address(rows, slice, row), one_piece.width);
    });
  keep_fetched(bytes, std::move(origins), linked_with(rows, box, bytes.size()) == linked_.end());
}

void Transfers::sent(const Rows& rows, const Box& box, std::uint64_t size_bytes) {
  traffic_.to_device += changed_bytes(rows, box, size_bytes);
  const bool is_shared = linked_with(rows, box, size_bytes) != linked_.end();
  keep(words_.to_device, values_in(rows, box, size_bytes), is_shared);
}

void Transfers::fetched(const Rows& rows, const Box& box, std::uint64_t size_bytes) {
  if (keeps_words_)
    fetched(rows, box, values_in(rows, box, size_bytes));
  else
    traffic_.to_host += changed_bytes(rows, box, size_bytes);
}

void Transfers::printed(std::uint64_t size_bytes) {
  traffic_.to_host += size_bytes;
  traffic_.printed += size_bytes;
}

void Transfers::before_launch() {
  before_.clear();
  if (!keeps_words_ || !words_.is_complete) return;
  words_.is_complete = host_.used_bytes() <= kMaxBytes;
  if (!words_.is_complete) return;
  host_.visit([&](std::uint64_t start, std::span<const std::byte> memory) {
    before_.push_back({start, {memory.begin(), memory.end()}});
  });
}

void Transfers::note_reads(const LaunchRecord& launch) {
  const bool is_hidden = hides_accesses(launch);
  const auto visit_parts = [&](std::uint64_t start, std::span<const std::byte> memory, auto visit) {
    for (const MemoryAccess& access : launch.accesses)
      if (!access.is_write) visit(part_of(access, start, memory));
    // Without a record, all memory counts as read: a kernel gains nothing by hiding its reads.
    if (is_hidden) visit(memory);
  };
  if (is_hidden)
    stores_.forget_all();
  else
    stores_.forget(launch.accesses);
  host_.visit([&](std::uint64_t start, std::span<const std::byte> memory) {
    visit_parts(start, memory,
                [&](auto part) { traffic_.read_from_host += stores_.other_bytes(start, memory, part); });
  });
  for (const Snapshot& before : before_)
    visit_parts(before.start, before.bytes, [&](auto part) { keep(words_.to_device, part, true); });
  before_.clear();
}

void Transfers::note_writes(const LaunchRecord& launch) {
  host_.visit([&](std::uint64_t start, std::span<const std::byte> memory) {
    for (const MemoryAccess& access : launch.accesses) {
      if (!access.is_write) continue;
      const auto part = part_of(access, start, memory);
      traffic_.written_to_host += part.size();
      stores_.remember(start, memory, access);
      if (!keeps_words_ || part.empty()) continue;
      Origins origins;
      add_origins(origins, start + static_cast<std::uint64_t>(part.data() - memory.data()), part.size());
      keep_fetched(part, std::move(origins), true);
    }
  });
}

/// Reads first: a value that the kernel writes was not yet on the host when the kernel read it.
void Transfers::after_launch(const LaunchRecord& launch) {
  note_reads(launch);
  note_writes(launch);
}

}  // namespace vgpu::cudart
