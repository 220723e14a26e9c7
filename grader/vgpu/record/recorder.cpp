#include "vgpu/record/recorder.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/check/block_checker.hpp"
#include "vgpu/state/access_cost.hpp"

namespace vgpu::exec {
namespace {

std::uint32_t distinct(const Addresses& addresses, std::uint32_t lanes) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    seen.insert(addresses[std::countr_zero(rest)]);
  return static_cast<std::uint32_t>(seen.size());
}

/// Sectors that the same number of different addresses would take if they were adjacent.
std::uint32_t ideal_sectors(const Addresses& addresses, std::uint32_t lanes, std::uint32_t bytes) {
  return (distinct(addresses, lanes) * bytes + kSectorBytes - 1) / kSectorBytes;
}

/// The lanes of `lanes` whose generic address is in shared memory, or in global memory.
std::uint32_t lanes_in(ptx::Space space, const Addresses& addresses, std::uint32_t lanes) {
  std::uint32_t found = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    const auto is_in = [&](std::uint64_t window) { return address - window < kWindowBytes; };
    const bool is_shared = is_in(kSharedWindow), is_private = is_in(kLocalWindow) || is_in(kParameterWindow);
    if (space == ptx::Space::shared ? is_shared : !is_shared && !is_private) found |= rest & (0U - rest);
  }
  return found;
}

std::uint32_t excess(const RecordedAccess& access) {
  return access.cost - std::min(access.cost, access.ideal);
}

void add(RecordedSite& sum, const RecordedSite& other) {
  sum.executions += other.executions;
  sum.cost += other.cost;
  sum.ideal += other.ideal;
  if (excess(other.worst) > excess(sum.worst)) sum.worst = other.worst;
  if (sum.variable != other.variable) sum.variable.clear();
  if (sum.memory != other.memory) sum.memory.reset();
}

}  // namespace

void BlockRecorder::begin_block(const Core& core) {
  sites_.clear();
  warps_.assign(core.warps.size(), {});
  for (std::uint32_t i = 0; i < warps_.size(); ++i) warps_[i].warp = i;
}

void BlockRecorder::step(Warp& warp, const Decoded& d) {
  if (d.counted_as == kUncountedClass) return;
  add_step(warp, d);
  const auto& sites = program_.checked.by_code;
  const auto index = static_cast<std::size_t>(&d - program_.code.data());
  if (index >= sites.size() || sites[index].run == nullptr) return;
  const AccessSite& site = sites[index];
  if (program_.origins[d.origin].spelled.find("mbarrier") != std::string::npos) return;
  const std::uint32_t lanes = executing_lanes(warp, d);
  if (lanes != 0) add_access(warp, d, site, lanes);
}

void BlockRecorder::add_step(const Warp& warp, const Decoded& d) {
  WarpSteps& own = warps_[warp.index];
  own.waiting += static_cast<unsigned>(std::popcount(warp.live & ~warp.mask));
  const ptx::SourceLine& source = program_.origins[d.origin].source;
  if (!own.steps.empty() && own.left_out == 0) {
    Step& last = own.steps.back();
    if (last.source.line == source.line && last.source.file == source.file && last.active == warp.mask &&
        last.live == warp.live) {
      ++last.instructions;
      return;
    }
  }
  if (own.steps.size() < RecordedPath::kMaxSteps)
    own.steps.push_back({source, warp.mask, warp.live, 1});
  else
    ++own.left_out;
}

void BlockRecorder::add_access(const Warp& warp, const Decoded& d, const AccessSite& site,
                               std::uint32_t lanes) {
  Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  ptx::Space space = site.space;
  if (space == ptx::Space::generic) {
    const std::uint32_t shared = lanes_in(ptx::Space::shared, addresses, lanes);
    space = shared != 0 ? ptx::Space::shared : ptx::Space::global;
    lanes = shared != 0 ? shared : lanes_in(ptx::Space::global, addresses, lanes);
    if (shared != 0)
      for (std::uint64_t& address : addresses) address -= kSharedWindow;
  }
  if ((space != ptx::Space::shared && space != ptx::Space::global) || lanes == 0) return;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    if ((lanes >> lane & 1U) == 0) addresses[lane] = 0;
  const AccessForm form{space, Traffic::load, static_cast<std::uint8_t>(site.bytes()), site.element_bytes};
  const AccessCost cost = cost_of_access(form, lanes, addresses);
  RecordedAccess access{warp.core->block, warp.index, lanes, addresses, cost.units, cost.ideal};
  if (space == ptx::Space::global) access.ideal = ideal_sectors(addresses, lanes, site.bytes());

  RecordedSite one;
  one.space = space;
  one.is_store = site.is_store;
  one.is_atomic = site.is_atomic;
  one.bytes = site.bytes();
  one.executions = 1;
  one.cost = access.cost;
  one.ideal = access.ideal;
  one.first = one.worst = access;
  const std::uint64_t first = addresses[std::countr_zero(lanes)];
  if (space == ptx::Space::shared) {
    if (const auto* variable = variable_at(program_.shared_variables, first)) one.variable = variable->name;
  } else if (const Segment* segment = warp.core->memory->near(first)) {
    one.memory = Fault::Nearest{segment->start, segment->size, 0, segment->ordinal};
  }
  const auto index = static_cast<std::uint32_t>(&d - program_.code.data());
  const auto [known, is_new] = sites_.try_emplace(index, one);
  if (!is_new && known->second.space == space) add(known->second, one);
}

BlockRecording BlockRecorder::take() {
  BlockRecording recording{std::move(sites_), {}};
  const auto most = std::max_element(warps_.begin(), warps_.end(), [](const auto& one, const auto& other) {
    return one.waiting < other.waiting;
  });
  if (most != warps_.end()) recording.steps = std::move(*most);
  sites_.clear();
  return recording;
}

void LaunchRecorder::add(const Dim3& block, BlockRecording recording) {
  for (auto& [index, site] : recording.sites) {
    const auto [known, is_new] = sum_.sites.try_emplace(index, site);
    if (!is_new && known->second.space == site.space) exec::add(known->second, site);
  }
  if (has_steps_ && recording.steps.waiting <= sum_.steps.waiting) return;
  has_steps_ = true;
  block_of_steps_ = block;
  sum_.steps = std::move(recording.steps);
}

Recording LaunchRecorder::take() const {
  Recording result;
  const auto file_of = [&](const ptx::SourceLine& source) {
    return source.file < program_.files.size() ? program_.files[source.file] : "";
  };
  for (const auto& [index, site] : sum_.sites) {
    const Origin& origin = program_.origins[program_.code[index].origin];
    RecordedSite& named = result.sites.emplace_back(site);
    named.file = file_of(origin.source);
    named.line = origin.source.line;
    named.instruction = origin.spelled;
  }
  result.path.block = block_of_steps_;
  result.path.warp = sum_.steps.warp;
  result.path.waiting = sum_.steps.waiting;
  result.path.left_out = sum_.steps.left_out;
  result.path.files = program_.files;
  for (const Step& step : sum_.steps.steps)
    result.path.steps.push_back(
        {step.source.file, step.source.line, step.active, step.live, step.instructions});
  return result;
}

}  // namespace vgpu::exec
