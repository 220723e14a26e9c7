// Records what one launch does for pictures: addresses of its memory instructions, and the lanes of its warps
// at each step. A launch that is not recorded has no recorder, and its loop over instructions is compiled
// without the calls (run/block.cpp). Covered by tests/vgpu/recording_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vgpu/facts/recording.hpp"
#include "vgpu/record/step_recorder.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// A step with the place in the program's own numbering.
struct Step {
  ptx::SourceLine source;
  std::uint32_t active = 0, live = 0, instructions = 0;
};

/// The steps of one warp.
struct WarpSteps {
  std::uint32_t warp = 0;
  std::uint64_t waiting = 0;  ///< as in RecordedPath, like the next member
  std::uint64_t left_out = 0;
  std::vector<Step> steps;
};

/// The records of one block.
struct BlockRecording {
  std::map<std::uint32_t, RecordedSite> sites;  ///< by index into Program::code
  WarpSteps steps;                              ///< of the warp whose lanes waited most
};

/// Records one block at a time, on its thread. The program must be checked: its CheckedSites describe its
/// memory instructions.
class BlockRecorder : public StepRecorder {
 public:
  explicit BlockRecorder(const Program& program) : program_(program) {}

  void begin_block(const Core& core) override;
  void step(Warp& warp, const Decoded& d) override;
  BlockRecording take();

 private:
  void add_step(const Warp& warp, const Decoded& d);
  void add_access(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint32_t lanes);

  const Program& program_;
  std::vector<WarpSteps> warps_;
  std::map<std::uint32_t, RecordedSite> sites_;
};

/// Adds up blocks in block order.
class LaunchRecorder {
 public:
  explicit LaunchRecorder(const Program& program) : program_(program) {}

  void add(const Dim3& block, BlockRecording recording);
  Recording take() const;

 private:
  const Program& program_;
  bool has_steps_ = false;
  Dim3 block_of_steps_{0, 0, 0};
  BlockRecording sum_;
};

}  // namespace vgpu::exec
