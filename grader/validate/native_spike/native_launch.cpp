#include "validate/native_spike/native_launch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <dlfcn.h>

#include "vgpu/model/profile.hpp"
#include "vgpu/run/grid.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/access_cost.hpp"
#include "vgpu/state/unwritten.hpp"

namespace spike {
namespace {

using vgpu::exec::BlockView;
using vgpu::exec::kWaveBlocks;
using vgpu::exec::Memo;

constexpr std::size_t kViewBytes = std::size_t{1} << 20U;
constexpr std::int64_t kBudget = std::int64_t{1} << 32U;

native::Kernel load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(::dlerror());
  return *static_cast<const native::Kernel*>(::dlsym(handle, "kernel"));
}

void set(std::uint32_t (&to)[3], const vgpu::Dim3& from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

void add(vgpu::SectorTraffic& to, const vgpu::SectorTraffic& one, std::uint64_t times) {
  to.requests += times * one.requests;
  to.sectors += times * one.sectors;
  to.requested_bytes += times * one.requested_bytes;
}

void add(vgpu::SharedTraffic& to, const vgpu::SharedTraffic& one, std::uint64_t times) {
  to.requests += times * one.requests;
  to.wavefronts += times * one.wavefronts;
  to.bank_conflicts += times * one.bank_conflicts;
  to.requested_bytes += times * one.requested_bytes;
}

bool is_side_by_side(const native::AddressClass& lanes) {
  return lanes.mask == native::kAllLanes && lanes.pattern == native::Pattern::contiguous;
}

Memo memo_of(const native::AddressClass& lanes, bool is_shared, bool is_store) {
  Memo memo;
  std::copy(std::begin(lanes.delta), std::end(lanes.delta), memo.delta.begin());
  std::copy(std::begin(lanes.delta32), std::end(lanes.delta32), memo.delta32.begin());
  memo.mask = lanes.mask;
  memo.pattern = lanes.pattern == native::Pattern::contiguous ? Memo::Pattern::groups_contiguous
                 : lanes.pattern == native::Pattern::uniform  ? Memo::Pattern::groups_uniform
                                                              : Memo::Pattern::scattered;
  memo.lowest = static_cast<std::uint64_t>(lanes.lowest);
  memo.highest = static_cast<std::uint64_t>(lanes.highest);
  memo.alignment = lanes.alignment;
  memo.form = {is_shared ? vgpu::ptx::Space::shared : vgpu::ptx::Space::global,
               is_store ? vgpu::exec::Traffic::store : vgpu::exec::Traffic::load, 4, 4};
  return memo;
}

}  // namespace

NativeLaunch::NativeLaunch(const Work& work, const std::string& library, Level level)
    : work_(work),
      kernel_(load(library)),
      level_(level),
      memory_(std::size_t{1} << 32U, level == Level::checks) {
  const auto allocate = [&](std::size_t bytes) { return memory_.allocate(bytes, vgpu::exec::Purpose::heap); };
  const auto write = [&](std::uint64_t to, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), memory_.host(to, bytes.size()));
    memory_.mark_written(to, bytes.size());
  };
  parameters_ = parameters_of(work, addresses_, allocate, write);
  const std::size_t warps = work.block.count() / 32;
  warps_.resize(warps);
  has_ended_.resize(warps);
  saved_ = vgpu::exec::aligned_bytes(std::max<std::size_t>(warps * kernel_.saved_bytes, 1));
  shared_ = vgpu::exec::aligned_bytes(std::max<std::size_t>(kernel_.shared_bytes, 1));
  classes_.resize(kernel_.classes);
  groups_.resize(kernel_.group_count);
  sites_.resize(kernel_.group_count);
  costs_.resize(kernel_.group_count);
  tallies_.resize(kernel_.block_count);
  for (std::uint32_t i = 0; i < kernel_.site_count; ++i) sites_[kernel_.sites[i].group].push_back(i);
  for (std::uint32_t index = 0; index < warps; ++index) {
    native::Warp& warp = warps_[index];
    warp.index = index;
    warp.saved = saved_.get() + std::size_t{index} * kernel_.saved_bytes;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = index * 32 + lane;
      warp.tid[0][lane] = thread % work.block.x;
      warp.tid[1][lane] = thread / work.block.x % work.block.y;
      warp.tid[2][lane] = thread / work.block.x / work.block.y;
    }
  }
  context_.parameters = parameters_.data();
  set(context_.ntid, work.block);
  set(context_.nctaid, work.grid);
  context_.shared = shared_.get();
  context_.shared_bytes = kernel_.shared_bytes;
  context_.classes = classes_.data();
  context_.groups = groups_.data();
  context_.tallies = tallies_.data();
  context_.services = {learn, locate, store_words, load_words, check};
  for (std::uint64_t i = 0; counts() && i < kWaveBlocks; ++i)
    views_.push_back(std::make_unique<BlockView>(kViewBytes));
  if (checks()) prepare_checks();
}

void NativeLaunch::prepare_checks() {
  Checking& to = checking_;
  auto parsed = vgpu::ptx::parse(text_of(work_));
  if (!parsed) fail(parsed.error().what);
  auto loaded = vgpu::exec::LoadedModule::load(std::move(*parsed), memory_, vgpu::lecture_profile(), 1,
                                               vgpu::exec::Watching::on);
  if (!loaded) fail(loaded.error());
  to.module = std::move(*loaded);
  to.program = &to.module->kernel(work_.kernel)->program;
  to.context.emplace(vgpu::exec::LaunchContext{.program = to.program,
                                               .grid = work_.grid,
                                               .block = work_.block,
                                               .parameters = parameters_,
                                               .shared_bytes = kernel_.shared_bytes,
                                               .dynamic_shared_bytes = 0,
                                               .local_bytes = 0,
                                               .local_stride = 0,
                                               .stack_bytes = 0,
                                               .cooperative = false,
                                               .grid_workspace = 0,
                                               .sm_count = vgpu::lecture_profile().sm_count,
                                               .warps_backwards = false,
                                               .max_polls_in_vain = 0,
                                               .printf_bytes = 0,
                                               .checks = {true, true},
                                               .launch_checker = nullptr,
                                               .has_caches = false,
                                               .l1_bytes = 0,
                                               .l2_bytes = 0,
                                               .clock = nullptr});
  const auto& by_code = to.program->checked.by_code;
  for (std::uint32_t i = 0; i < by_code.size(); ++i)
    if (by_code[i].run != nullptr) to.code.push_back(i);
  to.checker = std::make_unique<vgpu::exec::BlockChecker>(*to.context, memory_);
  to.core.launch = &*to.context;
  to.core.memory = &memory_;
  to.core.checker = to.checker.get();
  to.core.shared = shared_.get();
  to.core.warps.resize(warps_.size());
  to.registers.resize(to.program->file_bytes);
  to.memos.resize(kernel_.site_count);
  to.logs.resize(kWaveBlocks);
  to.findings.resize(kWaveBlocks);
  for (std::uint32_t index = 0; index < warps_.size(); ++index) {
    vgpu::exec::Warp& warp = to.core.warps[index];
    warp.core = &to.core;
    warp.index = index;
    warp.file = to.registers.data();
    warp.live = vgpu::exec::kFullMask;
    warp.joins.resize(1);
    warp.set_mask(vgpu::exec::kFullMask);
  }
}

void NativeLaunch::launch() {
  self_ = this;
  counters_ = {};
  sums_.assign(kernel_.block_count, {});
  if (checks()) {
    checking_.launch_checker = std::make_unique<vgpu::exec::LaunchChecker>(*checking_.context, memory_, 1);
    checking_.context->launch_checker = checking_.launch_checker.get();
  }
  const std::uint64_t blocks = work_.grid.count();
  for (std::uint64_t first = 0; first < blocks; first += kWaveBlocks) {
    const std::uint64_t count = std::min(kWaveBlocks, blocks - first);
    for (std::uint64_t i = 0; i < count; ++i) run_block(first + i, i);
    for (std::uint64_t i = 0; counts() && i < count; ++i) commit(first + i, i);
  }
  sum_up();
  if (!checks()) return;
  findings_ = checking_.launch_checker->take_findings();
  accesses_ = checking_.launch_checker->take_accesses();
}

std::vector<float> NativeLaunch::result() const {
  std::vector<float> values(work_.expected.size());
  const std::size_t bytes = values.size() * sizeof(float);
  std::memcpy(values.data(), memory_.host(addresses_[work_.result], bytes), bytes);
  return values;
}

void NativeLaunch::run_block(std::uint64_t index, std::uint64_t in_wave) {
  if (counts()) {
    view_ = views_[in_wave].get();
    view_->clear();
  }
  context_.touched = 0;
  context_.budget = kBudget;
  const vgpu::Dim3 block{static_cast<std::uint32_t>(index % work_.grid.x),
                         static_cast<std::uint32_t>(index / work_.grid.x % work_.grid.y),
                         static_cast<std::uint32_t>(index / work_.grid.x / work_.grid.y)};
  set(context_.ctaid, block);
  vgpu::fill_unwritten(shared_.get(), kernel_.shared_bytes);
  for (native::Warp& warp : warps_) {
    warp.resume = 0;
    warp.live = native::kAllLanes;
  }
  if (checks()) {
    checking_.core.block = block;
    checking_.core.view = view_;
    checking_.checker->begin_block(index, nullptr);
  }
  has_ended_.assign(warps_.size(), false);
  for (std::size_t running = warps_.size(); running != 0;) {
    std::uint32_t waiting = 0;
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      if (has_ended_[i]) continue;
      const native::Status status = kernel_.run(context_, warps_[i]);
      if (status == native::Status::gives_up) fail("a block gives up; the spike cannot fall back");
      has_ended_[i] = status == native::Status::ended;
      running -= has_ended_[i] ? 1 : 0;
      waiting |= (has_ended_[i] ? 0U : 1U) << i;
    }
    if (checks() && waiting != 0) checking_.checker->barrier(waiting, true, 0);
  }
  if (counts()) settle_block();
  if (!checks()) return;
  checking_.logs[in_wave] = checking_.checker->take_log();
  checking_.findings[in_wave] = checking_.checker->take_findings();
}

/// In the order of blocks, as Grid does.
void NativeLaunch::commit(std::uint64_t block, std::uint64_t in_wave) {
  if (checks()) {
    checking_.launch_checker->add(std::move(checking_.findings[in_wave]), false);
    checking_.launch_checker->add(block, checking_.logs[in_wave], views_[in_wave].get());
  }
  views_[in_wave]->commit(memory_);
}

void NativeLaunch::settle_block() {
  for (std::uint32_t i = 0; i < kernel_.block_count; ++i) {
    sums_[i].warps += tallies_[i].warps;
    sums_[i].threads += tallies_[i].threads;
    sums_[i].diverged += tallies_[i].diverged;
    tallies_[i] = {};
  }
  for (std::uint32_t group = 0; group < kernel_.group_count; ++group) settle(group);
}

void NativeLaunch::settle(std::uint32_t group) {
  native::AccessGroup& at = groups_[group];
  for (std::uint64_t base = 0; base < vgpu::kSectorBytes; base += 4) {
    const std::uint64_t times = std::exchange(at.seen[base], 0);
    if (times == 0) continue;
    GroupCost& cost = costs_[group][base / 4];
    if (!cost.is_known) cost = cost_of(group, base);
    add(counters_.global_loads, cost.loads, times);
    add(counters_.global_stores, cost.stores, times);
    add(counters_.shared_loads, cost.shared_loads, times);
    add(counters_.shared_stores, cost.shared_stores, times);
  }
}

NativeLaunch::GroupCost NativeLaunch::cost_of(std::uint32_t group, std::uint64_t base) const {
  // Makes all addresses positive without changing sectors or banks.
  constexpr std::uint64_t kFarAway = std::uint64_t{1} << 40U;
  const native::GroupFacts& facts = kernel_.groups[group];
  const native::AddressClass& lanes = classes_[facts.address_class];
  GroupCost cost{.is_known = true, .loads = {}, .stores = {}, .shared_loads = {}, .shared_stores = {}};
  for (const std::uint32_t index : sites_[group]) {
    const native::Site& site = kernel_.sites[index];
    vgpu::exec::Addresses addresses{};
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
      addresses[lane] =
          kFarAway + base + lanes.delta[lane] + static_cast<std::uint64_t>(std::int64_t{site.offset});
    const vgpu::exec::AccessForm form = memo_of(lanes, facts.is_shared, site.is_store).form;
    const vgpu::exec::AccessCost one = vgpu::exec::cost_of_access(form, lanes.mask, addresses);
    const std::uint64_t bytes = std::uint64_t{form.bytes} * static_cast<unsigned>(std::popcount(lanes.mask));
    if (facts.is_shared) {
      vgpu::SharedTraffic& to = site.is_store ? cost.shared_stores : cost.shared_loads;
      to.requests += 1;
      to.wavefronts += one.units;
      to.bank_conflicts += static_cast<unsigned>(one.units - one.ideal);
      to.requested_bytes += bytes;
    } else {
      add(site.is_store ? cost.stores : cost.loads, {1, one.units, bytes}, 1);
    }
  }
  return cost;
}

void NativeLaunch::sum_up() {
  for (std::uint32_t i = 0; i < kernel_.block_count; ++i) {
    const native::BlockFacts& facts = kernel_.blocks[i];
    counters_.warp_instructions += sums_[i].warps * facts.instructions;
    counters_.thread_instructions += sums_[i].threads * facts.instructions;
    counters_.flops += sums_[i].threads * facts.flops;
    counters_.branches += facts.is_branch ? sums_[i].warps : 0;
    counters_.divergent_branches += sums_[i].diverged;
    counters_.barriers += facts.is_barrier ? sums_[i].warps : 0;
  }
}

void NativeLaunch::learn(native::Context& c, std::uint32_t index, const std::uint64_t* addresses,
                         native::Mask mask) {
  native::AddressClass& to = c.classes[index];
  const native::Kernel& kernel = self_->kernel_;
  for (std::uint32_t group = 0; group < kernel.group_count; ++group) {
    if (kernel.groups[group].address_class != index) continue;
    self_->settle(group);
    self_->costs_[group] = {};
  }
  to = {};
  to.mask = mask;
  const std::uint64_t base = addresses[std::countr_zero(mask)];
  bool contiguous = true, uniform = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint64_t delta = (mask >> lane & 1U) != 0 ? addresses[lane] - base : 0;
    to.delta[lane] = delta;
    to.delta32[lane] = static_cast<std::uint32_t>(delta);
    to.alignment |= delta;
    to.lowest = std::min(to.lowest, static_cast<std::int64_t>(delta));
    to.highest = std::max(to.highest, static_cast<std::int64_t>(delta));
    const std::uint64_t in_group = delta - to.delta[lane & ~7U];
    contiguous &= in_group == 4 * (lane % 8);
    uniform &= in_group == 0;
  }
  to.pattern = contiguous ? native::Pattern::contiguous
               : uniform  ? native::Pattern::uniform
                          : native::Pattern::scattered;
  for (std::uint32_t i = 0; self_->checks() && i < kernel.site_count; ++i) {
    const native::GroupFacts& facts = kernel.groups[kernel.sites[i].group];
    if (facts.address_class == index)
      self_->checking_.memos[i] = memo_of(to, facts.is_shared, kernel.sites[i].is_store);
  }
}

bool NativeLaunch::locate(native::Context& c, std::uint32_t group, std::uint64_t low, std::uint64_t high) {
  const vgpu::exec::Segment* segment = self_->memory_.holding(low, high - low);
  if (segment == nullptr) return false;
  native::AccessGroup& at = c.groups[group];
  at.start = segment->start;
  at.end = segment->end();
  at.host = segment->data.get();
  at.segment = std::uint64_t{1} << std::min<std::uint64_t>(vgpu::exec::segment_number(at.start), 63);
  return true;
}

void NativeLaunch::store_words(native::Context& /*c*/, const native::AddressClass& lanes, std::uint64_t base,
                               const std::uint32_t* words) {
  if (is_side_by_side(lanes)) {
    for (int lane = 0; lane < 32; lane += 8)
      self_->view_->store(base + lanes.delta[lane], reinterpret_cast<const std::byte*>(words + lane), 32);
    return;
  }
  for (native::Mask rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    self_->view_->store(base + lanes.delta[lane], reinterpret_cast<const std::byte*>(words + lane), 4);
  }
}

void NativeLaunch::load_words(native::Context& /*c*/, const native::AddressClass& lanes, std::uint64_t base,
                              const std::byte* host, std::uint32_t* words) {
  const int step = is_side_by_side(lanes) ? 8 : 1;
  for (int lane = 0; lane < 32; lane += step)
    self_->view_->load(base + lanes.delta[lane], host + static_cast<std::int64_t>(lanes.delta[lane]),
                       reinterpret_cast<std::byte*>(words + lane), static_cast<std::size_t>(step) * 4);
}

/// As the handlers of decode/checked_accesses.cpp.
bool NativeLaunch::check(native::Context& /*c*/, std::uint32_t warp_index, std::uint32_t site,
                         std::uint64_t base, const std::uint32_t* words) {
  Checking& in = self_->checking_;
  vgpu::exec::Warp& warp = in.core.warps[warp_index];
  Memo& memo = in.memos[site];
  if (warp.mask != memo.mask) warp.set_mask(memo.mask);
  const native::Site& facts = self_->kernel_.sites[site];
  const std::uint32_t index = in.code[facts.access];
  const vgpu::exec::Decoded& d = in.program->code[index];
  const vgpu::exec::AccessSite& access = in.program->checked.by_code[index];
  const auto addresses = [&] {
    vgpu::exec::Addresses all;
    for (std::size_t lane = 0; lane < all.size(); ++lane) all[lane] = base + memo.delta[lane];
    return all;
  };
  if (words != nullptr) {
    std::memcpy(warp.file + d.dst, words, sizeof(std::uint32_t) * 32);  // the checker compares with memory
    in.checker->access(warp, d, access, addresses());
  } else if (access.space == vgpu::ptx::Space::shared) {
    in.checker->shared_load(warp, d, access, base, memo);
  } else {
    const native::AccessGroup& at = self_->groups_[facts.group];
    memo.start = at.start;
    memo.end = at.end;
    memo.host = at.host;
    memo.allocation = static_cast<std::uint32_t>(vgpu::exec::segment_number(at.start));
    if (!in.checker->global_load(warp, d, access, base, memo))
      in.checker->access(warp, d, access, addresses());
  }
  // A value that must be followed is the interpreter's work.
  return vgpu::exec::BlockChecker::followed(warp, &d) != nullptr;
}

}  // namespace spike
