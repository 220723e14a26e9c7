// Real programs, end to end: compiled by each available front end, linked with the runtime library, and run
// in their own process with a device in this process.

#include <fstream>

#include <sys/socket.h>
#include <unistd.h>

#include "base/files.hpp"
#include "catch.hpp"
#include "cudart/run_command.hpp"
#include "toolchain/front_end.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace programs_test {

using namespace grader;
using testing::contains;
using testing::run_command;

namespace {

const std::filesystem::path kSource = WARPGRADE_SOURCE_DIR;

struct Program {
  TemporaryFolder folder{"cudart-program"};
  CompileJob job;

  Program(const FrontEnd& front_end, const char* source) {
    job.source = folder.path() / "program.cu";
    job.assembly = folder.path() / "program.s";
    job.object = folder.path() / "program.o";
    job.shared_object = folder.path() / "program.so";
    job.kit_cuda_include = kSource / "grader/vgpu/cudart/include";
    job.runtime_library = VIRTUAL_CUDART;
    job.scratch_folder = folder.path();
    const auto text = read_file(kSource / "grader/tests/kernels/cudart" / source, std::size_t{1} << 20U);
    REQUIRE(text);
    REQUIRE(write_file_atomically(job.source, adapted_source(front_end, *text)));
    for (const Command& command : compile_commands(front_end, job)) must_run(command);
    must_run(assemble_command(front_end, job));
    must_run(link_command(front_end, job));
  }

  static void must_run(const Command& command) {
    const auto finished = run_command(command);
    INFO(finished.output);
    REQUIRE(finished.status == 0);
  }

  std::vector<std::string> command(const std::string& mode) const {
    return {LOAD_PROGRAM, job.shared_object.string(), mode};
  }
};

struct Ran {
  std::string printed;
  vgpu::cudart::SessionReport session;
};

Ran run_on_device(const Program& program, const std::string& mode) {
  int sockets[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
  testing::RunningCommand running(program.command(mode), sockets[1]);
  ::close(sockets[1]);
  vgpu::Device device(vgpu::lecture_profile());
  Ran ran;
  ran.session = vgpu::cudart::serve(sockets[0], device);
  ::close(sockets[0]);
  const auto finished = running.wait();
  CHECK(finished.status == 0);
  CHECK(ran.session.protocol_error.empty());
  ran.printed = finished.output;
  return ran;
}

void check_arithmetic(const Program& program) {
  const Ran add = run_on_device(program, "vector-add");
  CHECK(add.printed == "cudaSuccess\n1994 1996 1998 \n");
  REQUIRE(add.session.launches.size() == 1);
  const vgpu::LaunchRecord& launch = add.session.launches.front();
  CHECK_THAT(launch.kernel, contains("add"));
  CHECK(launch.grid == vgpu::Dim3{4, 1, 1});
  CHECK(launch.block == vgpu::Dim3{256, 1, 1});
  CHECK(launch.error == vgpu::LaunchError::none);
  CHECK(launch.counters.global_loads.requested_bytes == 2 * 1000 * 4);
  CHECK(launch.counters.global_stores.requested_bytes == 1000 * 4);
  CHECK(add.session.kernel_s > 0);
  CHECK(add.session.live_allocations.empty());
  CHECK(add.session.failures.empty());

  const Ran dynamic = run_on_device(program, "dynamic-shared");
  CHECK(dynamic.printed == "3 2 1 0 \n");
  REQUIRE(dynamic.session.launches.size() == 1);
  CHECK(dynamic.session.launches.front().dynamic_shared_bytes == 16);

  CHECK(run_on_device(program, "symbols").printed ==
        "cudaSuccess\ncudaSuccess\n1 11 201 3001 5 51 601 7001 \n8 visits\n");
  CHECK(run_on_device(program, "events").printed == "cudaSuccess took time\n");
}

void check_printf(const Program& program) {
  CHECK(run_on_device(program, "printf").printed ==
        "thread 1 of block 0 says 7 and 1.50\nthread 1 of block 1 says 7 and 1.50\ncudaSuccess\n");
}

void check_faults(const Program& program) {
  const Ran outside = run_on_device(program, "out-of-bounds");
  CHECK(outside.printed ==
        "launch cudaSuccess\nwait cudaErrorIllegalAddress\nlater cudaErrorIllegalAddress\n");
  REQUIRE(outside.session.launches.size() == 1);
  const vgpu::LaunchRecord& launch = outside.session.launches.front();
  REQUIRE(launch.faults.size() == 1);
  CHECK(launch.faults.front().kind == vgpu::FaultKind::out_of_bounds);
  CHECK(launch.faults.front().is_store);
  CHECK(launch.faults.front().thread == vgpu::Dim3{32, 0, 0});
  CHECK_THAT(launch.faults.front().file, contains("program.cu"));
  REQUIRE(outside.session.failures.size() == 1);
  CHECK(outside.session.failures.front().call == "cudaDeviceSynchronize");
  CHECK(outside.session.failures.front().error == 700);
}

void check_refusals(const Program& program) {
  const Ran wide = run_on_device(program, "too-many-threads");
  CHECK(wide.printed == "launch cudaErrorInvalidConfiguration\nthen cudaSuccess\n");
  REQUIRE(wide.session.failures.size() == 1);
  CHECK(wide.session.failures.front().call == "cudaLaunchKernel");
  CHECK(wide.session.failures.front().error == 9);
  CHECK_THAT(wide.session.failures.front().detail, contains("2048") && contains("1024"));

  const Ran missing = run_on_device(program, "unsupported");
  CHECK_THAT(missing.printed,
             contains("cudaDeviceGraphMemTrim is not supported") && contains("\ncudaErrorNotSupported\n"));
  CHECK(missing.session.unsupported == std::vector<std::string>{"cudaDeviceGraphMemTrim"});

  const auto alone = run_command(program.command("no-device"));
  CHECK(alone.status == 0);
  CHECK_THAT(alone.output, contains("cudaErrorNoDevice 0\n") && contains("no virtual GPU is connected"));
}

void check_programs_of(FrontEndKind kind) {
  const auto front_end = find_front_end(kind);
  if (!front_end) {
    WARN(front_end.error().what);
    return;
  }
  const Program program(*front_end, "modes.cu");
  // No sections, because each section would compile the program again.
  check_arithmetic(program);
  check_printf(program);
  check_faults(program);
  check_refusals(program);
}

/// Computed by hand or with the C library.
constexpr const char* kDeviceFunctionResults =
    "integers: 8 8 9 10817280 32 3942720 15770879 15770875 -3019008 571581696 15770880 96 25\n"
    "exact floats: 1.65831244 9.25 2.75 6 4.75 6.40831232 22 0.916666687 2.75000024 4 0 0.25 11.363636 13\n"
    "other floats: 3.4903 0.22314 0.94898 0.31532 1.3975 0.84828 0.89443 0.55 3.4903 0.94898 3.4903 5.0528\n"
    "atomics: 496 -32 -26 31 -1 0 77 1\n"
    "unsigned atomics: 2 3\n"
    "float atomics: 16\n"
    "long atomics: 274877906944\n"
    "warps: 8 107 7 -1431655766 1 1 65280 496 512 496\n"
    "barriers: 64 97 30\n"
    "vectors: 4 3 2 1 8 7 6 5\n"
    "pairs: 41 71\n";

/// The source line of a fault.
std::string line_of(const Program& program, const vgpu::Fault& fault) {
  std::ifstream source(program.job.source);
  std::string line;
  for (std::uint32_t i = 0; i < fault.source.line; ++i) std::getline(source, line);
  return line;
}

}  // namespace

TEST_CASE("programs compiled by nvcc run on the virtual GPU") { check_programs_of(FrontEndKind::nvcc); }

TEST_CASE("programs compiled by clang without a toolkit run on the virtual GPU") {
  check_programs_of(FrontEndKind::clang);
}

TEST_CASE("device functions give the same results with every compiler") {
  for (FrontEndKind kind : {FrontEndKind::nvcc, FrontEndKind::clang}) {
    const auto front_end = find_front_end(kind);
    if (!front_end) continue;
    const Ran ran = run_on_device(Program(*front_end, "device_functions.cu"), "all");
    for (const auto& failure : ran.session.failures) UNSCOPED_INFO(failure.call << ": " << failure.detail);
    for (const auto& launch : ran.session.launches) {
      for (const auto& fault : launch.faults) UNSCOPED_INFO(launch.kernel << ": " << fault.detail);
    }
    CHECK(ran.printed == kDeviceFunctionResults);
  }
}

TEST_CASE("managed variables, groups, channels and launches in braces are the same with every compiler") {
  for (FrontEndKind kind : {FrontEndKind::nvcc, FrontEndKind::clang}) {
    const auto front_end = find_front_end(kind);
    if (!front_end) continue;
    INFO(front_end->version);
    const Ran ran = run_on_device(Program(*front_end, "front_ends.cu"), "all");
    for (const auto& failure : ran.session.failures) UNSCOPED_INFO(failure.call << ": " << failure.detail);
    for (const auto& launch : ran.session.launches)
      for (const auto& fault : launch.faults)
        UNSCOPED_INFO(launch.kernel << ": " << fault.instruction << " " << fault.detail);
    CHECK(ran.printed ==
          "managed: 7 3 25 25 q 2.5 managed\n"
          "groups: 161188 238293 2715680537\n"
          "grid: 12 12\n"
          "leaders: 24 192\n"
          "copies: 63 0\n"
          "channels: 32.0.0.0:2 32.32.32.32:2 8.8.0.0:1 8.0.0.0:0 16.0.0.0:1 32.0.0.0:0 0.0.0.0:3\n"
          "mixed: 3 186 1 1\n");
  }
}

TEST_CASE("intrinsics of the toolkit give the same results as host arithmetic", "[slow]") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const Ran ran = run_on_device(Program(*nvcc, "intrinsics.cu"), "all");
  for (const auto& launch : ran.session.launches) {
    for (const auto& fault : launch.faults)
      UNSCOPED_INFO(launch.kernel << ": " << fault.instruction << " " << fault.detail);
  }
  CHECK(ran.printed ==
        "words right\n128-bit integers right\nf16 right\nbf16 right\nhalf functions right\nrounded right\n"
        "atomics right\ncopies right\n");
}

TEST_CASE("textures are filtered as an H200 filters them, bit for bit") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const Program program(*nvcc, "texture_filter.cu");
  const Ran ran = run_on_device(program, "");
  // The output of an H200. It does not cover 3D textures, where 62 of 32,768 values differ in their last bit,
  // and signed bytes.
  for (const char* line : {"1D 3270d21d8068e779", "2D 9c3f934eaf3b94ab", "2D u8 7bbdcc43f454e4d2",
                           "2D u16 0f6f5cf552119fd9", "2D s16 f3f21db638f77176", "2D f16 f2202ab2a630e325"})
    CHECK_THAT(ran.printed, contains(std::string(line) + " cudaSuccess\n"));
}

TEST_CASE("programs with textures run, and an invalid fetch is a fault") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const Program program(*nvcc, "textures.cu");
  const auto rotation = run_on_device(program, "rotation");
  CHECK(rotation.printed == "cudaSuccess\n0 wrong\n");
  CHECK(rotation.session.live_allocations.empty());
  CHECK(run_on_device(program, "resizing").printed == "cudaSuccess\n0 wrong\n");
  const auto forms = run_on_device(program, "forms");
  // Computed by hand.
  CHECK(forms.printed ==
        "cudaSuccess\n"
        "0 10 11 12 513 1027 1541 2055 \n"
        "1 2 3 3 1 4 8 5 -1 -1 -1 -1 1 5 9 \n"
        "32 bits, 2 x 2 x 3, flags 1\n1 1\n0 1 2 3\n");
  CHECK(forms.session.failures.empty());
  CHECK(forms.session.live_allocations.empty());
  CHECK(run_on_device(program, "refusals").printed ==
        "cudaErrorInvalidChannelDescriptor\ncudaErrorInvalidFilterSetting\ncudaErrorInvalidNormSetting\n"
        "cudaErrorInvalidValue\ncudaErrorInvalidResourceHandle\ncudaErrorInvalidValue\n");

  const auto fault_of = [&](const char* mode) {
    const Ran ran = run_on_device(program, mode);
    CHECK(ran.printed == "cudaErrorIllegalAddress\n");
    REQUIRE(ran.session.launches.size() == 1);
    REQUIRE(ran.session.launches[0].faults.size() == 1);
    return ran.session.launches[0].faults[0];
  };
  const vgpu::Fault none = fault_of("no-object");
  CHECK(none.kind == vgpu::FaultKind::invalid_texture);
  CHECK(none.address == 5);
  CHECK(none.instruction == "tex.2d.v4.f32.f32");
  CHECK(none.detail == "there is no texture object there");
  CHECK(fault_of("destroyed").detail == "it was destroyed");
  CHECK(fault_of("other-kind").detail == "it is a 2D texture, which a 1D fetch cannot read");
  CHECK(fault_of("freed").kind == vgpu::FaultKind::use_after_free);
}

TEST_CASE("programs with surfaces run, and an invalid access is a fault") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const Program program(*nvcc, "surfaces.cu");
  const auto blurring = run_on_device(program, "blurring");
  CHECK(blurring.printed == "cudaSuccess\n0 wrong\n");
  CHECK(blurring.session.live_allocations.empty());
  CHECK(blurring.session.failures.empty());
  const auto types = run_on_device(program, "types");
  CHECK(types.printed == "0 0 0 0 0 wrong\n");
  CHECK(types.session.live_allocations.empty());
  CHECK(run_on_device(program, "boundaries").printed ==
        "0 0 10 11 12 13 0 0 \n10 10 10 11 12 13 13 13 \n72 11 12 73 \n");
  const auto refusals = run_on_device(program, "refusals");
  CHECK(refusals.printed ==
        "cudaErrorInvalidValue\ncudaErrorInvalidChannelDescriptor\ncudaErrorInvalidResourceHandle\n"
        "cudaErrorInvalidValue\ncudaErrorInvalidValue\ncudaSuccess\n1 1\ncudaSuccess\n"
        "cudaErrorInvalidValue\ncudaErrorInvalidValue\n1\n");
  CHECK(refusals.session.unsupported.empty());

  const auto fault_of = [&](const char* mode, const char* error = "cudaErrorIllegalAddress\n") {
    const Ran ran = run_on_device(program, mode);
    CHECK(ran.printed == error);
    REQUIRE(ran.session.launches.size() == 1);
    REQUIRE(ran.session.launches[0].faults.size() == 1);
    return ran.session.launches[0].faults[0];
  };
  const vgpu::Fault outside = fault_of("outside");
  CHECK(outside.kind == vgpu::FaultKind::out_of_bounds);
  CHECK(outside.instruction == "sust.b.2d.b32.trap");
  CHECK(outside.is_store);
  CHECK(outside.block == vgpu::Dim3{1, 0, 0});
  CHECK(outside.thread == vgpu::Dim3{0, 0, 0});
  CHECK(outside.count == 8);
  CHECK(outside.detail == "x is bytes 32 to 35, but a row has bytes 0 to 31");
  CHECK(line_of(program, outside).find("// faults are reported at this line") != std::string::npos);
  const vgpu::Fault columns = fault_of("columns", "cudaErrorMisalignedAddress\n");
  CHECK(columns.kind == vgpu::FaultKind::misaligned);
  CHECK(columns.thread == vgpu::Dim3{1, 0, 0});
  CHECK(columns.detail == "x is byte 1");
  CHECK(fault_of("destroyed").detail == "it was destroyed");
  CHECK(fault_of("texture").detail == "it is a texture object");
  CHECK(fault_of("line").detail == "it is a 1D surface, which a 2D access cannot use");
  CHECK(fault_of("freed").kind == vgpu::FaultKind::use_after_free);
}

TEST_CASE("programs with products on tensor cores run, and an invalid load is a fault") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const Program program(*nvcc, "tensor_cores.cu");
  const Ran types = run_on_device(program, "types");
  CHECK(types.printed == "f16 0\nf16 32 8 0\nf16 8 32 0\nbf16 0\ntf32 0\ns8 0\nu8 0\nf64 0\ncudaSuccess\n");
  // The first launch: 16 tiles with 4 products along k each, and the doubling of the result.
  REQUIRE(types.session.launches.size() == 16);
  const vgpu::Counters& counters = types.session.launches[0].counters;
  const auto tensor = static_cast<std::size_t>(vgpu::InstructionClass::tensor);
  CHECK(counters.warp_instructions_by_class[tensor] == 16 * 4);
  CHECK(counters.flops == 2 * 64 * 64 * 64 + 64 * 64);

  const Ran by_hand = run_on_device(program, "by-hand");
  CHECK(by_hand.printed == "by hand 0\n");
  REQUIRE(by_hand.session.launches.size() == 1);
  // Rows of 144 bytes: eight rows are in different banks.
  CHECK(by_hand.session.launches[0].counters.shared_loads.bank_conflicts == 0);

  const auto fault_of = [&](const char* mode, const char* error) {
    const Ran ran = run_on_device(program, mode);
    CHECK(ran.printed == error);
    REQUIRE(ran.session.launches.size() == 1);
    REQUIRE(ran.session.launches[0].faults.size() == 1);
    vgpu::Fault fault = ran.session.launches[0].faults[0];
    CHECK(line_of(program, fault).find("// faults are reported at this line") != std::string::npos);
    CHECK_THAT(fault.instruction, contains("wmma.load.a.sync.aligned.row.m16n16k16"));
    return fault;
  };
  CHECK(fault_of("too-far", "cudaErrorIllegalAddress\n").kind == vgpu::FaultKind::out_of_bounds);
  CHECK(fault_of("own-tile", "cudaErrorLaunchFailure\n").kind == vgpu::FaultKind::not_uniform);
  CHECK(fault_of("branch", "cudaErrorLaunchFailure\n").kind == vgpu::FaultKind::missing_lanes);
}

/// Runs a program and compares its output with that of an H200, which is in a text file of the same name.
static void must_print_as_measured(const std::string& name) {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const auto measured = read_file(kSource / "grader/tests/kernels/cudart" / (name + ".txt"), 1 << 16);
  REQUIRE(measured);
  CHECK(run_on_device(Program(*nvcc, (name + ".cu").c_str()), "").printed == *measured);
}

TEST_CASE("tensor cores give the same results as an H200 for random bits") {
  must_print_as_measured("tensor_bits");
}

TEST_CASE(
    "the carry flag goes from one instruction to another as on an H200, through 128-bit division, too") {
  must_print_as_measured("carry_mix");
}

TEST_CASE("a program that does not compile gives diagnostics with both front ends") {
  for (FrontEndKind kind : {FrontEndKind::nvcc, FrontEndKind::clang}) {
    const auto front_end = find_front_end(kind);
    if (!front_end) continue;
    const TemporaryFolder folder("cudart-program");
    CompileJob job;
    job.source = folder.path() / "program.cu";
    job.assembly = folder.path() / "program.s";
    job.object = folder.path() / "program.o";
    job.kit_cuda_include = kSource / "grader/vgpu/cudart/include";
    job.scratch_folder = folder.path();
    REQUIRE(write_file_atomically(job.source, "__global__ void k(float* p) {\n  p[0] = unknown_name;\n}\n"));
    const auto finished = run_command(compile_commands(*front_end, job).front());
    CHECK(finished.status != 0);
    const auto errors = read_compiler_output(finished.output, "mine.cu");
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().code == "WG-C01");
    CHECK_THAT(errors.front().what, contains("unknown_name"));
    CHECK(errors.front().where == SourceLocation{"mine.cu", 2});
  }
}

}  // namespace programs_test
