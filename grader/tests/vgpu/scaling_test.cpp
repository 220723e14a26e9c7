// Values that are scaled on their way through shared memory, constant memory and shuffles; other orders of
// lanes and blocks (vgpu/analysis/other_orders.hpp).
#include "vgpu/analysis/scaling.hpp"

#include <cmath>

#include "vgpu/gpu.hpp"

namespace scaling_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Scaled;

namespace {

/// What `body` leaves in %out for the 64 threads of a block; thread i has the float 2 i + 3, which is no
/// power of two, in %x and in word i
/// of `tile`, whose address is in %own; %next is the address of the word of thread i ^ 1.
template <class T = float>
std::vector<T> results(const std::string& body, Scaled scaled) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  options.experiment.scaled = scaled;
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>, %i, %x, %own, %next, %out; .reg .b64 %rd<5>;
    .shared .align 16 .b8 tile[512];
    mov.u32 %i, %tid.x; mad.lo.u32 %r1, %i, 2, 3; cvt.rn.f32.u32 %x, %r1;
    mov.u32 %r2, tile; shl.b32 %r3, %i, 2; add.u32 %own, %r2, %r3; xor.b32 %r3, %r3, 4; add.u32 %next, %r2, %r3;
    st.shared.f32 [%own], %x; st.shared.u32 [%own+256], %i;
    bar.sync 0;
)" + body + R"(
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %i, 4; add.u64 %rd1, %rd1, %rd2; st.global.b32 [%rd1], %out; ret;
)",
                      ".const .align 4 .f32 scale[3] = {0f40400000, 0f3F400000, 0f40000000};\n"),
          options);
  const auto out = gpu.zeros<T>(64);
  gpu.run("k", {1, 1, 1}, {64, 1, 1}, pack(out));
  return gpu.download<T>(out, 64);
}

/// How many of the 64 results differ from those without scaling.
int changed(const std::string& body, Scaled scaled) {
  const auto plain = results(body, Scaled::nothing), other = results(body, scaled);
  int count = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) count += plain[i] != other[i] ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE(
    "what another thread stored in shared memory is scaled, whatever the type, width and kind of address") {
  for (const std::string load :
       {"ld.shared.f32 %out, [%next];", "ld.volatile.shared.b32 %out, [%next];",
        "ld.shared::cta.u32 %out, [%next];",
        "and.b32 %r2, %own, -16; ld.shared.v4.f32 {%r4, %r5, %r6, %r7}, [%r2]; mov.b32 %out, %r4;"
        "setp.lt.f32 %p1, %x, %r7; @%p1 mov.b32 %out, %r7;",
        "cvt.u64.u32 %rd3, %next; cvta.shared.u64 %rd3, %rd3; ld.f32 %out, [%rd3];"}) {
    INFO(load);
    CHECK(changed(load, Scaled::shared_memory) == 64);
    CHECK(changed(load, Scaled::constant_loads) == 0);
    CHECK(changed(load, Scaled::exchanges) == 0);
  }
}

TEST_CASE("what a thread stored itself comes back as it was") {
  for (const std::string load :
       {"ld.shared.f32 %out, [%own];",
        "cvt.u64.u32 %rd3, %own; cvta.shared.u64 %rd3, %rd3; ld.f32 %out, [%rd3];",
        "bar.sync 0; and.b32 %r2, %own, -16; shl.b32 %r3, %i, 3; mov.u32 %r2, tile; add.u32 %r2, %r2, %r3;"
        "mov.b64 %rd3, {%x, %x}; st.shared.b64 [%r2], %rd3; ld.shared.v2.f32 {%r4, %out}, [%r2];",
        "cvt.u64.u32 %rd3, %own; cvta.shared.u64 %rd3, %rd3; st.f32 [%rd3], 0f40400000; ld.shared.f32 %out, "
        "[%own];"}) {
    INFO(load);
    CHECK(changed(load, Scaled::shared_memory) == 0);
  }
}

TEST_CASE("loads from constant memory are doubled or quadrupled, and shuffles from other lanes scaled") {
  const std::string load = "ld.const.f32 %out, [scale];";
  CHECK(results(load, Scaled::constant_loads) == std::vector<float>(64, 12));  // 3 = 1.5 * 2
  CHECK(results("ld.const.f32 %out, [scale+4];", Scaled::constant_loads) == std::vector<float>(64, 3));
  CHECK(changed(load, Scaled::shared_memory) == 0);
  CHECK(changed("shfl.sync.bfly.b32 %out|%p1, %x, 1, 31, -1;", Scaled::exchanges) == 64);
  CHECK(changed("shfl.sync.bfly.b32 %out|%p1, %x, 0, 31, -1;", Scaled::exchanges) == 0);
  CHECK(changed("shfl.sync.bfly.b32 %out|%p1, %x, 1, 31, -1;", Scaled::shared_memory) == 0);
}

TEST_CASE(
    "what several threads load from shared memory is doubled, but not for the first, nor for its owner") {
  const std::string generic = "cvt.u64.u32 %rd3, %next; cvta.shared.u64 %rd3, %rd3; ";
  // Each word has been loaded by its owner's neighbour before the owner's second neighbour loads it.
  const std::string second =
      "bar.sync 0; xor.b32 %r1, %i, 2; shl.b32 %r1, %r1, 2; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;"
      "ld.shared.f32 %out, [%r2];";
  // An element for each thread: the word of thread `i ^ other`, `factor` times.
  struct Load {
    std::string body;
    std::size_t other;
    float factor;
  };
  for (const auto& [load, other, factor] : std::initializer_list<Load>{
           {"ld.shared.f32 %out, [%next];", 1, 1},
           {generic + "ld.f32 %out, [%rd3];", 1, 1},
           {"ld.shared.f32 %out, [%next]; bar.sync 0; ld.shared.f32 %out, [%next];", 1, 1},
           {"ld.shared.f32 %out, [%next];" + second, 2, 2},
           {generic + "ld.f32 %out, [%rd3];" + second, 2, 2},
           {generic + "setp.lt.u32 %p1, %i, 64; @%p1 ld.f32 %out, [%rd3];" + second, 2, 2},
           {"mov.u32 %r1, %next; ld.shared.u32 %r1, [%r1];" + second, 2, 2},
           {"ld.shared.u32 %rd3, [%next];" + second, 2, 2},
           {"and.b32 %r2, %own, -8; ld.shared.v2.f32 {%r4, %r5}, [%r2]; and.b32 %r6, %i, 1;"
            "setp.eq.u32 %p1, %r6, 1; selp.b32 %out, %r4, %r5, %p1;",
            1, 2},
           {"and.b32 %r2, %own, -8; ld.shared.b64 %rd3, [%r2]; mov.b64 {%r4, %r5}, %rd3; and.b32 %r6, %i, 1;"
            "setp.eq.u32 %p1, %r6, 1; selp.b32 %out, %r5, %r4, %p1;",
            0, 1},
           {"and.b32 %r2, %own, -8; ld.shared.b64 %rd3, [%r2]; mov.b64 {%r4, %r5}, %rd3; and.b32 %r6, %i, 1;"
            "setp.eq.u32 %p1, %r6, 1; selp.b32 %out, %r4, %r5, %p1;",
            1, 2},
           {"ld.shared.f32 %out, [%own];", 0, 1},
           {"mov.b64 %rd3, {%x, %x}; bar.sync 0; mov.u32 %r2, tile; shl.b32 %r3, %i, 3; add.u32 %r2, %r2, "
            "%r3;"
            "st.shared.b64 [%r2], %rd3; ld.shared.f32 %out, [%r2+4];",
            0, 1}}) {
    INFO(load);
    const auto doubled = results(load, Scaled::shared_loads);
    for (std::size_t i = 0; i < doubled.size(); ++i) {
      const auto stored = static_cast<float>(2 * (i ^ other) + 3);
      CHECK(doubled[i] == Approx(stored * factor).epsilon(1.0 / 256));
    }
  }
  const auto same = results("ld.shared.f32 %out, [tile+12];", Scaled::shared_loads);  // 9, by all threads
  for (std::size_t i = 0; i < same.size(); ++i) CHECK(same[i] == Approx(i == 3 ? 9 : 18).epsilon(1.0 / 256));
  CHECK(changed("ld.const.f32 %out, [scale];", Scaled::shared_loads) == 0);
  CHECK(changed("ld.shared.u32 %out, [tile+260];", Scaled::shared_loads) == 0);
  CHECK(changed("ld.shared.f32 %out, [%next];" + second, Scaled::shared_loads_below_1) == 0);
}

TEST_CASE("with split warps, activemask names the active lanes whose numbers have the same parity of bits") {
  const auto masks = results<std::uint32_t>("activemask.b32 %out;", Scaled::active_masks);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    CHECK((masks[i] >> i % 32 & 1) == 1);
    CHECK(std::popcount(masks[i]) == 16);
    for (std::size_t distance = 1; distance < 32; distance *= 2)
      CHECK((masks[i] >> (i % 32 ^ distance) & 1) == 0);
  }
  const std::string guarded = "mov.u32 %out, 7; setp.gt.u32 %p1, %i, 61; @%p1 activemask.b32 %out;";
  const auto two = results<std::uint32_t>(guarded, Scaled::active_masks);
  for (std::size_t i = 0; i < two.size(); ++i)
    CHECK(two[i] == (i < 62 ? 7 : i == 62 ? 0x40000000 : 0x80000000));
}

TEST_CASE("with changed votes, lanes learn of other lanes") {
  const std::string less = "setp.lt.u32 %p1, %i, 40; ";
  for (const auto& [body, first, last] :
       std::initializer_list<std::tuple<std::string, std::uint32_t, std::uint32_t>>{
           {less + "vote.sync.ballot.b32 %out, %p1, -1;", 0x69969669, 0x69},
           {less + "vote.sync.all.pred %p1, %p1, -1; selp.b32 %out, 1, 0, %p1;", 1, 0},
           {"redux.sync.add.u32 %out, 3, -1;", 193, 193},
           {"shfl.sync.idx.b32 %out|%p1, 5, 0, 31, -1;", 11, 11},
           {"mov.u32 %out, 5;", 5, 5}}) {
    INFO(body);
    const auto out = results<std::uint32_t>(body, Scaled::votes);
    CHECK(out.front() == first);
    CHECK(out.back() == last);
  }
  CHECK(changed(less + "vote.sync.ballot.b32 %r2, %p1, -1; mov.u32 %out, 7;", Scaled::votes) == 0);
}

TEST_CASE("with changed votes, the lanes that take part in a vote, a shuffle or a barrier stay the same") {
  // Lanes 0 to 19 of each warp remain.
  const std::string mask =
                        "and.b32 %r1, %i, 31; setp.lt.u32 %p1, %r1, 20; vote.sync.ballot.b32 %r2, %p1, -1; ",
                    rest = "setp.lt.u32 %p2, %i, 40; mov.u32 %out, 0; @!%p1 bra $END; ", end = " $END:";
  for (const auto& [copy, vote, first] :
       std::initializer_list<std::tuple<std::string, std::string, std::uint32_t>>{
           {"", "vote.sync.ballot.b32 %out, %p2, %r2;", 0x000FFFFF & 0x69969669},
           {"mov.b32 %r3, %r2; ", "vote.sync.ballot.b32 %out, %p2, %r3;", 0x000FFFFF & 0x69969669},
           {"not.b32 %r3, %r2; xor.b32 %r3, %r3, -1; ", "bar.warp.sync %r3; mov.u32 %out, %r2;",
            0x000FFFFF & 0x69969669},
           {"", "popc.b32 %r4, %r2; shfl.sync.idx.b32 %out|%p3, %r4, 0, 31, %r2;", 2 * 10 + 1}}) {
    INFO(copy << vote);
    const auto out = results<std::uint32_t>(mask + copy + rest + vote + end, Scaled::votes);
    CHECK(out.front() == first);
    CHECK(out.back() == 0);
  }
}

TEST_CASE("in the opposite order, the last block comes first, and each block does its own part") {
  for (const Scaled scaled : {Scaled::nothing, Scaled::block_order}) {
    vgpu::DeviceOptions options;
    options.experiment.scaled = scaled;
    // out[ticket] = block, and out[6 + block] = block.
    Gpu gpu(kernel_text(".param .u64 out, .param .u64 tickets", R"(
      .reg .b32 %r<9>; .reg .b64 %rd<5>;
      ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [tickets];
      mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r3, %r2, 3, %r1;
      atom.global.add.u32 %r4, [%rd2], 1;
      mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r3;
      mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+24], %r3; ret;)"),
            options);
    const auto out = gpu.zeros<std::uint32_t>(12), tickets = gpu.zeros<std::uint32_t>(1);
    gpu.run("k", {3, 2, 1}, {1, 1, 1}, pack(out, tickets));
    const auto numbers = gpu.download<std::uint32_t>(out, 12);
    for (std::uint32_t i = 0; i < 6; ++i) {
      CHECK(numbers[i] == (scaled == Scaled::nothing ? i : 5 - i));
      CHECK(numbers[6 + i] == i);
    }
  }
}

TEST_CASE("in the opposite order, the last warp of a block comes first, and with turns warps interleave") {
  const auto sum_of = [](const std::string& body, Scaled scaled) {
    vgpu::DeviceOptions options;
    options.experiment.scaled = scaled;
    Gpu gpu(kernel_text(".param .u64 sum", R"(
      .shared .align 4 .b8 total[4]; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<4>;
      ld.param.u64 %rd1, [sum]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
      setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [total], 0; bar.sync 0; setp.ne.u32 %p2, %r2, 0;
      @%p2 bra END; )" + body + R"(
      END: bar.sync 0; @!%p1 bra DONE; ld.shared.u32 %r5, [total]; st.global.u32 [%rd1], %r5; DONE: ret;)"),
            options);
    const auto sum = gpu.zeros<std::uint32_t>(1);
    gpu.run("k", {1, 1, 1}, {128, 1, 1}, pack(sum));
    return gpu.download<std::uint32_t>(sum, 1)[0];
  };
  const std::string clears =
      "@%p1 atom.shared.exch.b32 %r3, [total], 0; atom.shared.add.u32 %r3, [total], 1;";
  CHECK(sum_of(clears, Scaled::nothing) == 4);
  CHECK(sum_of(clears, Scaled::block_order) == 1);
  const std::string two_steps =
      "atom.shared.add.u32 %r3, [total], 0; add.u32 %r3, %r3, 1; atom.shared.exch.b32 %r4, [total], %r3;";
  CHECK(sum_of(two_steps, Scaled::nothing) == 4);
  CHECK(sum_of(two_steps, Scaled::block_order) == 4);
  CHECK(sum_of(two_steps, Scaled::block_turns) == 1);
  const std::string adds = "atom.shared.add.u32 %r3, [total], 1;";
  for (const Scaled scaled : {Scaled::block_order, Scaled::block_turns}) CHECK(sum_of(adds, scaled) == 4);
}

TEST_CASE("with turns, threads of several blocks read a value before one of them changes it") {
  // Counts with a load and a store of the sum, with one exchange that can fail, and with a loop.
  const std::string read = "ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1;";
  const std::string exchange = "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;";
  for (const auto& [body, count] : std::initializer_list<std::pair<std::string, std::uint32_t>>{
           {read + "st.volatile.global.u32 [%rd1], %r2;", 1},
           {read + "atom.global.exch.b32 %r3, [%rd1], %r2;", 1},
           {read + exchange, 1},
           {"ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; atom.global.cas.b32 _, [%rd1], %r1, %r2;", 1},
           {"AGAIN: " + read + exchange + " setp.ne.u32 %p1, %r3, %r1; @%p1 bra AGAIN;", 4},
           {"atom.global.add.u32 %r1, [%rd1], 1;", 4},
           // Blocks count one after the other, but each stores after it has let the next one go.
           {"mov.u32 %r3, %ctaid.x; WAIT: atom.global.add.u32 %r1, [%rd1+4], 0; setp.ne.u32 %p1, %r1, %r3; "
            "@%p1 "
            "bra WAIT; ld.volatile.global.u32 %r2, [%rd1]; atom.global.add.u32 %r1, [%rd1+4], 1;"
            "add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1], %r2;",
            1},
           {"red.global.add.u32 [%rd1], 1;", 4}}) {
    INFO(body);
    for (const Scaled scaled : {Scaled::nothing, Scaled::block_order, Scaled::block_turns}) {
      vgpu::DeviceOptions options;
      options.experiment.scaled = scaled;
      Gpu gpu(
          kernel_text(".param .u64 sum",
                      ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;"
                      // The second warp ends while the first one gives way.
                      "ld.param.u64 %rd1, [sum]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 ret;" +
                          body + " ret;"),
          options);
      const auto sum = gpu.zeros<std::uint32_t>(2);
      gpu.run("k", {4, 1, 1}, {64, 1, 1}, pack(sum));
      CHECK(gpu.download<std::uint32_t>(sum, 1)[0] == (scaled == Scaled::block_turns ? count : 4));
    }
  }
}

TEST_CASE("powers of two stay as they are, so that a factor of 1 for show changes nothing") {
  CHECK(results("ld.const.f32 %out, [scale+8];", Scaled::constant_loads) == std::vector<float>(64, 2));
  const std::string one = "bar.sync 0; st.shared.f32 [%own], 0f3F800000; bar.sync 0;";
  for (const Scaled scaled : {Scaled::shared_memory, Scaled::shared_loads, Scaled::shared_memory_below_1})
    CHECK(changed(one + "ld.shared.f32 %out, [%next]; mul.f32 %out, %out, %x;", scaled) == 0);
  CHECK(changed("mov.b32 %r4, 0f40800000; shfl.sync.bfly.b32 %out|%p1, %r4, 1, 31, -1;", Scaled::exchanges) ==
        0);
}

TEST_CASE("small integers stay as they are, so that indices remain right") {
  const std::string body = "ld.shared.u32 %out, [%next+256];";
  CHECK(results<std::uint32_t>(body, Scaled::shared_memory) == results<std::uint32_t>(body, Scaled::nothing));
}

TEST_CASE("loads into wider registers are scaled like others, and keep integers") {
  CHECK(changed("ld.const.s32 %rd3, [scale]; cvt.u32.u64 %out, %rd3;", Scaled::constant_loads) == 64);
  CHECK(changed("ld.shared.u32 %rd3, [%next]; cvt.u32.u64 %out, %rd3;", Scaled::shared_memory) == 64);
  CHECK(changed("ld.shared.u32 %rd3, [%own]; cvt.u32.u64 %out, %rd3;", Scaled::shared_memory) == 0);
  CHECK(changed("ld.shared.s32 %rd3, [%own+256]; cvt.u32.u64 %out, %rd3;", Scaled::shared_memory) == 0);
}

TEST_CASE("below 1, floats are scaled on every way, and indices that are stored as floats are not") {
  const std::string store = "mul.f32 %r4, %x, 0f3B800000; bar.sync 0; st.shared.f32 [%own], %r4; bar.sync 0;";
  const auto way = Scaled::shared_memory_below_1;
  CHECK(changed(store + "ld.shared.f32 %out, [%next];", way) == 64);
  CHECK(changed(store + "ld.shared.f32 %out, [%own];", way) == 0);
  CHECK(changed("ld.shared.f32 %out, [%next];", way) == 0);  // 1 to 64
  CHECK(changed("ld.shared.f32 %out, [%next];", Scaled::shared_memory) == 64);
  const std::string half = "mul.f32 %r4, %x, 0f3B800000; shfl.sync.bfly.b32 %out|%p1, %r4, 1, 31, -1;";
  CHECK(changed(half, Scaled::exchanges_below_1) == 64);
  CHECK(changed("shfl.sync.bfly.b32 %out|%p1, %x, 1, 31, -1;", Scaled::exchanges_below_1) == 0);
  CHECK(changed("ld.const.f32 %out, [scale];", Scaled::constant_loads_below_1) == 0);
  CHECK(changed("ld.const.f32 %out, [scale+4];", Scaled::constant_loads_below_1) == 64);
}

TEST_CASE("a load that a guard skips scales nothing") {
  const std::string body = "mov.b32 %out, %x; setp.lt.u32 %p1, %i, 4; @%p1 ld.shared.f32 %out, [%next];";
  CHECK(changed(body, Scaled::shared_memory) == 4);
}

TEST_CASE("branches lead to where they led before") {
  const std::string body =
      "mov.u32 %r4, 0; mov.b32 %out, 0;\nagain:\n"
      "ld.shared.f32 %r5, [%next]; add.f32 %out, %out, %r5; add.u32 %r4, %r4, 1;"
      "setp.lt.u32 %p1, %r4, 3; @%p1 bra again;";
  const auto once = results("ld.shared.f32 %out, [%next];", Scaled::shared_memory),
             three = results(body, Scaled::shared_memory);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(three[i] == 3 * once[i]);
}

TEST_CASE("a value that is cancelled, or multiplied by 0, changes no result") {
  CHECK(changed("ld.shared.f32 %r4, [%next]; sub.f32 %r4, %r4, %r4; add.f32 %out, %x, %r4;",
                Scaled::shared_memory) == 0);
  CHECK(changed("ld.shared.f32 %r4, [%next]; mul.f32 %r4, %r4, 0f00000000; add.f32 %out, %x, %r4;",
                Scaled::shared_memory) == 0);
}

}  // namespace scaling_test
