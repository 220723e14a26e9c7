#include "vgpu/decode/checked_accesses.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "vgpu/analysis/spelling.hpp"
#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/async_forms.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/memory_barriers.hpp"
#include "vgpu/handlers/surface_access.hpp"

namespace vgpu::exec {
namespace {

const AccessSite& site_of(const Warp& warp, const Decoded& d) {
  const Program& program = warp.core->program();
  return program.checked.by_code[static_cast<std::size_t>(&d - program.code.data())];
}

const Decoded* observed(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  // First the checker: it compares a store with the memory before it, and a load can overwrite its own
  // address register.
  BlockChecker& checker = *warp.core->checker;
  const Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  if (site.is_read_only) checker.read_only_load(warp, site, addresses);
  checker.access(warp, d, site, addresses);
  return BlockChecker::followed(warp, site.run(warp, d));
}

/// A load that the compiler has moved before its condition: only lanes that need the value access the memory.
const Decoded* observed_speculated_load(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  const auto condition = *reinterpret_cast<const std::uint32_t*>(warp.file + site.readers);
  const std::uint32_t mask = warp.mask, readers = mask & (site.reads_if_holds ? condition : ~condition);
  if (readers != 0) {
    const Addresses addresses = BlockChecker::addresses_of(warp, d, site);
    warp.set_mask(readers);
    warp.core->checker->access(warp, d, site, addresses);
    warp.set_mask(mask);
  }
  return BlockChecker::followed(warp, site.run(warp, d));
}

/// Plain loads of elements of one or more words: the checker also uses what the instruction learns about its
/// addresses.
template <class A>
const Decoded* observed_shared_load(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  const A base = reinterpret_cast<const A*>(warp.file + d.a)[warp.first_lane()] + static_cast<A>(d.offset);
  const Decoded* next = site.run(warp, d);
  if (next == nullptr) return next;
  warp.core->checker->shared_load(warp, d, site, base, warp.core->memos[d.memo]);
  return BlockChecker::followed(warp, next);
}

/// Whether the load can change its own addresses: registers that are no longer needed are used again.
bool overwrites_address(const Decoded& d, const AccessSite& site) {
  if (site.elements != 1) return true;
  constexpr std::uint32_t kWidestRegister = 8 * kWarpLanes;
  return d.dst - d.a < kWidestRegister || d.a - d.dst < kWidestRegister;
}

/// Plain loads from global memory, as observed_shared_load().
template <bool kOverwritesAddress>
const Decoded* observed_global_load(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  BlockChecker& checker = *warp.core->checker;
  const std::uint64_t base = reinterpret_cast<const std::uint64_t*>(warp.file + d.a)[warp.first_lane()] +
                             static_cast<std::uint64_t>(std::int64_t{d.offset});
  Addresses addresses;
  if constexpr (kOverwritesAddress) addresses = BlockChecker::addresses_of(warp, d, site);
  const Decoded* next = site.run(warp, d);
  const auto find_addresses = [&] {
    if constexpr (!kOverwritesAddress) addresses = BlockChecker::addresses_of(warp, d, site);
  };
  const Memo& memo = warp.core->memos[d.memo];
  if (next != nullptr && checker.unstored_load(warp, d, site, base, memo))
    return BlockChecker::followed(warp, next);
  if (next != nullptr && checker.repeats_in_block(warp, site, base, memo))
    return BlockChecker::followed(warp, next);
  if (site.is_read_only && checker.has_stored_globally()) [[unlikely]] {
    const bool has_memo = next != nullptr && memo.mask == warp.mask;
    if (!has_memo || checker.may_have_stored(base + memo.lowest, base + memo.highest + site.bytes())) {
      find_addresses();
      checker.read_only_load(warp, site, addresses);
    }
  }
  if (next == nullptr || !checker.global_load(warp, d, site, base, memo)) [[unlikely]] {
    find_addresses();
    checker.access(warp, d, site, addresses);
  }
  return BlockChecker::followed(warp, next);
}

/// Whether the active lanes' addresses differ as the instruction's memo says.
template <class A>
bool has_pattern(const Warp& warp, const Decoded& d, const Memo& memo) {
  const A* address = reinterpret_cast<const A*>(warp.file + d.a);
  const A base = address[warp.first_lane()];
  A elsewhere = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const A on = static_cast<A>(static_cast<std::int32_t>(warp.on[lane]));
    elsewhere |= ((address[lane] - base) ^ static_cast<A>(memo.delta[lane])) & on;
  }
  return elsewhere == 0 && memo.mask == warp.mask;
}

/// Plain stores: the checker uses what the instruction has learned about its addresses if they follow the
/// same pattern again.
const Decoded* observed_shared_store(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  const Memo& memo = warp.core->memos[d.memo];
  const bool can_follow_pattern = warp.mask == kFullMask && memo.form.space == ptx::Space::shared &&
                                  memo.pattern == Memo::Pattern::groups_contiguous;
  if (!can_follow_pattern || !has_pattern<std::uint32_t>(warp, d, memo)) return observed(warp, d);
  const std::uint32_t base =
      reinterpret_cast<const std::uint32_t*>(warp.file + d.a)[0] + static_cast<std::uint32_t>(d.offset);
  const bool is_noted = warp.core->checker->shared_store(warp, d, site, base, memo);
  return is_noted ? BlockChecker::followed(warp, site.run(warp, d)) : observed(warp, d);
}

const Decoded* observed_global_store(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  BlockChecker& checker = *warp.core->checker;
  const Memo& memo = warp.core->memos[d.memo];
  if (memo.form.space != ptx::Space::global || !has_pattern<std::uint64_t>(warp, d, memo)) {
    // As the instruction itself would.
    const bool can_learn = site.space == ptx::Space::global && checker.compares_blocks();
    if (!can_learn) return observed(warp, d);
    const AccessForm form{ptx::Space::global, Traffic::store, static_cast<std::uint8_t>(site.bytes()),
                          site.element_bytes};
    learn(warp, d, BlockChecker::addresses_of(warp, d, site), form);
  }
  const std::uint64_t base = reinterpret_cast<const std::uint64_t*>(warp.file + d.a)[warp.first_lane()] +
                             static_cast<std::uint64_t>(std::int64_t{d.offset});
  const bool is_noted = checker.global_store(warp, d, site, base, memo);
  return is_noted ? BlockChecker::followed(warp, site.run(warp, d)) : observed(warp, d);
}

/// The read of a cp.async, which can have fewer bytes than its write: word by word then. A part of a word
/// counts as the word.
void note_read_of_copy(Warp& warp, const Decoded& d, const AccessSite& site) {
  BlockChecker& checker = *warp.core->checker;
  Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  const std::uint32_t mask = warp.mask;
  const auto reading = [&](std::uint32_t bytes) {  // lanes that read more
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (source_bytes(warp, d, lane, site.bytes()) > bytes) lanes |= 1U << static_cast<unsigned>(lane);
    }
    return lanes;
  };
  if (reading(site.bytes() - 1) == mask) return checker.access(warp, d, site, addresses);
  AccessSite word = site;
  word.elements = 1;
  for (std::uint32_t at = 0; at < site.bytes(); at += word.bytes()) {
    if (const std::uint32_t lanes = reading(at)) {
      warp.set_mask(lanes);
      checker.access(warp, d, word, addresses);
      warp.set_mask(mask);
    }
    for (std::uint64_t& address : addresses) address += word.bytes();
  }
}

/// cp.async: its read is an access now; its write is under way until a thread waits for it.
const Decoded* observed_copy(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  BlockChecker& checker = *warp.core->checker;
  note_read_of_copy(warp, d, site);
  const auto& pending = warp.copies.pending;
  const std::size_t before = pending.size();
  const Decoded* next = site.run(warp, d);
  if (next == nullptr) return next;
  for (std::size_t i = before; i < pending.size(); ++i) checker.begin_of_copy(warp, pending[i], site);
  return next;
}

/// mbarrier and cp.async.mbarrier: barriers are words of shared memory, too. The instruction itself reports
/// wrong addresses.
const Decoded* observed_barrier(Warp& warp, const Decoded& d) {
  const AccessSite& site = site_of(warp, d);
  const bool is_one = name_one_barrier(warp, d);
  for (std::uint32_t rest = warp.mask; rest != 0; rest = is_one ? 0 : rest & (rest - 1)) {
    const int lane = std::countr_zero(rest);
    if (const auto at = barrier_word(warp, d, lane))
      warp.core->checker->barrier_object(warp, site, is_one ? rest : rest & -rest, *at);
  }
  return site.run(warp, d);
}

bool is_wide_register(const ptx::Operand& operand, const Operands& operands, std::uint8_t otherwise) {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  return (reg == nullptr ? otherwise : operands.lane_bytes(*reg)) == 8;
}

bool has_wide_address(const ptx::Operand& operand, const Operands& operands) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
  return base == nullptr || operands.lane_bytes(*base) == 8;
}

/// Memory of a thread's own: BlockChecker notes only what is written there. Parameters are stored for a
/// function that is called.
bool is_private(ptx::Space space) { return space == ptx::Space::local || space == ptx::Space::param; }

/// nullopt for instructions that access no memory, and for loads of parameters.
std::optional<AccessSite> access_site(const ptx::Instruction& instruction, const Operands& operands) {
  const ptx::Access access = instruction.traits().access;
  const bool is_load = access == ptx::Access::load;
  const bool is_reduction = access == ptx::Access::reduction;
  AccessSite site;
  site.is_atomic = is_reduction || access == ptx::Access::atomic;
  site.is_store = site.is_atomic || access == ptx::Access::store;
  site.space = space_of(instruction);
  site.element_bytes = static_cast<std::uint8_t>(size_of(type_of(instruction)));
  const bool is_watched = site.space == ptx::Space::shared || site.space == ptx::Space::global ||
                          site.space == ptx::Space::generic || site.space == ptx::Space::constant ||
                          site.space == ptx::Space::local || (site.space == ptx::Space::param && !is_load);
  // The address is the second operand of loads and atomics, which have a result, and the first of stores and
  // reductions.
  const std::size_t where = is_load || (site.is_atomic && !is_reduction) ? 1 : 0;
  if ((!is_load && !site.is_store) || !is_watched || site.element_bytes == 0) return std::nullopt;
  if (instruction.operands.size() <= where + (is_load ? 0 : 1)) return std::nullopt;
  const ptx::Operand& value = instruction.operands[is_load ? 0 : where + 1];
  if (const auto* vector = std::get_if<ptx::Vector>(&value.value)) {
    site.elements = static_cast<std::uint8_t>(vector->elements.size());
    if (!vector->elements.empty())
      site.has_wide_value = is_wide_register(vector->elements[0], operands, site.element_bytes);
  } else {
    site.has_wide_value = is_wide_register(value, operands, site.element_bytes);
  }
  site.has_wide_address = has_wide_address(instruction.operands[where], operands);
  site.loads_registers = is_load;
  site.stores_registers = instruction.opcode == ptx::Opcode::st;
  site.is_strong = is_strong(instruction);
  site.is_volatile = has_modifier(instruction, "volatile");
  site.releases = has_modifier(instruction, "release") || has_modifier(instruction, "acq_rel");
  site.acquires = has_modifier(instruction, "acquire") || has_modifier(instruction, "acq_rel");
  site.is_of_block = has_modifier(instruction, "cta");
  const bool is_exch = site.is_atomic && has_modifier(instruction, "exch");
  site.overwrites = is_exch;
  site.is_exchange = is_exch || (site.is_atomic && has_modifier(instruction, "cas"));
  site.is_read_only = has_modifier(instruction, "nc");
  return site;
}

std::uint32_t smaller_granule(std::uint32_t granule, const AccessSite& site) {
  return std::min<std::uint32_t>(granule, site.element_bytes);
}

/// Instructions on barrier objects: all count as atomic, except the one that initialises a barrier. (The one
/// that invalidates it is not atomic either. But libraries order it after the arrivals of many threads by
/// counting these with an atomic operation, and a shadow that records one arrival for all of them cannot
/// detect this order.)
std::optional<AccessSite> barrier_site(const ptx::Instruction& instruction) {
  const ptx::Access access = instruction.traits().access;
  const bool is_object = access == ptx::Access::barrier_object && !has_modifier(instruction, "pending_count");
  const bool is_arrival = access == ptx::Access::async_copy && has_modifier(instruction, "mbarrier");
  if (!is_object && !is_arrival) return std::nullopt;
  const bool is_wait = has_modifier(instruction, "test_wait") || has_modifier(instruction, "try_wait");
  AccessSite site;
  site.space = ptx::Space::shared;
  site.is_atomic = !has_modifier(instruction, "init");
  site.is_store = !is_wait;
  site.element_bytes = 4;
  site.elements = 2;
  return site;
}

/// The read of a cp.async, which happens when it is issued; BlockChecker::begin_of_copy() handles the write.
std::optional<AccessSite> copy_site(const ptx::Instruction& instruction) {
  const bool is_copy =
      instruction.traits().access == ptx::Access::async_copy && instruction.operands.size() >= 3;
  const auto* bytes = is_copy ? std::get_if<ptx::Immediate>(&instruction.operands[2].value) : nullptr;
  if (bytes == nullptr || bytes->bits % 4 != 0 || bytes->bits > kWidestAccess) return std::nullopt;
  AccessSite site;
  site.space = ptx::Space::global;
  site.has_wide_address = true;
  site.element_bytes = 4;
  site.elements = static_cast<std::uint8_t>(bytes->bits / 4);
  return site;
}

/// suld and sust: their first step has computed global addresses.
std::optional<AccessSite> surface_site(const ptx::Instruction& instruction) {
  const auto form = surface_form(table_name(instruction));
  if (!form) return std::nullopt;
  AccessSite site;
  site.space = ptx::Space::global;
  site.is_store = form->is_store;
  site.has_wide_address = true;
  site.has_wide_value = form->element_bytes == sizeof(std::uint64_t);
  site.element_bytes = form->element_bytes;
  site.elements = form->elements;
  return site;
}

/// Replaces the handler of the program's last instruction by `watcher`, which calls the original handler.
void watch(Program& program, AccessSite site, Handler watcher) {
  Decoded& d = program.code.back();
  Handler& slot = d.run == control::guard ? d.guarded : d.run;
  site.run = slot;
  site.origin = d.origin;
  CheckedSites& checked = program.checked;
  constexpr std::size_t kMaxNumbers = std::numeric_limits<SiteIndex>::max();
  if (checked.numbered.size() < kMaxNumbers)
    checked.numbered.push_back(static_cast<std::uint32_t>(program.code.size() - 1));
  site.number = static_cast<SiteIndex>(checked.numbered.size() - 1);
  // BlockChecker notes ranges of constant memory, no granules.
  const bool has_granules = site.space != ptx::Space::constant && !is_private(site.space);
  if (site.space != ptx::Space::global && has_granules)
    checked.shared_granule = smaller_granule(checked.shared_granule, site);
  if (site.space != ptx::Space::shared && has_granules)
    checked.global_granule = smaller_granule(checked.global_granule, site);
  slot = watcher;
  checked.by_code.resize(program.code.size());
  checked.by_code.back() = site;
  checked.has_block_scope |= site.is_of_block;
  checked.has_device_fence |= site.releases && !site.is_of_block;
}

/// The watcher of an instruction that accesses memory at the addresses of one register.
Handler watcher_of(const Decoded& d, const AccessSite& site) {
  if (site.is_atomic || site.is_strong || (is_private(site.space) && site.readers == kNowhere))
    return observed;
  if (site.readers != kNowhere) return observed_speculated_load;
  const bool is_shared = site.space == ptx::Space::shared;
  const bool is_global = site.space == ptx::Space::global || site.space == ptx::Space::generic;
  if (is_global && !site.is_store && site.has_wide_address)
    return overwrites_address(d, site) ? observed_global_load<true> : observed_global_load<false>;
  if (is_global && site.is_store && site.has_wide_address) return observed_global_store;
  if (site.elements != 1) return observed;
  if (site.is_store) return is_shared && !site.has_wide_address ? observed_shared_store : observed;
  if (is_shared && site.element_bytes >= kWordBytes)
    return site.has_wide_address ? observed_shared_load<std::uint64_t> : observed_shared_load<std::uint32_t>;
  return observed;
}

}  // namespace

void observe(Program& program, const ptx::Instruction& instruction, const Operands& operands,
             const AccessFacts& facts) {
  if (const auto copy = copy_site(instruction)) return watch(program, *copy, observed_copy);
  if (const auto barrier = barrier_site(instruction)) return watch(program, *barrier, observed_barrier);
  std::optional<AccessSite> site = surface_site(instruction);
  const bool is_surface = site.has_value();
  if (!is_surface) site = access_site(instruction, operands);
  if (!site) return;
  site->observes = site->is_atomic ? program.code.back().dst != kNowhere : site->is_strong && !site->is_store;
  site->overwrites = site->overwrites && program.code.back().dst == kNowhere;
  if (facts.is_guess) {  // races as a relaxed load does; `observes` stays unchanged
    site->is_strong = true;
    site->is_volatile = false;
  }
  if (facts.readers) {
    site->readers = operands.register_at(facts.readers->predicate, Lane::predicate);
    site->reads_if_holds = facts.readers->if_holds;
  }
  for (const PlacedVariable& variable : program.shared_variables) {
    if (variable.name != facts.shared_base || variable.size_bytes == 0) continue;
    site->array_start = static_cast<std::uint32_t>(variable.start);
    site->array_end = static_cast<std::uint32_t>(variable.start + variable.size_bytes);
  }
  // A surface's instruction has no memo.
  watch(program, *site, is_surface ? observed : watcher_of(program.code.back(), *site));
}

void observe(Program& program, AccessSite site) {
  watch(program, site, watcher_of(program.code.back(), site));
}

}  // namespace vgpu::exec
