#include "runner/gpu_watch.hpp"

#include <algorithm>
#include <chrono>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader {

/// The functions of nvml.h that are used; null if the library lacks one. Each returns 0 on success.
struct Nvml::Functions {
  struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
  };
  struct Utilization {
    unsigned pid;
    unsigned long long time_us;  ///< since 1970
    unsigned sm, memory, encoder, decoder;
  };

  int (*init)();
  int (*shutdown)();
  int (*count)(unsigned*);
  int (*by_index)(unsigned, void**);
  int (*by_uuid)(const char*, void**);
  int (*driver)(char*, unsigned);
  int (*name)(void*, char*, unsigned);
  int (*uuid)(void*, char*, unsigned);
  int (*clock)(void*, int, unsigned*);
  int (*power_limit)(void*, unsigned*);
  int (*temperature)(void*, int, unsigned*);
  int (*throttle_reasons)(void*, unsigned long long*);
  int (*ecc)(void*, unsigned*, unsigned*);
  int (*processes)(void*, unsigned*, Process*);
  int (*utilization)(void*, Utilization*, unsigned*, unsigned long long);
};

namespace {

using Functions = Nvml::Functions;

constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr std::chrono::milliseconds kSampleTime{100};  // a measurement takes about a second

template <class Function>
void find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

/// Calls an NVML function; false if the library lacks it or it fails.
template <class Function, class... Arguments>
bool ask(Function function, Arguments... arguments) {
  return function != nullptr && function(arguments...) == 0;
}

template <class Function, class... Arguments>
std::string ask_text(Function function, Arguments... arguments) {
  char text[128]{};
  return ask(function, arguments..., text, static_cast<unsigned>(sizeof text - 1)) ? text : "";
}

unsigned ask_clock(const Functions& nvml, void* device, int kind) {
  unsigned mhz = 0;
  return ask(nvml.clock, device, kind, &mhz) ? mhz : 0;
}

std::vector<unsigned> process_ids(const Functions& nvml, void* device) {
  std::vector<Functions::Process> processes(256);
  auto count = static_cast<unsigned>(processes.size());
  std::vector<unsigned> ids;
  if (!ask(nvml.processes, device, &count, processes.data())) return ids;
  for (unsigned i = 0; i < std::min<std::size_t>(count, processes.size()); ++i)
    ids.push_back(processes[i].pid);
  return ids;
}

/// Those of the processes that used multiprocessors since `since_us`.
unsigned busy_count(const Functions& nvml, void* device, const std::vector<unsigned>& ids,
                    std::uint64_t since_us) {
  std::vector<Functions::Utilization> samples(1024);
  auto count = static_cast<unsigned>(samples.size());
  if (ids.empty() || !ask(nvml.utilization, device, samples.data(), &count, since_us)) return 0;
  samples.resize(std::min<std::size_t>(count, samples.size()));
  return static_cast<unsigned>(std::count_if(ids.begin(), ids.end(), [&](unsigned id) {
    return std::any_of(samples.begin(), samples.end(), [&](const Functions::Utilization& one) {
      return one.pid == id && one.sm > 0 && one.time_us >= since_us;
    });
  }));
}

unsigned middle_of(std::vector<unsigned> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::uint64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void* find_device(const Functions& nvml, const std::string& gpu) {
  void* device = nullptr;
  unsigned count = 0;
  if (!gpu.empty()) return ask(nvml.by_uuid, gpu.c_str(), &device) ? device : nullptr;
  const bool is_only = ask(nvml.count, &count) && count == 1;
  return is_only && ask(nvml.by_index, 0U, &device) ? device : nullptr;
}

}  // namespace

std::string why_disturbed(const GpuRecord& record) {
  std::vector<std::string> causes;
  for (const ThrottleReason& reason : kThrottleReasons)
    if (reason.disturbs && std::find(record.throttled_by.begin(), record.throttled_by.end(), reason.name) !=
                               record.throttled_by.end())
      causes.push_back(fmt::format("the GPU lowered its clocks ({})", reason.name));
  if (record.busy_processes > 0)
    causes.push_back(fmt::format("{} other process{} used the GPU", record.busy_processes,
                                 record.busy_processes == 1 ? "" : "es"));
  return fmt::format("{}", fmt::join(causes, ", and "));
}

std::vector<std::string> Nvml::default_libraries() {
  return {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
          "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
}

std::shared_ptr<const Nvml> Nvml::open(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    void* const loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) continue;
    std::shared_ptr<const Nvml> nvml(new Nvml(loaded));
    if (ask(nvml->functions().init)) return nvml;
  }
  return nullptr;
}

Nvml::Nvml(void* library) : library_(library), functions_(std::make_unique<Functions>()) {
  Functions& f = *functions_;
  find_symbol(library, "nvmlInit_v2", f.init);
  find_symbol(library, "nvmlShutdown", f.shutdown);
  find_symbol(library, "nvmlDeviceGetCount_v2", f.count);
  find_symbol(library, "nvmlDeviceGetHandleByIndex_v2", f.by_index);
  find_symbol(library, "nvmlDeviceGetHandleByUUID", f.by_uuid);
  find_symbol(library, "nvmlSystemGetDriverVersion", f.driver);
  find_symbol(library, "nvmlDeviceGetName", f.name);
  find_symbol(library, "nvmlDeviceGetUUID", f.uuid);
  find_symbol(library, "nvmlDeviceGetClockInfo", f.clock);
  find_symbol(library, "nvmlDeviceGetEnforcedPowerLimit", f.power_limit);
  find_symbol(library, "nvmlDeviceGetTemperature", f.temperature);
  find_symbol(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.throttle_reasons);
  find_symbol(library, "nvmlDeviceGetEccMode", f.ecc);
  find_symbol(library, "nvmlDeviceGetComputeRunningProcesses_v3", f.processes);
  find_symbol(library, "nvmlDeviceGetProcessUtilization", f.utilization);
}

Nvml::~Nvml() {
  ask(functions_->shutdown);
  ::dlclose(library_);
}

GpuWatch::GpuWatch(std::shared_ptr<const Nvml> nvml, const std::string& gpu, AtStart at_start)
    : nvml_(std::move(nvml)) {
  if (nvml_) device_ = find_device(nvml_->functions(), gpu);
  if (device_ == nullptr) return;
  const Functions& f = nvml_->functions();
  record_.driver = ask_text(f.driver);
  record_.name = ask_text(f.name, device_);
  record_.uuid = ask_text(f.uuid, device_);
  if (unsigned limit_mw = 0; ask(f.power_limit, device_, &limit_mw)) record_.power_cap_w = limit_mw / 1000;
  if (unsigned now = 0, pending = 0; ask(f.ecc, device_, &now, &pending)) record_.ecc = now != 0;
  if (at_start == AtStart::only_others) others_ = process_ids(f, device_);
  began_us_ = now_us();
  thread_ = std::thread([this] { run(); });
}

GpuWatch::~GpuWatch() { finish(); }

void GpuWatch::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kSampleTime, [&] { return ended_; })) sample();
}

void GpuWatch::sample() {
  const Functions& f = nvml_->functions();
  unsigned long long reasons = 0;
  if (ask(f.throttle_reasons, device_, &reasons)) reasons_ |= reasons;
  unsigned celsius = 0;
  if (ask(f.temperature, device_, 0, &celsius))
    record_.temperature_c = std::max(record_.temperature_c, celsius);
  sm_mhz_.push_back(ask_clock(f, device_, kSmClock));
  memory_mhz_.push_back(ask_clock(f, device_, kMemoryClock));
}

void GpuWatch::begin_again() {
  const std::lock_guard lock(mutex_);
  began_us_ = now_us();
  reasons_ = 0;
  record_.temperature_c = 0;
  sm_mhz_.clear();
  memory_mhz_.clear();
}

std::optional<GpuRecord> GpuWatch::finish() {
  if (device_ == nullptr) return std::nullopt;
  if (!thread_.joinable()) return record_;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  sample();
  for (const unsigned id : process_ids(nvml_->functions(), device_))
    if (std::find(others_.begin(), others_.end(), id) == others_.end()) others_.push_back(id);
  record_.sm_mhz = middle_of(sm_mhz_);
  record_.memory_mhz = middle_of(memory_mhz_);
  for (const ThrottleReason& reason : kThrottleReasons)
    if ((reasons_ & reason.bit) != 0) record_.throttled_by.emplace_back(reason.name);
  record_.other_processes = static_cast<unsigned>(others_.size());
  record_.busy_processes = busy_count(nvml_->functions(), device_, others_, began_us_);
  return record_;
}

}  // namespace grader
