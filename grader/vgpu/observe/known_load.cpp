#include "vgpu/observe/known_load.hpp"

namespace vgpu {
namespace {

[[gnu::always_inline]] inline bool are_known(const ShadowSpan& all, const GroupStarts& starts,
                                             const WarpLoad& load) {
  for (std::size_t group = 0; group < starts.size(); ++group) {
    // Halves of a warp often load the same.
    if (group >= 2 && starts[group] == starts[group - 2]) continue;
    const std::int32_t* write = all.write + starts[group];
    const std::int32_t* read = all.read + starts[group];
    std::int32_t unknown = 0;
    for (unsigned i = 0; i < kGroup; ++i) {
      const bool is_settled = (write[i] < load.unsettled) & (write[i] >= load.oldest_write);
      const bool is_read_by_many = (read[i] >= load.unsettled) & ((read[i] & AccessKey::kMany) != 0);
      unknown |= -static_cast<std::int32_t>(!(is_settled & is_read_by_many));
    }
    if (unknown != 0) return false;
  }
  return true;
}

using Function = bool (*)(const ShadowSpan&, const GroupStarts&, const WarpLoad&);

bool baseline(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load) {
  return are_known(all, starts, load);
}

#ifdef VGPU_HAS_V3
[[gnu::target("avx2")]] bool avx2(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load) {
  return are_known(all, starts, load);
}
const Function best = __builtin_cpu_supports("avx2") ? avx2 : baseline;
#else
const Function best = baseline;
#endif

}  // namespace

bool is_known_load(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load) {
  return best(all, starts, load);
}

}  // namespace vgpu
