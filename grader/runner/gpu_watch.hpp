// Watches a real GPU during a measurement, through NVIDIA's management library (NVML), which is loaded at run
// time if it is installed. Sources: NVML API Reference Guide; nvml.h. Covered by runner/gpu_watch_test.cpp.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runner/gpu_record.hpp"

namespace grader {

/// Thread safe, as NVML is.
class Nvml {
 public:
  /// nullptr: none of the libraries can be loaded and started.
  static std::shared_ptr<const Nvml> open(const std::vector<std::string>& libraries = default_libraries());
  static std::vector<std::string> default_libraries();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  struct Functions;
  const Functions& functions() const { return *functions_; }

 private:
  explicit Nvml(void* library);

  void* library_;
  std::unique_ptr<Functions> functions_;
};

/// Samples the GPU on a thread of its own from construction to finish(). Processes that are there at either
/// time are others' processes: no program of the kit may use the GPU at the end, nor at the beginning without
/// AtStart::own_programs.
class GpuWatch {
 public:
  enum class AtStart { only_others, own_programs };
  /// `gpu`: a UUID; empty: the only GPU.
  GpuWatch(std::shared_ptr<const Nvml> nvml, const std::string& gpu, AtStart at_start = AtStart::only_others);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// The watch counts from now on, without what it saw before: the measured calls begin. Processes that were
  /// there at its start are still others.
  void begin_again();
  /// nullopt: NVML does not know the GPU.
  std::optional<GpuRecord> finish();

 private:
  void sample();
  void run();

  std::shared_ptr<const Nvml> nvml_;
  void* device_ = nullptr;
  GpuRecord record_;
  std::uint64_t began_us_ = 0, reasons_ = 0;
  std::vector<unsigned> others_, sm_mhz_, memory_mhz_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace grader
