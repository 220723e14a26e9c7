// A library with NVML's functions for one invented GPU. NVML_STUB selects how it is: "quiet", "hot",
// "capped", "shared" (an idle process of another user), "busy" (a process that works), "earlier" (a process
// that worked until 0.1 s ago), "broken" (cannot be started).
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kUnknown = 6, kBroken = 999;
constexpr unsigned kOtherProcess = 4711;
int device;

bool is(const char* state) {
  const char* chosen = std::getenv("NVML_STUB");
  return chosen != nullptr && std::strcmp(chosen, state) == 0;
}

int text(const char* value, char* to, unsigned size) {
  std::strncpy(to, value, size);
  return 0;
}

int number(unsigned value, unsigned* to) {
  *to = value;
  return 0;
}

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
struct Utilization {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

}  // namespace

#define NVML extern "C" __attribute__((visibility("default"))) int

NVML nvmlInit_v2() { return is("broken") ? kBroken : 0; }
NVML nvmlShutdown() { return 0; }
NVML nvmlDeviceGetCount_v2(unsigned* count) { return number(1, count); }
NVML nvmlDeviceGetHandleByIndex_v2(unsigned, void** handle) { return *handle = &device, 0; }
NVML nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  return *handle = &device, std::strcmp(uuid, "GPU-stub") == 0 ? 0 : kUnknown;
}
NVML nvmlSystemGetDriverVersion(char* to, unsigned size) { return text("580.1", to, size); }
NVML nvmlDeviceGetName(void*, char* to, unsigned size) { return text("NVIDIA Stub", to, size); }
NVML nvmlDeviceGetUUID(void*, char* to, unsigned size) { return text("GPU-stub", to, size); }
NVML nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) { return number(kind == 1 ? 1980 : 2619, mhz); }
NVML nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* mw) { return number(700'000, mw); }
NVML nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return number(is("hot") ? 91 : 45, celsius); }
NVML nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return *reasons = is("hot") ? 0x21 : is("capped") ? 0x4 : 0x1, 0;
}
NVML nvmlDeviceGetEccMode(void*, unsigned* now, unsigned* pending) {
  return number(1, now) + number(1, pending);
}
NVML nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const bool has_process = is("shared") || is("busy") || is("earlier");
  if (has_process) processes[0] = {kOtherProcess, 1U << 20U, 0, 0};
  return number(has_process ? 1 : 0, count);
}
NVML nvmlDeviceGetProcessUtilization(void*, Utilization* samples, unsigned* count, unsigned long long) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  if (!is("busy") && !is("earlier")) return kUnknown;
  const auto worked_us = static_cast<unsigned long long>(is("earlier") ? us - 100'000 : us);
  samples[0] = {kOtherProcess, worked_us, 60, 1, 0, 0};
  return number(1, count);
}
