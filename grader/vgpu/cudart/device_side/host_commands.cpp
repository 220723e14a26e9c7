#include "vgpu/cudart/device_side/host_commands.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "vgpu/cudart/device_side/lineage.hpp"
#include "vgpu/cudart/device_side/rows.hpp"

namespace vgpu::cudart {
namespace {

/// The word at byte `at`, padded with zeros.
std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  if (at < bytes.size()) std::memcpy(&word, &bytes[at], std::min(kWordBytes, bytes.size() - at));
  return word;
}

/// Words of `now`. Those that equal `before` in the same place are known.
void append_words(std::vector<HostCommand::Word>& words, std::span<const std::byte> now,
                  std::span<const std::byte> before, bool is_used) {
  for (std::size_t at = 0; at < now.size(); at += kWordBytes) {
    const std::uint32_t value = word_at(now, at);
    words.push_back({value, at + kWordBytes <= before.size() && word_at(before, at) == value, is_used});
  }
}

}  // namespace

void HostCommands::link(std::uint64_t start, std::uint64_t size_bytes) {
  constexpr std::size_t kMost = 1024;
  if (is_on() && linked_.size() < kMost && device_.holds(start, size_bytes)) linked_[start] = size_bytes;
}

bool HostCommands::is_linked(const Rows& rows) const {
  const auto next = linked_.upper_bound(rows.address);
  if (next == linked_.begin()) return false;
  const auto& [start, size_bytes] = *std::prev(next);
  return rows.address - start < size_bytes;
}

/// Calls visit(start, bytes) for all memory that both sides can change.
template <class Visit>
void HostCommands::visit_shared(Visit visit) const {
  host_.visit(visit);
  for (const auto& [start, size_bytes] : linked_) {
    std::vector<std::byte> bytes(size_bytes);
    if (device_.read(start, bytes)) visit(start, std::span<const std::byte>(bytes));
  }
}

/// Shared memory can have another address in another process.
std::uint64_t HostCommands::place_of(std::uint64_t address) const {
  constexpr unsigned kNumberShift = 48;  // more bits than an address of the host has
  std::uint64_t number = 1, place = address;
  host_.visit([&](std::uint64_t start, std::span<const std::byte> memory) {
    if (address - start < memory.size()) place = (number << kNumberShift) | (address - start);
    ++number;
  });
  return place;
}

void HostCommands::append(std::vector<std::uint64_t>& shape, const Rows& rows) const {
  shape.insert(shape.end(), {place_of(rows.address), rows.pitch, rows.slice_rows});
}

void HostCommands::keep(HostCommand command) {
  words_ += kWordsPerCommand + command.words.size();
  record_.is_complete = words_ <= kMaxWords;
  if (record_.is_complete) record_.commands.push_back(std::move(command));
}

void HostCommands::copied(HostCommand::Kind kind, const Rows& to, const Rows& from, const Box& box) {
  const bool is_runtimes = (kind == HostCommand::Kind::copy_to_host && is_linked(from)) ||
                           (kind == HostCommand::Kind::copy_to_device && is_linked(to));
  has_values_ = has_values_ || (kind == HostCommand::Kind::copy_to_device && !is_runtimes);
  if (!is_recording() || is_runtimes) return;
  HostCommand command{.kind = kind, .kernel = {}, .shape = {box.width, box.height, box.depth}, .words = {}};
  // A place in memory that only the host uses says nothing.
  if (kind != HostCommand::Kind::copy_to_host) append(command.shape, to);
  if (kind != HostCommand::Kind::copy_to_device) append(command.shape, from);
  keep(std::move(command));
}

void HostCommands::delivered(const Rows& to, const Box& box) {
  if (!has_contents()) return;
  visit_shared([&](std::uint64_t start, std::span<const std::byte> memory) {
    if (to.address - start >= memory.size()) return;
    std::vector<std::byte>& known = known_[start];
    if (known.size() != memory.size()) {  // no word is known yet: each differs
      known.assign(memory.begin(), memory.end());
      for (std::byte& one : known) one = ~one;
    }
    for_rows(box, [&](std::uint64_t slice, std::uint64_t row) {
      const std::uint64_t offset = row_address(to, slice, row) - start;
      if (offset < known.size() && box.width <= known.size() - offset)
        std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(offset), box.width,
                    known.begin() + static_cast<std::ptrdiff_t>(offset));
    });
  });
}

void HostCommands::uploaded(const Rows& to, const Box& box, std::span<const std::byte> bytes) {
  if (is_linked(to)) return;
  has_values_ = true;
  if (!is_recording()) return;
  HostCommand command{.kind = HostCommand::Kind::copy_to_device,
                      .kernel = {},
                      .shape = {box.width, box.height, box.depth},
                      .words = {}};
  append(command.shape, to);
  if (has_contents()) {
    std::vector<std::byte> before(bytes.size());
    read_rows(device_, to, box, before);
    append_words(command.words, bytes, before, true);
  }
  keep(std::move(command));
}

void HostCommands::filled(const Rows& to, const Box& box, std::uint32_t value, std::uint32_t value_bytes) {
  if (!is_recording()) return;
  HostCommand command{.kind = HostCommand::Kind::fill,
                      .kernel = {},
                      .shape = {box.width, box.height, box.depth, value_bytes},
                      .words = {{value, false, true}}};
  append(command.shape, to);
  keep(std::move(command));
}

void HostCommands::noted(HostCommand::Kind kind, std::vector<std::uint64_t> shape,
                         std::span<const std::byte> bytes) {
  if (!is_recording()) return;
  HostCommand command{.kind = kind, .kernel = {}, .shape = std::move(shape), .words = {}};
  for (std::size_t i = 0; kind == HostCommand::Kind::memory && i < command.shape.size(); ++i)
    command.shape[i] = place_of(command.shape[i]);
  append_words(command.words, bytes, {}, true);
  keep(std::move(command));
}

/// All shared memory, because which part of it the kernel reads can depend on values.
void HostCommands::append_shared(HostCommand& launch) {
  visit_shared([&](std::uint64_t start, std::span<const std::byte> memory) {
    launch.shape.push_back(memory.size());
    const auto known = known_.find(start);
    const std::span<const std::byte> before =
        known == known_.end() ? std::span<const std::byte>() : known->second;
    append_words(launch.words, memory, before, false);
  });
}

void HostCommands::launching(const Launch& launch, const std::vector<bool>& read_parameter_bytes) {
  has_values_ = true;
  if (!is_recording()) return;
  HostCommand command{
      .kind = HostCommand::Kind::launch, .kernel = std::string(launch.kernel), .shape = {}, .words = {}};
  for (const Dim3& extent : {launch.grid, launch.block})
    command.shape.insert(command.shape.end(), {extent.x, extent.y, extent.z});
  command.shape.insert(command.shape.end(),
                       {launch.module, launch.dynamic_shared_bytes, launch.allowed_dynamic_shared_bytes,
                        launch.cooperative ? 1U : 0U});
  std::vector<std::byte> parameters(launch.parameters.begin(), launch.parameters.end());
  for (std::size_t at = 0; at < parameters.size(); ++at)
    if (at < read_parameter_bytes.size() && !read_parameter_bytes[at]) parameters[at] = std::byte{0};
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, &parameters[at], sizeof value);
    value = place_of(value);
    std::memcpy(&parameters[at], &value, sizeof value);
  }
  append_words(command.words, parameters, {}, true);
  command.parameter_words = command.words.size();
  if (has_contents()) {
    if (host_.used_bytes() / kWordBytes > kMaxWords)
      record_.is_complete = false;
    else
      append_shared(command);
  }
  keep(std::move(command));
}

void HostCommands::launched(const LaunchRecord& launch) {
  if (!has_contents() || !record_.is_complete) return;
  const bool is_recorded = is_recording() && !record_.commands.empty() &&
                           record_.commands.back().kind == HostCommand::Kind::launch;
  const bool is_hidden = hides_accesses(launch);
  bool is_written = is_hidden;
  std::size_t first = is_recorded ? record_.commands.back().parameter_words : 0;
  known_.clear();
  visit_shared([&](std::uint64_t start, std::span<const std::byte> memory) {
    const std::size_t count = (memory.size() + kWordBytes - 1) / kWordBytes;
    for (const MemoryAccess& access : launch.accesses) {
      const std::uint64_t from = std::max(access.start, start),
                          to = std::min(access.end(), start + memory.size());
      if (from >= to) continue;
      is_written |= access.is_write;
      if (!is_recorded || access.is_write) continue;
      for (std::uint64_t i = (from - start) / kWordBytes; i * kWordBytes < to - start; ++i)
        record_.commands.back().words.at(first + i).is_used = true;
    }
    if (is_recorded && is_hidden)
      for (std::size_t i = 0; i < count; ++i) record_.commands.back().words.at(first + i).is_used = true;
    first += count;
    known_[start] = {memory.begin(), memory.end()};
  });
  if (is_written && !known_.empty()) inform();
}

}  // namespace vgpu::cudart
