// Launches of kernels that translate.py translated and a compiler compiled: the scheduling of blocks and
// warps, the functions that the code calls, and the sums of the counters.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/native_spike/native.hpp"
#include "validate/native_spike/work.hpp"
#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/launch_checker.hpp"
#include "vgpu/run/loaded_module.hpp"
#include "vgpu/state/block_view.hpp"

namespace spike {

/// What the code does in addition to its work (NATIVE_LEVEL).
enum class Level : std::uint8_t {
  bounds,    ///< bounds and alignment; blocks write memory themselves
  counters,  ///< also counters, the step limit, and blocks that write to views of their own
  checks     ///< also the interpreter's search for races and unwritten memory
};

class NativeLaunch : public Engine {
 public:
  NativeLaunch(const Work& work, const std::string& library, Level level);

  void launch() override;
  std::vector<float> result() const override;
  vgpu::Counters counters() const override { return counters_; }
  /// Of Level::checks.
  const std::vector<vgpu::Fault>& findings() const { return findings_; }
  const std::vector<vgpu::MemoryAccess>& accesses() const { return accesses_; }

 private:
  /// The counts of one execution of an access group.
  struct GroupCost {
    bool is_known = false;
    vgpu::SectorTraffic loads, stores;  ///< of global memory
    vgpu::SharedTraffic shared_loads, shared_stores;
  };

  /// What the interpreter's checker needs to know about the block that runs.
  struct Checking {
    std::unique_ptr<vgpu::exec::LoadedModule> module;
    const vgpu::exec::Program* program = nullptr;
    std::optional<vgpu::exec::LaunchContext> context;
    vgpu::exec::Core core;
    std::unique_ptr<vgpu::exec::BlockChecker> checker;
    std::unique_ptr<vgpu::exec::LaunchChecker> launch_checker;
    std::vector<std::uint32_t> code;      ///< by number of the access: index into Program::code
    std::vector<vgpu::exec::Memo> memos;  ///< by site
    std::vector<std::byte> registers;     ///< of one warp
    // By block of the wave.
    std::vector<vgpu::BlockLog> logs;
    std::vector<std::vector<vgpu::Fault>> findings;
  };

  bool counts() const { return level_ != Level::bounds; }
  bool checks() const { return level_ == Level::checks; }
  void prepare_checks();
  void run_block(std::uint64_t index, std::uint64_t in_wave);
  void commit(std::uint64_t block, std::uint64_t in_wave);
  void settle_block();
  void settle(std::uint32_t group);
  GroupCost cost_of(std::uint32_t group, std::uint64_t base) const;
  void sum_up();

  // Services of the generated code. One launch runs at a time.
  static void learn(native::Context& c, std::uint32_t index, const std::uint64_t* addresses,
                    native::Mask mask);
  static bool locate(native::Context& c, std::uint32_t group, std::uint64_t low, std::uint64_t high);
  static void store_words(native::Context& c, const native::AddressClass& lanes, std::uint64_t base,
                          const std::uint32_t* words);
  static void load_words(native::Context& c, const native::AddressClass& lanes, std::uint64_t base,
                         const std::byte* host, std::uint32_t* words);
  static bool check(native::Context& c, std::uint32_t warp, std::uint32_t site, std::uint64_t base,
                    const std::uint32_t* words);
  static inline NativeLaunch* self_ = nullptr;

  const Work& work_;
  native::Kernel kernel_;
  Level level_;
  vgpu::exec::GlobalMemory memory_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::byte> parameters_;
  std::vector<native::Warp> warps_;
  std::vector<bool> has_ended_;
  vgpu::exec::AlignedBytes saved_, shared_;
  std::vector<native::AddressClass> classes_;
  std::vector<native::AccessGroup> groups_;
  std::vector<std::vector<std::uint32_t>> sites_;  ///< by group
  std::vector<std::array<GroupCost, 8>> costs_;    ///< by group and by address modulo 32, in words
  std::vector<native::BlockTally> tallies_, sums_;
  std::vector<std::unique_ptr<vgpu::exec::BlockView>> views_;
  vgpu::exec::BlockView* view_ = nullptr;
  native::Context context_;
  vgpu::Counters counters_;
  Checking checking_;
  std::vector<vgpu::Fault> findings_;
  std::vector<vgpu::MemoryAccess> accesses_;
};

}  // namespace spike
