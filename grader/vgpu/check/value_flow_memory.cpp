// ValueFlow: values that mean nothing in memory.

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/value_flow.hpp"
#include "vgpu/state/lanes.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint32_t kByteBits = 8;
/// Copies beyond this number are lost.
constexpr std::size_t kMostCopies = std::size_t{1} << 20U;

const AccessSite& site_of(const Warp& warp, const Decoded& d) {
  const Program& program = warp.core->program();
  return program.checked.by_code[static_cast<std::size_t>(&d - program.code.data())];
}

bool is_local(std::uint64_t address) { return address - kLocalWindow < kWindowBytes; }

bool is_global(std::uint64_t address) {
  return !is_local(address) && address - kSharedWindow >= kWindowBytes;
}

/// Generic addresses. Those of local memory, of which each thread has its own at the same addresses, are made
/// different.
Addresses addresses_of(const Warp& warp, const Decoded& d, const AccessSite& site) {
  constexpr std::uint64_t kThreadBytes = std::uint64_t{1} << 22U;  // 1024 threads fit into the window
  Addresses all = BlockChecker::addresses_of(warp, d, site);
  for (std::uint64_t lane = 0; lane < all.size(); ++lane) {
    if (site.space == ptx::Space::shared) all[lane] += kSharedWindow;
    if (site.space == ptx::Space::local) all[lane] += kLocalWindow;
    if (is_local(all[lane])) all[lane] += (warp.index * kWarpLanes + lane) * kThreadBytes;
  }
  return all;
}

}  // namespace

void ValueFlow::load(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const std::uint32_t* registers = sites_.step_registers.data() + step.first;
  use(warp, registers[0], lanes);
  const AccessSite& site = site_of(warp, d);
  const bool has_copies = !copies_.empty();
  const Addresses addresses = has_copies ? addresses_of(warp, d, site) : Addresses{};
  for (std::uint32_t i = 0; i < step.writes; ++i) {
    Marks marks;
    if (has_copies)
      for_lanes(lanes, [&](unsigned lane) {
        marks.set(lane, loaded(addresses[lane] + std::uint64_t{i} * site.element_bytes, site.element_bytes));
      });
    if (registers[1 + i] != kNowhere) put(warp, registers[1 + i], lanes, marks);
  }
}

ValueFlow::Mark ValueFlow::loaded(std::uint64_t address, std::uint32_t size) {
  Mark mark{};
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto copy = copies_.find(address + i);
    if (copy == copies_.end()) continue;
    mark =
        merged(mark, {copy->second.label, false, false, std::uint64_t{copy->second.bits} << kByteBits * i});
  }
  return mark;
}

void ValueFlow::store(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const std::uint32_t* registers = sites_.step_registers.data() + step.first;
  use(warp, registers[0], lanes);
  const AccessSite& site = site_of(warp, d);
  if (site.space == ptx::Space::param) return;
  bool has_marks = !copies_.empty();
  for (std::uint32_t i = 1; i < step.reads; ++i) has_marks |= find(warp, registers[i]) != nullptr;
  if (!has_marks) return;
  const Addresses addresses = addresses_of(warp, d, site);
  for (std::uint32_t i = 1; i < step.reads; ++i) {
    const Marks* marks = find(warp, registers[i]);
    for_lanes(lanes, [&](unsigned lane) {
      const std::uint64_t address = addresses[lane] + std::uint64_t{i - 1} * site.element_bytes;
      store_element(address, site.element_bytes, marks == nullptr ? Mark{} : marks->of(lane));
    });
  }
}

void ValueFlow::store_element(std::uint64_t address, std::uint32_t size, const Mark& mark) {
  const std::uint64_t bits = mark.bits & all_bits(size);
  forget_memory(address, size);
  if (bits == 0) return;
  if (!is_copy(mark, bits, size) && !is_result_to_follow(mark, address)) return use(mark);
  if (copies_.size() >= kMostCopies) return;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto of_byte = static_cast<std::uint8_t>(bits >> kByteBits * i);
    if (of_byte != 0) copies_[address + i] = {mark.label, of_byte};
  }
}

/// The values are lost, so that later uses of copies are not found. An atom.cas has verified the value that
/// it compares: programs change one byte of a word by replacing the whole word.
void ValueFlow::move_untracked(const Warp& warp, const FlowStep& step, std::uint32_t lanes) {
  const std::uint32_t* registers = sites_.step_registers.data() + step.first;
  use(warp, registers[0], lanes);
  for (std::uint32_t i = 1; i < step.reads; ++i) {
    const Marks* marks = find(warp, registers[i]);
    if (marks == nullptr) continue;
    for_lanes(lanes & marks->lanes, [&](unsigned lane) {
      const Mark& mark = marks->marked[lane];
      if (!is_copy(mark, mark.bits & all_bits(step.bytes), step.bytes)) use(mark);
    });
    if (step.writes != 0) put(warp, registers[i], lanes, Marks());
  }
}

bool ValueFlow::is_copy(const Mark& mark, std::uint64_t bits, std::uint32_t size) const {
  if (mark.is_computed) return false;
  const Copying& copying = copying_[root(mark.label)];
  if (bits != all_bits(size)) return !mark.is_filled;
  return copying.is_allowed && (size < kWordBytes || copying.element_bytes >= kWordBytes);
}

bool ValueFlow::is_result_to_follow(const Mark& mark, std::uint64_t address) const {
  return is_local(address) ||
         (copying_[root(mark.label)].follows_results && address - kSharedWindow < kWindowBytes);
}

void ValueFlow::forget_memory(std::uint64_t address, std::uint64_t size) {
  if (copies_.empty()) return;
  for (std::uint64_t i = 0; i < size; ++i) copies_.erase(address + i);
}

std::vector<std::uint64_t> ValueFlow::take_copies() {
  std::vector<std::uint64_t> addresses;
  for (const auto& [address, copy] : copies_)
    if (is_global(address) && copy.bits == 0xFF) addresses.push_back(address);
  std::erase_if(copies_, [](const auto& one) { return is_global(one.first); });
  return addresses;
}

}  // namespace vgpu::exec
