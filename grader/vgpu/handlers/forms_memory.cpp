// Loads and stores (PTX ISA 9.7.9, ld and st) of all spaces, types and vector lengths.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lane_access.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

constexpr int kGroup = 8;  // lanes per group of Memo::Pattern

/// The elements of a group of lanes, side by side, at any address. A group is loaded and stored as one
/// vector: the next instruction reads registers in vectors, and a processor passes a stored value on to a
/// load only if one store contains all of it (Intel 64 and IA-32 Architectures Optimization Reference Manual,
/// "Store Forwarding").
template <class T>
struct Group {
  using Vector [[gnu::vector_size(kGroup * sizeof(T)), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};

template <class To, class From>
inline void copy_group(To* to, const From* from) {
  *reinterpret_cast<typename Group<To>::Vector*>(to) = __builtin_convertvector(
      *reinterpret_cast<const typename Group<From>::Vector*>(from), typename Group<To>::Vector);
}

template <class T>
inline void fill_group(T* to, T value) {
  *reinterpret_cast<typename Group<T>::Vector*>(to) = typename Group<T>::Vector{} + value;
}

/// The register of element e of a vector access: Decoded::extra lists the elements' registers; it is kNowhere
/// for scalars.
inline std::uint32_t element(const Warp& warp, const Decoded& d, int e) {
  return d.extra == kNowhere ? d.dst : warp.core->program().list_of(d)[static_cast<std::size_t>(e)];
}

template <class T>
inline const T* at(const std::byte* host, std::uint64_t delta) {
  return reinterpret_cast<const T*>(host + static_cast<std::int64_t>(delta));
}

/// The number of lanes, in whole groups from `first` on, whose elements are side by side, if those of each
/// group are: a view copies a row at a time.
inline int lanes_in_row(const Addresses& addresses, int first, std::size_t element_bytes) {
  int lanes = kGroup;
  while (first + lanes < kWarpLanes &&
         addresses[static_cast<std::size_t>(first + lanes)] ==
             addresses[static_cast<std::size_t>(first)] + static_cast<std::size_t>(lanes) * element_bytes)
    lanes += kGroup;
  return lanes;
}

/// Accesses that compilers often produce are worth a copy of their code in each space.
template <class T, class R, int kCount>
constexpr Apply kHowApplied = std::is_unsigned_v<T> && (sizeof(R) == 4 || sizeof(T) == 8) &&
                                      (kCount == 1 || sizeof(T) >= 4)
                                  ? Apply::inlined
                                  : Apply::called;

/// T in memory, R in the register, kCount elements.
template <class T, class R, int kCount>
struct Load {
  static constexpr std::size_t kElementBytes = sizeof(T);
  static constexpr std::size_t kBytes = sizeof(T) * kCount;
  static constexpr bool kIsStore = false;
  static constexpr Traffic kTraffic = Traffic::load;
  static constexpr Apply kApply = kHowApplied<T, R, kCount>;

  static void apply(Warp& warp, const Decoded& d, const Memo& memo, const std::byte* host) {
    if constexpr (kCount == 1) {
      if (warp.mask == kFullMask && memo.pattern != Memo::Pattern::scattered) {
        return apply_groups(warp, d, memo, host);
      }
    }
    // The addresses come from the memo, so a destination can be the address register.
    const std::uint64_t* delta = memo.delta.data();
    for (int e = 0; e < kCount; ++e) {
      const std::uint32_t to = kCount == 1 ? d.dst : element(warp, d, e);
      if (to == kNowhere) continue;
      const std::byte* from = host + e * sizeof(T);
      write_active<R>(warp, to, [=](int lane) { return static_cast<R>(*at<T>(from, delta[lane])); });
    }
  }

  [[gnu::noinline]] static const Decoded* apply_view(Warp& warp, const Decoded& d, const Addresses& addresses,
                                                     BlockView& view) {
    const Memo& memo = warp.core->memos[d.memo];
    if constexpr (kCount == 1) {
      if (memo.pattern == Memo::Pattern::groups_contiguous && warp.mask == kFullMask) {
        std::array<T, kWarpLanes> values;
        for (int first = 0, lanes = 0; first < kWarpLanes; first += lanes) {
          lanes = lanes_in_row(addresses, first, sizeof(T));
          const std::size_t bytes = static_cast<std::size_t>(lanes) * sizeof(T);
          if (view.reduces(addresses[first], bytes)) return stop_block(warp, Stop::needs_order);
          view.load(addresses[first], memo.host + (addresses[first] - memo.start),
                    reinterpret_cast<std::byte*>(values.data() + first), bytes);
        }
        for (int first = 0; first < kWarpLanes; first += kGroup)
          copy_group(vector_at<R>(warp, d.dst) + first, values.data() + first);
        return &d + 1;
      }
    }
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (view.reduces(addresses[lane], kBytes)) return stop_block(warp, Stop::needs_order);
      std::array<T, kCount> values;
      view.load(addresses[lane], warp.core->memory->host(addresses[lane], kBytes),
                reinterpret_cast<std::byte*>(values.data()), kBytes);
      for (int e = 0; e < kCount; ++e) {
        const std::uint32_t to = kCount == 1 ? d.dst : element(warp, d, e);
        if (to != kNowhere) vector_at<R>(warp, to)[lane] = static_cast<R>(values[e]);
      }
    }
    return &d + 1;
  }

 private:
  /// Inactive lanes must keep their register values even if they do not exist: their address is that of
  /// another lane.
  template <class V, class Value>
  static void write_active(Warp& warp, std::uint32_t to, Value value) {
    V* dst = vector_at<V>(warp, to);
    if (warp.mask == kFullMask) {
#pragma GCC ivdep
      for (int lane = 0; lane < kWarpLanes; ++lane) dst[lane] = value(lane);
      return;
    }
    const std::uint32_t* on = warp.on.data();
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const V loaded = value(lane);
      dst[lane] = on[lane] != 0 ? loaded : dst[lane];
    }
  }

  static void apply_groups(Warp& warp, const Decoded& d, const Memo& memo, const std::byte* host) {
    R* dst = vector_at<R>(warp, d.dst);
    if (memo.pattern == Memo::Pattern::groups_contiguous) {
      for (int first = 0; first < kWarpLanes; first += kGroup)
        copy_group(dst + first, at<T>(host, memo.delta[first]));
    } else {
      for (int first = 0; first < kWarpLanes; first += kGroup)
        fill_group(dst + first, static_cast<R>(*at<T>(host, memo.delta[first])));
    }
  }
};

template <class T, class R, int kCount>
struct Store {
  static constexpr std::size_t kElementBytes = sizeof(T);
  static constexpr std::size_t kBytes = sizeof(T) * kCount;
  static constexpr bool kIsStore = true;
  static constexpr Traffic kTraffic = Traffic::store;
  static constexpr Apply kApply = kHowApplied<T, R, kCount>;

  /// Where lanes write to the same place, the highest lane wins. CUDA leaves the lane undefined (Programming
  /// Guide, "SIMT Architecture").
  static void apply(Warp& warp, const Decoded& d, const Memo& memo, std::byte* host) {
    for (int e = 0; e < kCount; ++e) {
      const R* from = vector_at<const R>(warp, kCount == 1 ? d.dst : element(warp, d, e));
      if (kCount == 1 && memo.pattern == Memo::Pattern::groups_contiguous && warp.mask == kFullMask) {
        for (int first = 0; first < kWarpLanes; first += kGroup) {
          auto* to = reinterpret_cast<T*>(host + static_cast<std::int64_t>(memo.delta[first]));
          copy_group(to, from + first);
        }
        continue;
      }
      for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        auto* to = reinterpret_cast<T*>(host + static_cast<std::int64_t>(memo.delta[lane])) + e;
        *to = static_cast<T>(from[lane]);
      }
    }
  }

  [[gnu::noinline]] static const Decoded* apply_view(Warp& warp, const Decoded& d, const Addresses& addresses,
                                                     BlockView& view) {
    for (std::uint32_t rest = view.has_reductions() ? warp.mask : 0; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (view.reduces(addresses[lane], kBytes)) return stop_block(warp, Stop::needs_order);
    }
    const Memo& memo = warp.core->memos[d.memo];
    if constexpr (kCount == 1 && sizeof(T) == sizeof(R)) {
      if (memo.pattern == Memo::Pattern::groups_contiguous && warp.mask == kFullMask) {
        const auto* from = reinterpret_cast<const std::byte*>(vector_at<const R>(warp, d.dst));
        for (int first = 0, lanes = 0; first < kWarpLanes; first += lanes) {
          lanes = lanes_in_row(addresses, first, sizeof(T));
          view.store(addresses[first], from + first * sizeof(T), static_cast<std::size_t>(lanes) * sizeof(T));
        }
        return view.full() ? stop_block(warp, Stop::needs_order) : &d + 1;
      }
    }
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::array<T, kCount> values;
      for (int e = 0; e < kCount; ++e) {
        values[e] = static_cast<T>(vector_at<const R>(warp, kCount == 1 ? d.dst : element(warp, d, e))[lane]);
      }
      view.store(addresses[lane], reinterpret_cast<const std::byte*>(values.data()), kBytes);
    }
    return view.full() ? stop_block(warp, Stop::needs_order) : &d + 1;
  }
};

/// Handlers for an operation with 4- and 8-byte registers. Only shared memory has addresses of 4 bytes.
template <template <class, class, int> class Op, ptx::Space kSpace, class T, int kCount>
Form memory_form(Shape shape) {
  using Narrow = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  constexpr bool kShortAddresses = kSpace == ptx::Space::shared;
  Form form{.counted_as = InstructionClass::memory, .shape = shape};
  if constexpr (sizeof(T) <= 4) {
    if constexpr (kShortAddresses) form.memory[0] = access<kSpace, Op<T, Narrow, kCount>, std::uint32_t>;
    form.memory[2] = access<kSpace, Op<T, Narrow, kCount>, std::uint64_t>;
  }
  // Scalars narrower than their register are extended; elements of vectors never are in compiled code.
  if constexpr (sizeof(T) == 8 || kCount == 1) {
    if constexpr (kShortAddresses) form.memory[1] = access<kSpace, Op<T, Wide, kCount>, std::uint32_t>;
    form.memory[3] = access<kSpace, Op<T, Wide, kCount>, std::uint64_t>;
  }
  return form;
}

/// Adds the forms for all types whose values have sizeof(T) bytes and are not sign-extended in their
/// register.
template <ptx::Space kSpace, class T>
void add_size(FormTable& t, std::string_view space, std::initializer_list<const char*> types) {
  for (const std::string_view type : types) {
    t[{"ld", space, ".", type}] = memory_form<Load, kSpace, T, 1>(Shape::load);
    t[{"ld", space, ".v2.", type}] = memory_form<Load, kSpace, T, 2>(Shape::load);
    t[{"ld", space, ".v4.", type}] = memory_form<Load, kSpace, T, 4>(Shape::load);
    // Vectors of eight exist for 32-bit types in global memory only (PTX ISA, "ld").
    if constexpr (kSpace == ptx::Space::global && sizeof(T) == 4) {
      t[{"ld", space, ".v8.", type}] = memory_form<Load, kSpace, T, 8>(Shape::load);
      t[{"st", space, ".v8.", type}] = memory_form<Store, kSpace, T, 8>(Shape::store);
    }
    if constexpr (kSpace != ptx::Space::param) {
      t[{"st", space, ".", type}] = memory_form<Store, kSpace, T, 1>(Shape::store);
      t[{"st", space, ".v2.", type}] = memory_form<Store, kSpace, T, 2>(Shape::store);
      t[{"st", space, ".v4.", type}] = memory_form<Store, kSpace, T, 4>(Shape::store);
    }
  }
}

template <ptx::Space kSpace, class T>
void add_signed_loads(FormTable& t, std::string_view space, std::string_view type) {
  t[{"ld", space, ".", type}] = memory_form<Load, kSpace, T, 1>(Shape::load);
  t[{"ld", space, ".v2.", type}] = memory_form<Load, kSpace, T, 2>(Shape::load);
  t[{"ld", space, ".v4.", type}] = memory_form<Load, kSpace, T, 4>(Shape::load);
}

template <ptx::Space kSpace>
void add_space(FormTable& t, std::string_view space) {
  add_size<kSpace, std::uint8_t>(t, space, {"b8", "u8", "s8"});
  add_size<kSpace, std::uint16_t>(t, space, {"b16", "u16", "s16"});
  add_size<kSpace, std::uint32_t>(t, space, {"b32", "u32", "s32", "f32"});
  add_size<kSpace, std::uint64_t>(t, space, {"b64", "u64", "s64", "f64"});
  add_signed_loads<kSpace, std::int8_t>(t, space, "s8");
  add_signed_loads<kSpace, std::int16_t>(t, space, "s16");
  // Sign-extended to a register of 64 bits; registers of vectors have 32 bits.
  t[{"ld", space, ".s32"}] = memory_form<Load, kSpace, std::int32_t, 1>(Shape::load);
}

}  // namespace

void add_memory_forms(FormTable& t) {
  add_space<ptx::Space::global>(t, ".global");
  add_space<ptx::Space::shared>(t, ".shared");
  add_space<ptx::Space::local>(t, ".local");
  add_space<ptx::Space::generic>(t, "");
  // Constant memory is part of the global allocations. Parameters of functions are local memory; those of
  // kernels are constants of the register file unless their address is computed.
  add_space<ptx::Space::global>(t, ".const");
  add_space<ptx::Space::param>(t, ".param");
}

}  // namespace vgpu::exec::VGPU_ISA
