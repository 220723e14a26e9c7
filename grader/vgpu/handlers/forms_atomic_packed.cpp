// Atomic sums of vectors (PTX ISA 9.7.13.5: atom and red with .v2, .v4 or .v8, global memory). Each element
// is a separate atomic operation.
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lane_access.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

/// Decoded::extra lists the registers: kCount of the addends, then kCount of the old values (atom only).
template <class T, auto F, int kCount>
struct VectorSum {
  static constexpr std::size_t kElementBytes = sizeof(T);
  static constexpr std::size_t kBytes = sizeof(T) * kCount;
  static constexpr bool kIsStore = true;
  static constexpr Traffic kTraffic = Traffic::atomic;
  static constexpr Apply kApply = Apply::called;
  using Kept = Stored<T>;

  static void apply(Warp& warp, const Decoded& d, const Memo& memo, std::byte* host) {
    const auto& list = warp.core->program().list_of(d);
    warp.core->turn.changed_memory = true;
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::size_t e = 0; e < kCount; ++e) {
        std::byte* memory = host + static_cast<std::int64_t>(memo.delta[lane]) + e * sizeof(T);
        T old;
        std::memcpy(&old, memory, sizeof old);
        const T sum = F(old, static_cast<T>(vector_at<const Kept>(warp, list[e])[lane]));
        std::memcpy(memory, &sum, sizeof sum);
        if (list.size() > kCount && list[kCount + e] != kNowhere)
          vector_at<Kept>(warp, list[kCount + e])[lane] = old;
      }
    }
  }
  static const Decoded* apply_view(Warp& warp, const Decoded&, const Addresses&, BlockView&) {
    return stop_block(warp, Stop::needs_order);
  }
};

template <class T, auto F, int kCount>
void add(FormTable& t, std::string_view type) {
  const auto add_space = [&]<ptx::Space kSpace>(std::string_view space) {
    Form form{.counted_as = InstructionClass::memory, .shape = Shape::atomic};
    form.operands = {lane_of<T>(), Lane::none, lane_of<T>()};
    form.memory[2] = access<kSpace, VectorSum<T, F, kCount>, std::uint64_t>;
    const std::string vector = joined({".v", std::to_string(kCount), ".", type});
    // ptxas accepts the operation before and after the type.
    t[{"atom", space, ".add", vector}] = t[{"atom", space, vector, ".add"}] = form;
    form.shape = Shape::reduce;
    t[{"red", space, ".add", vector}] = t[{"red", space, vector, ".add"}] = form;
  };
  add_space.template operator()<ptx::Space::global>(".global");
  add_space.template operator()<ptx::Space::generic>("");
}

}  // namespace

void add_packed_atomic_forms(FormTable& t) {
  constexpr auto kFloat = [](float a, float b) { return a + b; };
  add<float, kFloat, 2>(t, "f32");
  add<float, kFloat, 4>(t, "f32");
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  constexpr auto kHalf = [](u16 a, u16 b) { return half_sum<Half>(a, b); };
  constexpr auto kBfloat = [](u16 a, u16 b) { return half_sum<Bfloat>(a, b); };
  constexpr auto kHalves = [](u32 a, u32 b) { return pair_sum<Half>(a, b); };
  constexpr auto kBfloats = [](u32 a, u32 b) { return pair_sum<Bfloat>(a, b); };
  add<u16, kHalf, 2>(t, "f16");
  add<u16, kHalf, 4>(t, "f16");
  add<u16, kHalf, 8>(t, "f16");
  add<u16, kBfloat, 2>(t, "bf16");
  add<u16, kBfloat, 4>(t, "bf16");
  add<u16, kBfloat, 8>(t, "bf16");
  add<u32, kHalves, 2>(t, "f16x2");
  add<u32, kHalves, 4>(t, "f16x2");
  add<u32, kBfloats, 2>(t, "bf16x2");
  add<u32, kBfloats, 4>(t, "bf16x2");
}

}  // namespace vgpu::exec::VGPU_ISA
