// Values that mean nothing: reads of unwritten memory that change no result are harmless, all others are not.
#include "vgpu/gpu.hpp"

namespace value_flow_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

/// The findings of a kernel that gets %value from unwritten memory and %known = 1, in all lanes.
std::vector<vgpu::Fault> findings(const std::string& body, std::uint32_t threads = 32) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  Gpu gpu(kernel_text(".param .u64 fresh, .param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>, %value, %known, %thread; .reg .b64 %fresh, %out, %wide;
    ld.param.u64 %fresh, [fresh]; ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x; mov.u32 %known, 1;
    ld.global.u32 %value, [%fresh];
)" + body + "\nret;"),
          options);
  const auto fresh = *gpu.device.allocate(4096);
  const auto out = gpu.zeros<std::uint32_t>(1024);
  return gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(fresh, out)).findings;
}

void check_harmless(const std::string& body) {
  const auto found = findings(body);
  INFO(body);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FaultKind::uninitialised_read);
  CHECK(found[0].is_harmless);
}

void check_used(const std::string& body) {
  const auto found = findings(body);
  INFO(body);
  REQUIRE(found.size() >= 1);
  CHECK(found[0].kind == FaultKind::uninitialised_read);
  CHECK_FALSE(found[0].is_harmless);
}

}  // namespace

TEST_CASE("an unwritten value is harmless if it is not used, overwritten or not selected") {
  check_harmless("");
  check_harmless("add.u32 %r1, %value, 5; mul.lo.u32 %r2, %r1, %r1; st.global.u32 [%out], %known;");
  check_harmless("mov.u32 %value, 7; st.global.u32 [%out], %value;");
  check_harmless("setp.eq.u32 %p1, %known, 1; selp.u32 %r1, %known, %value, %p1; st.global.u32 [%out], %r1;");
  check_harmless("setp.eq.u32 %p1, %known, 2; @%p1 st.global.u32 [%out], %value;");
  check_harmless("setp.eq.u32 %p1, %known, 1; @%p1 mov.u32 %value, %known; st.global.u32 [%out], %value;");
}

TEST_CASE("arithmetic on bits uses an unwritten value, putting bytes next to each other does not") {
  for (const char* computes :
       {"shl.b32 %r1, %value, 1;", "shr.u32 %r1, %value, 4;", "shr.s32 %r1, %value, 8;",
        "and.b32 %r1, %value, 255;", "bfe.u32 %r1, %value, 8, 8;", "bfe.u32 %r1, %value, 3, 5;",
        "shl.b32 %r1, %value, 3; or.b32 %r1, %r1, %known;", "bfi.b32 %r1, %value, %known, 4, 8;"})
    check_used(std::string(computes) + "st.global.u32 [%out], %r1;");
  for (const char* moves :
       {"shl.b32 %r1, %value, 8; or.b32 %r1, %r1, %known;", "prmt.b32 %r1, %value, %known, 0x0054;",
        "bfi.b32 %r1, %value, %known, 8, 8;", "and.b32 %r1, %value, 0xFF00; or.b32 %r1, %r1, %known;",
        "and.b32 %r1, %value, 0xFFF0; or.b32 %r1, %r1, 3;"})
    check_harmless(std::string(moves) + "st.global.u32 [%out], %r1;");
}

TEST_CASE("an unwritten value is used if it reaches memory, an address or a branch") {
  check_used("st.global.u32 [%out], %value;");
  check_used("add.u32 %r1, %value, 5; shl.b32 %r2, %r1, 1; st.global.u32 [%out], %r2;");
  check_used(
      "and.b32 %r1, %value, 4; cvt.u64.u32 %wide, %r1; add.u64 %wide, %wide, %out; st.global.u32 [%wide], "
      "%known;");
  check_used("setp.lt.s32 %p1, %value, 0; @%p1 bra E; st.global.u32 [%out], %known; E:");
  check_used("setp.lt.s32 %p1, %value, 0; @%p1 st.global.u32 [%out], %known;");
  check_used("setp.lt.s32 %p1, %value, 0; selp.u32 %r1, %known, 2, %p1; st.global.u32 [%out], %r1;");
  check_used("atom.global.add.u32 %r1, [%out], %value;");
  check_used("shfl.sync.idx.b32 %r1, %value, 0, 31, -1; st.global.u32 [%out], %r1;");
  check_used("add.cc.u32 %r1, %value, %value; addc.u32 %r2, 0, 0; st.global.u32 [%out], %r2;");
}

TEST_CASE("a condition is used unless another one decides") {
  const auto branch = [](const std::string& condition, const std::string& known) {
    return "setp.lt.u32 %p1, %value, 5; setp.eq.u32 %p2, %known, " + known + "; " + condition +
           ".pred %p3, %p1, %p2; @%p3 bra E; st.global.u32 [%out], %known; E:";
  };
  check_harmless(branch("and", "2"));
  check_used(branch("and", "1"));
  check_harmless(branch("or", "1"));
  check_used(branch("or", "2"));
}

TEST_CASE("lanes are followed one by one") {
  // Only lane 0 has the unwritten value; only lane 1 stores.
  const std::string others_get_1 = "setp.ne.u32 %p1, %thread, 0; @%p1 mov.u32 %value, 1;";
  check_harmless(others_get_1 + "setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 [%out], %value;");
  check_used(others_get_1 + "setp.eq.u32 %p2, %thread, 0; @%p2 st.global.u32 [%out], %value;");
  check_used(others_get_1 +
             "shfl.sync.idx.b32 %r1, %value, 0, 31, -1; setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 "
             "[%out], %r1;");
  check_harmless(others_get_1 +
                 "shfl.sync.idx.b32 %r1, %value, 2, 31, -1; setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 "
                 "[%out], %r1;");
}

TEST_CASE("the value of a lane that does not take part in a shuffle is reported if it is used") {
  const std::string sum =
      "mov.u32 %value, 1; shfl.sync.down.b32 %r1, %thread, 16, 31, -1; add.u32 %r2, %r1, 1;";
  const std::string store =
      "mul.wide.u32 %wide, %thread, 4; add.u64 %wide, %wide, %out; st.global.u32 [%wide], %r2;";
  const auto kinds = [](const std::vector<vgpu::Fault>& found) {
    std::vector<FaultKind> all;
    for (const vgpu::Fault& one : found)
      if (one.kind == FaultKind::absent_lane) all.push_back(one.kind);
    return all.size();
  };
  CHECK(kinds(findings(sum + store, 20)) == 1);
  CHECK(kinds(findings(sum + store, 32)) == 0);
  CHECK(kinds(findings(sum, 20)) == 0);
  // Lanes 0 to 3 read lanes 16 to 19, which exist.
  CHECK(kinds(findings(sum + "setp.lt.u32 %p1, %thread, 4; @!%p1 bra E;" + store + "E:", 20)) == 0);
  CHECK(kinds(findings(sum + "setp.lt.u32 %p1, %thread, 5; @!%p1 bra E;" + store + "E:", 20)) == 1);
  CHECK(kinds(findings("setp.ge.u32 %p1, %thread, 16; @%p1 exit;" + sum + store)) == 1);
}

TEST_CASE("a register that nothing has written is reported if its value is used") {
  const auto reports = [](const std::string& body) {
    const auto found = findings("mov.u32 %value, 1;" + body);
    return std::count_if(found.begin(), found.end(),
                         [](const vgpu::Fault& one) { return one.kind == FaultKind::unset_variable; });
  };
  const std::string difference = "sub.u32 %r3, %r1, %r2; st.global.u32 [%out], %r3;";
  CHECK(reports("mov.u32 %r1, 5; mov.u32 %r2, 3;" + difference) == 0);
  CHECK(reports("mov.u32 %r1, 5;" + difference) == 1);
  CHECK(reports("add.u32 %r1, %r1, %known; add.u32 %r2, %r2, 2; setp.lt.u32 %p1, %r1, %r2; @%p1 bra E;"
                "st.global.u32 [%out], %known; E:") >= 1);
  // Written where it is used: a loop that first sets its value in its own body.
  CHECK(reports("setp.eq.u32 %p1, %known, 2; @%p1 bra U; mov.u32 %r1, 5; U: setp.eq.u32 %p2, %known, 1;"
                "@!%p2 bra E; st.global.u32 [%out], %r1; E:") == 0);
  // Selected by neither lane, and computed without use.
  CHECK(reports("add.u32 %r1, %r1, 1; setp.eq.u32 %p1, %known, 1; selp.u32 %r2, %known, %r1, %p1;"
                "st.global.u32 [%out], %r2;") == 0);
}

TEST_CASE("an element of a local array that nothing has written is reported if its value is used") {
  const auto reports = [](const std::string& body) {
    const auto found =
        findings("mov.u32 %value, 1; .local .align 16 .b8 array[64]; .reg .b64 %element, %generic;" + body);
    return std::count_if(found.begin(), found.end(),
                         [](const vgpu::Fault& one) { return one.kind == FaultKind::unset_variable; });
  };
  const std::string place =
      "mul.wide.u32 %wide, %thread, 4; rem.u64 %wide, %wide, 32; mov.u64 %element, array;"
      "add.u64 %element, %element, %wide; cvta.local.u64 %generic, %element;";
  const std::string sum = "add.u32 %r1, %r1, 1; st.global.u32 [%out], %r1;";
  CHECK(reports("ld.local.u32 %r1, [array+4];" + sum) == 1);
  CHECK(reports("ld.local.u32 %r1, [array+4]; add.u32 %r1, %r1, 1;") == 0);
  CHECK(reports("st.local.u32 [array+4], %known; ld.local.u32 %r1, [array+4];" + sum) == 0);
  CHECK(reports("st.local.u32 [array+8], %known; ld.local.u32 %r1, [array+4];" + sum) == 1);
  CHECK(reports(place + "st.local.u32 [%element], %known; ld.local.u32 %r1, [%element];" + sum) == 0);
  CHECK(reports(place + "st.u32 [%generic], %known; ld.local.u32 %r1, [%element];" + sum) == 0);
  CHECK(reports(place + "st.local.u32 [%element], %known; ld.u32 %r1, [%generic];" + sum) == 0);
  CHECK(reports(place + "st.local.u32 [%element], %known; ld.u32 %r1, [%generic+32];" + sum) == 1);
  // Each thread has an array of its own.
  CHECK(reports(place +
                "setp.eq.u32 %p1, %thread, 3; @%p1 st.local.u32 [%element], %known;"
                "ld.local.u32 %r1, [%element];" +
                sum) == 1);
  // A count without a first value, also that of another thread.
  const std::string count = "ld.local.u32 %r1, [array]; add.u32 %r1, %r1, 1; st.local.u32 [array], %r1;";
  CHECK(reports(count) == 0);
  CHECK(reports(count + "ld.local.u32 %r1, [array];" + sum) == 1);
  CHECK(reports(count + "st.local.u32 [array], %known; ld.local.u32 %r1, [array];" + sum) == 0);
  CHECK(reports("setp.eq.u32 %p1, %thread, 3; @!%p1 st.local.u32 [array], %known;" + count +
                "@!%p1 ld.local.u32 %r1, [array]; @!%p1 st.global.u32 [%out], %r1;") == 0);
  // Only a half of a word, or of a vector.
  CHECK(
      reports("{ .reg .b16 %h; st.local.u16 [array], 7; ld.local.u16 %h, [array+2]; cvt.u32.u16 %r1, %h; }" +
              sum) == 1);
  CHECK(reports("st.local.u32 [array], %known; ld.local.v2.u32 {%r1, %r2}, [array];" + sum) == 0);
  CHECK(reports("st.local.u32 [array], %known; ld.local.v2.u32 {%r2, %r1}, [array];" + sum) == 1);
}

TEST_CASE("a register that nothing has written can be copied through shared memory without being used") {
  const auto reports = [](const std::string& body) {
    const auto found = findings("mov.u32 %value, 1; .shared .align 4 .b8 tile[64];" + body);
    return std::count_if(found.begin(), found.end(),
                         [](const vgpu::Fault& one) { return one.kind == FaultKind::unset_variable; });
  };
  CHECK(reports("st.shared.u32 [tile], %r1; ld.shared.u32 %r2, [tile];") == 0);
  CHECK(reports("st.shared.u32 [tile], %r1; ld.shared.u32 %r2, [tile]; add.u32 %r2, %r2, 1;"
                "st.global.u32 [%out], %r2;") == 1);
  // The sum of a warp without elements, which no thread reads, and one that is read.
  CHECK(reports("add.u32 %r1, %r1, 1; st.shared.u32 [tile], %r1;") == 0);
  CHECK(reports("add.u32 %r1, %r1, 1; st.shared.u32 [tile], %r1; ld.shared.u32 %r2, [tile];"
                "add.u32 %r2, %r2, 1; st.global.u32 [%out], %r2;") == 1);
}

TEST_CASE("atomics and volatile reads of unwritten memory are reported, although their block runs alone") {
  for (const std::string access :
       {"atom.global.add.u32 %r1, [%wide], 1; st.global.u32 [%out], %r1;",
        "ld.volatile.global.u32 %r1, [%wide]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%wide], %r1;"}) {
    const auto found =
        findings("add.u64 %wide, %fresh, 64; setp.ne.u32 %p1, %thread, 0; @%p1 exit; " + access);
    INFO(access);
    // The kernel has no line numbers, so that its load and this access are one finding.
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::uninitialised_read);
    CHECK_FALSE(found[0].is_harmless);
    CHECK(found[0].count == 33);
  }
}

namespace {

/// The findings of kernels that get memory in which every fourth byte is unwritten, one launch after another.
std::vector<vgpu::Fault> part_findings(const std::vector<std::string>& bodies) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  std::string text = ".version 7.5\n.target sm_80\n.address_size 64\n";
  for (std::size_t i = 0; i < bodies.size(); ++i)
    text += ".visible .entry k" + std::to_string(i) + "(.param .u64 part, .param .u64 out)\n{" + R"(
    .shared .align 16 .b8 tile[64];
    .local .align 4 .b8 own[16];
    .reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<9>, %value, %known; .reg .b64 %part, %out, %wide;
    ld.param.u64 %part, [part]; ld.param.u64 %out, [out]; mov.u32 %known, 1;
)" + bodies[i] +
            "\nret;\n}\n";
  Gpu gpu(text, options);
  const auto part = *gpu.device.allocate(4096);
  const auto out = *gpu.device.allocate(4096);
  const std::vector<std::byte> bytes(3);
  for (std::uint64_t i = 0; i < 256; ++i) REQUIRE(gpu.device.write(part + 4 * i, bytes));
  std::vector<vgpu::Fault> found;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (auto& one : gpu.run("k" + std::to_string(i), {1, 1, 1}, {1, 1, 1}, pack(part, out)).findings)
      found.push_back(one);
  return found;
}

const std::string kLoad = "ld.global.u32 %value, [%part];";
const std::string kStore = "st.global.u32 [%out], %r1;";

}  // namespace

TEST_CASE("a word with one unwritten byte is reported if a result depends on this byte") {
  for (const std::string& use : std::vector<std::string>{
           "add.u32 %r1, %value, 5;" + kStore, "xor.b32 %r1, %value, 5;" + kStore,
           "cvt.rn.f32.u32 %r1, %value;" + kStore, "shr.u32 %r2, %value, 24; add.u32 %r1, %r2, 1;" + kStore,
           std::string("setp.eq.u32 %p1, %value, 0; @%p1 bra E; E:"),
           "mov.b32 {%h1, %h2}, %value; cvt.u32.u16 %r2, %h2; add.u32 %r1, %r2, 1;" + kStore,
           std::string("red.global.add.u32 [%part], 1;"), "atom.global.add.u32 %r1, [%part], 1;" + kStore}) {
    const auto found = part_findings({kLoad + use});
    INFO(use);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::uninitialised_read);
    CHECK_FALSE(found[0].is_harmless);
  }
  const auto found = part_findings({kLoad + "add.u32 %r1, %value, 5;" + kStore});
  CHECK(found[0].detail == "3");
}

TEST_CASE("a word with one unwritten byte is not reported if the byte is ignored or only copied") {
  for (const std::string& use : std::vector<std::string>{
           std::string(), "and.b32 %r2, %value, 0xffff; add.u32 %r1, %r2, 1;" + kStore,
           "bfe.u32 %r2, %value, 8, 16; add.u32 %r1, %r2, 1;" + kStore,
           "prmt.b32 %r2, %value, 0, 0x4210; add.u32 %r1, %r2, 1;" + kStore,
           "mov.b32 {%h1, %h2}, %value; cvt.u32.u16 %r2, %h1; add.u32 %r1, %r2, 1;" + kStore,
           "add.u32 %r1, %value, 1; st.global.u8 [%out], %r1;", "mov.u32 %r1, %value;" + kStore,
           std::string("st.shared.u32 [tile], %value; ld.shared.u32 %r1, [tile];") + kStore,
           std::string("atom.global.cas.b32 %r1, [%part], %value, %value;")}) {
    INFO(use);
    CHECK(part_findings({kLoad + use}).empty());
  }
}

TEST_CASE("unwritten bytes are followed through copies in memory") {
  const std::string copy = kLoad + "st.global.u32 [%out], %value;";
  const std::string use =
      "ld.global.u32 %value, [%out]; add.u32 %r1, %value, 1; st.global.u32 [%out+8], %r1;";
  const std::string use_other =
      "ld.global.u16 %h1, [%out]; cvt.u32.u16 %r1, %h1; add.u32 %r1, %r1, 1; st.global.u32 [%out+8], %r1;";
  CHECK(part_findings({copy, use}).size() == 1);
  CHECK(part_findings({copy + use}).size() == 1);
  CHECK(part_findings({copy, use_other}).empty());
  CHECK(part_findings({copy + use_other}).empty());
  CHECK(part_findings({copy + "st.global.u8 [%out+3], 0;", use}).empty());
  CHECK(part_findings({copy + "st.global.u8 [%out+3], 0;" + use}).empty());
  CHECK(part_findings({copy, "st.global.u32 [%out], %known;", use}).empty());
  CHECK(part_findings({copy + "atom.global.exch.b32 %r2, [%out], 0;" + use}).empty());
  const std::string in_shared = kLoad + "st.shared.u32 [tile], %value; ld.shared.u32 %r2, [tile];";
  CHECK(part_findings({in_shared + "add.u32 %r1, %r2, 1;" + kStore}).size() == 1);
}

TEST_CASE("padding that is copied byte by byte is not reported") {
  const std::string copy_byte = "ld.global.u8 %h1, [%part+3]; st.global.u8 [%out+3], %h1;";
  CHECK(part_findings({copy_byte}).empty());
  CHECK(part_findings({copy_byte,
                       "ld.global.u8 %h1, [%out+3]; cvt.u32.u16 %r1, %h1; add.u32 %r1, %r1, 1;"
                       "st.global.u32 [%out+8], %r1;"})
            .size() == 1);
  // The sign of the byte fills a word: that is more than a copy.
  CHECK(part_findings({"ld.global.s8 %r1, [%part+3];" + kStore}).size() == 1);
  CHECK(part_findings({kLoad + "st.local.u32 [own], %value;"}).empty());
  // None of the bytes around it is written: the array has no value at all.
  CHECK(part_findings({"ld.global.u8 %h1, [%part+2048]; st.global.u8 [%out+3], %h1;"}).size() == 1);
}

TEST_CASE("a bit field of an unwritten word can be set") {
  const std::string set =
      "ld.global.u32 %value, [%out]; and.b32 %r2, %value, 0xffffff00; or.b32 %r1, %r2, 5;" + kStore;
  const auto found = part_findings({set});
  REQUIRE(found.size() == 1);
  CHECK(found[0].is_harmless);
  const auto use = [](const std::string& mask) {
    return "ld.global.u32 %value, [%out]; and.b32 %r1, %value, " + mask +
           "; add.u32 %r1, %r1, 1; st.global.u32 [%out+8], %r1;";
  };
  CHECK(part_findings({set, use("0xff")}).size() == 1);
  CHECK(part_findings({set, use("0xff00")}).size() == 2);
}

TEST_CASE("a byte can be changed by exchanging the word around it") {
  const std::string change = R"(
    L: and.b32 %r2, %value, 0xffffff00; or.b32 %r2, %r2, 5; atom.global.cas.b32 %r3, [%part], %value, %r2;
    setp.ne.u32 %p1, %r3, %value; mov.u32 %value, %r3; @%p1 bra L;)";
  CHECK(part_findings({kLoad + change}).empty());
}

TEST_CASE("elements of a vector are followed one by one") {
  const std::string load = "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%part];";
  CHECK(part_findings({load + "cvt.u32.u16 %r1, %h3; add.u32 %r1, %r1, 1;" + kStore}).empty());
  CHECK(part_findings({load + "cvt.u32.u16 %r1, %h4; add.u32 %r1, %r1, 1;" + kStore}).size() == 1);
}

TEST_CASE("an exchange without a result reads no memory") {
  CHECK(findings("atom.global.exch.b32 %r1, [%fresh+64], 1;").size() == 1);  // that of the kernel itself
  CHECK(part_findings({"atom.global.exch.b32 %r1, [%out], 1;"}).empty());
  CHECK(part_findings({"atom.global.exch.b32 %r1, [%out], 1; st.global.u32 [%part], %r1;"}).size() == 1);
  CHECK(part_findings({"atom.global.add.u32 %r1, [%out], 1;"}).size() == 1);
}

}  // namespace value_flow_test
