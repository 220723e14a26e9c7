#include "vgpu/run/device.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "vgpu/analysis/changed_votes.hpp"
#include "vgpu/analysis/other_orders.hpp"
#include "vgpu/analysis/scaling.hpp"
#include "vgpu/cost/block_clock.hpp"
#include "vgpu/facts/findings.hpp"
#include "vgpu/flow/calls.hpp"
#include "vgpu/model/occupancy.hpp"
#include "vgpu/model/time.hpp"
#include "vgpu/ptx/fat_binary.hpp"
#include "vgpu/ptx/machine_code.hpp"
#include "vgpu/run/grid.hpp"
#include "vgpu/run/launch_check.hpp"
#include "vgpu/run/loaded_module.hpp"

namespace vgpu {
namespace {

/// Real GPUs pass most parameters in registers, the virtual GPU passes them on the stack. A thread has twice
/// the requested stack, so that programs that fit on a real GPU fit here.
constexpr std::uint32_t kStackSlack = 2;
constexpr std::size_t kMaxStackBytes = std::size_t{512} << 10U;  // local memory per thread, CUDA guide, 17.2

/// A launch whose threads only wait is stopped long before one that works: a poll of memory that shows
/// nothing new counts as this many instructions of the step limit. A launch of a lab can poll 2^20 times, one
/// of a program 2^26 times, which takes a minute; a loop with a retry limit of its own ends earlier.
constexpr std::uint64_t kStepsOfPollInVain = 1024;

/// The memory in which a grid barrier counts arrivals: 32 zeroed bytes during a cooperative launch.
class GridWorkspace {
 public:
  GridWorkspace(exec::GlobalMemory& memory, bool is_needed) : memory_(memory) {
    constexpr std::size_t kBytes = 32;
    if (!is_needed) return;
    address_ = memory.allocate(kBytes, exec::Purpose::variable);
    if (address_ != 0) std::memset(memory.host(address_, kBytes), 0, kBytes);
  }
  ~GridWorkspace() {
    if (address_ != 0) memory_.free(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  std::uint64_t address() const { return address_; }

 private:
  exec::GlobalMemory& memory_;
  std::uint64_t address_ = 0;
};

}  // namespace

using exec::GlobalMemory;
using exec::Kernel;
using exec::LoadedModule;

class Device::Impl {
 public:
  Impl(Profile profile, DeviceOptions options)
      : profile_(std::move(profile)),
        options_(options),
        memory_(memory_bytes(), options_.checks.uninitialised),
        pool_(options.follows_terms ? 1U : std::max(options.cpu_threads, 1U)) {
    if (options.follows_terms && options.checks.any()) terms_.emplace();
  }

  std::uint64_t memory_bytes() const {
    return std::min<std::uint64_t>(profile_.global_bytes, options_.most_memory_bytes);
  }

  LoadedModule* module(ModuleId id) const {
    const auto found = modules_.find(id);
    return found == modules_.end() ? nullptr : found->second.get();
  }
  const Kernel* kernel(ModuleId id, std::string_view name) const {
    LoadedModule* loaded = module(id);
    return loaded == nullptr ? nullptr : loaded->kernel(name);
  }
  exec::LaunchContext context_of(const Launch& launch, const Kernel& kernel, const GridWorkspace& workspace,
                                 const exec::BlockClock* clock) const;
  void run(const Launch& launch, const Kernel& kernel, LaunchRecord& record);
  void refuse(const Kernel& kernel, LaunchRecord& record);
  std::string variable_of(const Fault::Nearest& memory) const;
  void name_variables(std::vector<Fault>& faults) const;
  void count_written(Fault& finding) const;
  std::size_t l1_share(const Launch& launch, const KernelInfo& kernel) const;

  Profile profile_;
  DeviceOptions options_;
  GlobalMemory memory_;
  exec::WorkerPool pool_;
  std::unordered_map<ModuleId, std::unique_ptr<LoadedModule>> modules_;
  ModuleId next_module_ = 1;
  std::size_t text_bytes_ = 0;  ///< total of all modules so far: parsed, they take many times the memory
  std::string printed_;
  std::optional<exec::TermMemory> terms_;
  std::uint32_t stack_bytes_ = 1024;  // CUDA's default
  bool faulted_ = false;
  std::uint64_t granted_ = 0;  ///< launches, on a device that refuses them
};

// A field that this initialiser forgets is an error.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
exec::LaunchContext Device::Impl::context_of(const Launch& launch, const Kernel& kernel,
                                             const GridWorkspace& workspace,
                                             const exec::BlockClock* clock) const {
  const exec::Program& program = kernel.program;
  const std::uint32_t stack_bytes = program.call_sites.empty() ? 0 : kStackSlack * stack_bytes_;
  const std::uint32_t local_bytes = program.local_bytes + stack_bytes;
  return {
      .program = &program,
      .grid = launch.grid,
      .block = launch.block,
      .parameters = {launch.parameters.begin(), launch.parameters.end()},
      .shared_bytes =
          static_cast<std::uint32_t>(kernel.info.static_shared_bytes + launch.dynamic_shared_bytes),
      .dynamic_shared_bytes = static_cast<std::uint32_t>(launch.dynamic_shared_bytes),
      .local_bytes = local_bytes,
      .local_stride =
          (local_bytes + exec::kFrameAlignment - 1) / exec::kFrameAlignment * exec::kFrameAlignment,
      .stack_bytes = stack_bytes_,
      .cooperative = launch.cooperative,
      .grid_workspace = workspace.address(),
      .sm_count = profile_.sm_count,
      .warps_backwards = options_.experiment.scaled == Scaled::block_order ||
                         options_.experiment.scaled == Scaled::block_turns,
      .max_polls_in_vain = options_.step_limit / kStepsOfPollInVain,
      .printf_bytes = options_.printf_bytes - std::min(options_.printf_bytes, printed_.size()),
      .checks = options_.checks,
      .launch_checker = nullptr,  // Grid sets it
      .has_caches = has_caches(profile_),
      .l1_bytes = l1_share(launch, kernel.info),
      .l2_bytes = profile_.l2_bytes,
      .clock = clock,
  };
}
#pragma GCC diagnostic pop

void Device::Impl::run(const Launch& launch, const Kernel& kernel, LaunchRecord& record) {
  const GridWorkspace workspace(memory_, launch.cooperative);
  std::optional<exec::BlockClock> clock;
  if (kernel.program.reads_clock) clock.emplace(kernel.program, profile_);
  const exec::LaunchContext context = context_of(launch, kernel, workspace, clock ? &*clock : nullptr);
  const exec::GridOptions options{
      .step_limit = options_.step_limit,
      .stop = options_.stop,
      .resident_blocks = std::max<std::uint64_t>(exec::resident_blocks(launch, kernel.info, profile_), 1),
      .in_order = options_.experiment.scaled == Scaled::block_turns,
      .records = options_.records && options_.checks.any() && !terms_,
      .terms = terms_ ? &*terms_ : nullptr};
  exec::GridResult result = exec::run_grid(context, memory_, pool_, options);
  record.counters = result.counters;
  record.findings = std::move(result.findings);
  std::erase_if(record.findings, is_of_library);
  record.accesses = std::move(result.accesses);
  record.records_accesses = options_.checks.races;
  record.has_system_scope = kernel.program.has_system_scope;
  record.reads_grid_size = kernel.program.reads_grid_size;
  record.blocks_wait = result.blocks_wait && !launch.cooperative;
  record.shared_use = result.shared_use;
  record.working_blocks = std::min(result.working_blocks, result.storing_blocks);
  record.loading_blocks = result.loading_blocks;
  record.lines = std::move(result.lines);
  if (result.recording) {
    result.recording->ptx = kernel.ptx;
    for (RecordedSite& site : result.recording->sites)
      if (site.memory) site.variable = variable_of(*site.memory);
    record.recording = std::make_shared<const Recording>(*std::move(result.recording));
  }
  const std::uint64_t idle_blocks = launch.grid.count() - result.working_blocks;
  record.time =
      kernel_time(profile_, {result.working_blocks, launch.block.count(), record.occupancy, idle_blocks},
                  result.counters, result.work);
  printed_ += result.printed;
  if (result.out_of_memory) {
    record.error = LaunchError::out_of_resources;
    record.error_detail = "the machine that runs the virtual GPU has too little memory for this launch";
  } else if (result.stopped) {
    record.error = LaunchError::stopped;
    record.error_detail = "the user or the grader stopped the launch";
    faulted_ = true;  // device memory holds partial results
  } else if (result.fault) {
    record.faults.push_back(std::move(*result.fault));
    faulted_ = true;
  }
  name_variables(record.faults);
  name_variables(record.findings);
  for (Fault& finding : record.findings) count_written(finding);
}

void Device::Impl::count_written(Fault& finding) const {
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20U;  // counted in about a millisecond
  const bool is_counted = finding.kind == FaultKind::uninitialised_read && finding.nearest &&
                          finding.space == ptx::Space::global && finding.nearest->size_bytes <= kMostBytes;
  if (!is_counted) return;
  const auto& [start, size, distance, ordinal] = *finding.nearest;
  finding.written_bytes = size - memory_.unwritten_gaps(start, size).bytes;
}

/// The name of the variable that the memory is; empty if none. Global memory that is not an allocation
/// belongs to a variable of some module.
std::string Device::Impl::variable_of(const Fault::Nearest& memory) const {
  std::string name;
  if (memory.ordinal != 0 || memory.start < exec::kDeviceBase) return name;
  for (const auto& [id, module] : modules_)
    if (name.empty()) name = module->variable_at(memory.start);
  return name;
}

void Device::Impl::name_variables(std::vector<Fault>& faults) const {
  for (Fault& fault : faults)
    if (fault.nearest && fault.variable.empty()) fault.variable = variable_of(*fault.nearest);
}

/// A block's share of L1 on an SM that holds as many blocks as fit. L1 and shared memory are one memory, as
/// on all GPUs since Volta: L1 has what the blocks' shared memory leaves, at least one byte.
std::size_t Device::Impl::l1_share(const Launch& launch, const KernelInfo& kernel) const {
  if (profile_.l1_bytes_per_sm == 0) return 0;
  const std::size_t shared = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  const Occupancy fit = occupancy(
      profile_, {launch.block.count(), shared, kernel.registers_per_thread, kernel.registers_are_estimated});
  const std::uint64_t each_sm = (launch.grid.count() + profile_.sm_count - 1) / profile_.sm_count;
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>(fit.blocks_per_sm, 1, std::max<std::uint64_t>(each_sm, 1));
  const std::size_t taken = blocks * (shared + profile_.shared_reserved_bytes);
  return (profile_.l1_bytes_per_sm - std::min(taken, profile_.l1_bytes_per_sm - 1)) / blocks;
}

/// Records the fault of a kernel with an unsupported instruction. The kernel does not run.
void Device::Impl::refuse(const Kernel& kernel, LaunchRecord& record) {
  const exec::Program::Unsupported& unsupported = *kernel.program.unsupported;
  Fault fault;
  fault.kind = FaultKind::unsupported;
  fault.kernel = kernel.info.name;
  fault.source = unsupported.origin.source;
  if (fault.source.file < kernel.program.files.size()) fault.file = kernel.program.files[fault.source.file];
  fault.instruction = unsupported.origin.spelled;
  fault.detail = unsupported.origin.spelled;
  if (!unsupported.detail.empty()) fault.detail += " " + unsupported.detail;
  record.faults.push_back(std::move(fault));
  faulted_ = true;
}

Device::Device(Profile profile, DeviceOptions options)
    : impl_(std::make_unique<Impl>(std::move(profile), options)) {}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

const Profile& Device::profile() const { return impl_->profile_; }
std::uint64_t Device::memory_bytes() const { return impl_->memory_bytes(); }

grader::Expected<ModuleId, std::string> Device::load_module(std::span<const std::byte> image) {
  const auto text = ptx::extract_ptx(image);
  if (!text) return grader::Unexpected<std::string>{text.error()};
  impl_->text_bytes_ += text->size();
  if (impl_->text_bytes_ > ptx::kMaxTextBytes) {
    return grader::Unexpected<std::string>{fmt::format(
        "the program's modules have more than {} bytes of PTX text together", ptx::kMaxTextBytes)};
  }
  auto module = ptx::parse(*text);
  if (!module) {
    return grader::Unexpected<std::string>{
        fmt::format("line {} of the PTX: {}", module.error().ptx_line, module.error().what)};
  }
  exec::scale_values(*module, impl_->options_.experiment.scaled);
  exec::change_order(*module, impl_->options_.experiment.scaled);
  exec::change_votes(*module, impl_->options_.experiment.scaled);
  auto loaded = LoadedModule::load(std::move(*module), impl_->memory_, impl_->profile_, impl_->next_module_,
                                   impl_->options_.checks.any() ? exec::Watching::on : exec::Watching::off);
  if (!loaded) return grader::Unexpected<std::string>{loaded.error()};
  if (impl_->options_.records) (*loaded)->keep_text(*text);
  if (impl_->options_.trusts_machine_code) (*loaded)->set_register_counts(ptx::register_counts(image));
  impl_->modules_.emplace(impl_->next_module_, std::move(*loaded));
  return impl_->next_module_++;
}

void Device::unload_module(ModuleId module) { impl_->modules_.erase(module); }

std::optional<KernelInfo> Device::kernel_info(ModuleId module, std::string_view kernel) const {
  const Kernel* found = impl_->kernel(module, kernel);
  return found == nullptr ? std::nullopt : std::optional(found->info);
}

std::optional<Allocation> Device::symbol(ModuleId module, std::string_view name) const {
  const LoadedModule* loaded = impl_->module(module);
  const std::uint64_t address = loaded == nullptr ? 0 : loaded->symbol(name);
  if (address == 0) return std::nullopt;
  return Allocation{address, impl_->memory_.near(address)->size, 0};
}

std::optional<DevicePtr> Device::allocate(std::size_t size_bytes) {
  const std::uint64_t address = impl_->memory_.allocate(size_bytes, exec::Purpose::heap);
  return address == 0 ? std::nullopt : std::optional(address);
}

bool Device::free(DevicePtr start) {
  const exec::Segment* segment = impl_->memory_.near(start);
  const bool is_heap = segment != nullptr && segment->purpose == exec::Purpose::heap;
  if (is_heap && impl_->terms_) impl_->terms_->forget(start, segment->size);
  return is_heap && impl_->memory_.free(start);
}

std::vector<Allocation> Device::live_allocations() const {
  std::vector<Allocation> live;
  for (const exec::Segment& segment : impl_->memory_.segments()) {
    const bool is_heap = segment.purpose == exec::Purpose::heap;
    if (is_heap && segment.live()) live.push_back({segment.start, segment.size, segment.ordinal});
  }
  return live;
}

KernelAllocations Device::kernel_allocations() const {
  KernelAllocations live;
  for (const exec::Segment& segment : impl_->memory_.segments()) {
    if (segment.purpose != exec::Purpose::device_heap || !segment.live()) continue;
    ++live.count;
    live.bytes += segment.size;
  }
  return live;
}

KernelAllocations Device::free_kernel_allocations() {
  const KernelAllocations freed = kernel_allocations();
  for (const exec::Segment& segment : impl_->memory_.segments())
    if (segment.purpose == exec::Purpose::device_heap && segment.live()) impl_->memory_.free(segment.start);
  return freed;
}

std::optional<Device::AllocationState> Device::allocation_at(DevicePtr address) const {
  const exec::Segment* segment = impl_->memory_.near(address);
  if (segment == nullptr || segment->purpose != exec::Purpose::heap) return std::nullopt;
  if (address < segment->start || address >= segment->end()) return std::nullopt;
  return AllocationState{{segment->start, segment->size, segment->ordinal}, segment->live()};
}

bool Device::holds(DevicePtr start, std::size_t size_bytes) const {
  return impl_->memory_.holding(start, size_bytes) != nullptr;
}

bool Device::write(DevicePtr to, std::span<const std::byte> bytes) {
  std::byte* host = impl_->memory_.host(to, bytes.size());
  if (host == nullptr) return false;
  std::copy(bytes.begin(), bytes.end(), host);
  impl_->memory_.mark_written(to, bytes.size());
  impl_->memory_.mark_stored(to, bytes.size(), 0);
  if (impl_->terms_) impl_->terms_->forget(to, bytes.size());
  return true;
}

bool Device::read(DevicePtr from, std::span<std::byte> bytes) const {
  const std::byte* host = impl_->memory_.host(from, bytes.size());
  if (host == nullptr) return false;
  std::copy_n(host, bytes.size(), bytes.begin());
  return true;
}

bool Device::copy(DevicePtr to, DevicePtr from, std::size_t size_bytes) {
  std::byte* destination = impl_->memory_.host(to, size_bytes);
  const std::byte* source = impl_->memory_.host(from, size_bytes);
  if (destination == nullptr || source == nullptr) return false;
  if (impl_->terms_)
    impl_->terms_->copy(to, from, size_bytes, [&](std::size_t offset) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, source + offset, sizeof bits);
      return bits;
    });
  // CUDA forbids overlapping ranges; memmove keeps them defined.
  std::memmove(destination, source, size_bytes);
  impl_->memory_.copy_written(to, from, size_bytes);
  impl_->memory_.copy_stored(to, from, size_bytes);
  return true;
}

bool Device::fill(DevicePtr to, std::byte value, std::size_t size_bytes) {
  std::byte* host = impl_->memory_.host(to, size_bytes);
  if (host == nullptr) return false;
  std::memset(host, std::to_integer<int>(value), size_bytes);
  if (impl_->terms_) impl_->terms_->fill(to, size_bytes);
  impl_->memory_.mark_written(to, size_bytes);
  impl_->memory_.mark_stored(to, size_bytes, 0);
  return true;
}

bool Device::forget(DevicePtr start, std::size_t size_bytes) {
  std::byte* host = impl_->memory_.host(start, size_bytes);
  if (host == nullptr) return false;
  std::array<std::uint32_t, 4> words = kUnwrittenWords;
  if (const auto word = impl_->options_.experiment.forgotten) words.fill(*word);
  fill_unwritten(host, size_bytes, words);
  impl_->memory_.mark_unwritten(start, size_bytes);
  impl_->memory_.mark_stored(start, size_bytes, 0);
  return true;
}

Device::UnwrittenBytes Device::unwritten(DevicePtr start, std::size_t size_bytes) const {
  const auto gaps = impl_->memory_.unwritten_gaps(start, size_bytes);
  return {gaps.first, gaps.bytes};
}

std::vector<StoreLine> Device::stored_by(DevicePtr start, std::size_t size_bytes) const {
  return impl_->memory_.stored_by(start, size_bytes);
}

const std::vector<StoreLines::Line>& Device::store_lines() const {
  return impl_->memory_.store_lines().lines();
}

std::vector<TermId> Device::terms_of(DevicePtr start, std::size_t size_bytes) const {
  return impl_->terms_ ? impl_->terms_->of_range(start, size_bytes)
                       : std::vector<TermId>(size_bytes / sizeof(std::uint32_t));
}

bool Device::follows_terms() const { return impl_->terms_.has_value(); }

const Terms& Device::terms() const {
  static const Terms kNone;
  return impl_->terms_ ? impl_->terms_->terms() : kNone;
}

bool Device::map_host(DevicePtr start, std::span<std::byte> memory) {
  return impl_->memory_.map_host(start, memory.data(), memory.size());
}

bool Device::unmap_host(DevicePtr start) { return impl_->memory_.unmap_host(start); }

LaunchRecord Device::launch(const Launch& launch) {
  LaunchRecord record;
  record.kernel = launch.kernel;
  record.grid = launch.grid;
  record.block = launch.block;
  record.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  if (impl_->faulted_) {
    record.error = LaunchError::faulted;
    record.error_detail = "an earlier kernel faulted; the device accepts no more launches";
    return record;
  }
  const Kernel* kernel = impl_->kernel(launch.module, launch.kernel);
  if (kernel == nullptr) {
    record.error = LaunchError::unknown_kernel;
    record.error_detail = fmt::format("the module has no kernel {}", launch.kernel);
    return record;
  }
  record.static_shared_bytes = kernel->info.static_shared_bytes;
  const std::vector<bool>& is_read = kernel->info.read_parameter_bytes;
  record.read_parameter_bytes = static_cast<std::size_t>(std::count(is_read.begin(), is_read.end(), true));
  record.registers_per_thread = kernel->info.registers_per_thread;
  record.registers_are_estimated = kernel->info.registers_are_estimated;
  record.occupancy = occupancy(
      impl_->profile_, {launch.block.count(), record.static_shared_bytes + record.dynamic_shared_bytes,
                        record.registers_per_thread, record.registers_are_estimated});
  if (impl_->options_.finds_approximations)
    record.approximations = impl_->module(launch.module)->approximations(launch.kernel);
  const Profile& profile = impl_->profile_;
  const bool is_refused = profile.refused == Refused::launches && impl_->granted_++ >= profile.granted;
  exec::LaunchProblem problem =
      is_refused ? exec::LaunchProblem{LaunchError::invalid_configuration, refusal_text(profile, "launch")}
                 : exec::check_launch(launch, kernel->info, profile);
  if (problem.error != LaunchError::none) {
    record.error = problem.error;
    record.error_detail = std::move(problem.detail);
  } else if (kernel->program.unsupported) {
    impl_->refuse(*kernel, record);
  } else {
    impl_->run(launch, *kernel, record);
  }
  return record;
}

bool Device::set_stack_bytes(std::size_t bytes_per_thread) {
  if (bytes_per_thread > kMaxStackBytes) return false;
  impl_->stack_bytes_ = static_cast<std::uint32_t>(bytes_per_thread);
  return true;
}

std::size_t Device::stack_bytes() const { return impl_->stack_bytes_; }

void Device::set_heap_bytes(std::size_t bytes) { impl_->memory_.set_device_heap_limit(bytes); }
std::size_t Device::heap_bytes() const { return impl_->memory_.device_heap_limit(); }

void Device::set_printf_bytes(std::size_t bytes) { impl_->options_.printf_bytes = bytes; }
std::size_t Device::printf_bytes() const { return impl_->options_.printf_bytes; }

bool Device::is_faulted() const { return impl_->faulted_; }

std::string Device::take_printf_output() { return std::exchange(impl_->printed_, {}); }

}  // namespace vgpu
