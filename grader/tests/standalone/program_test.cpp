// A program started without `warpgrade run` has a device of its own.

#include <csignal>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "standalone/program_fixture.hpp"
#include "toolchain/front_end.hpp"

using testing::contains;
using testing::modes;

TEST_CASE("a program started directly runs on a device of its own") {
  const auto right = modes().run({"right"});
  CHECK(right.code == 0);
  CHECK(right.out == "cudaSuccess\n");
  CHECK(right.err == "");
}

TEST_CASE("a kernel's fault is reported on stderr and the program gets CUDA's error") {
  const auto wrong = modes().run({"wrong"});
  CHECK(wrong.code == 1);
  CHECK(wrong.out == "cudaErrorIllegalAddress\n");
  CHECK_THAT(wrong.err, contains("`scale` reads past the end of allocation 1 (240 bytes)") &&
                            contains("modes.cu:13") && contains("if (i < n) values[i] *= factor;") &&
                            contains("block (0, 0, 0), thread (60, 0, 0)"));
}

TEST_CASE("a fault is reported even if the program ignores it or is killed") {
  CHECK(modes().run({"ignored"}).code == 0);
  CHECK_THAT(modes().run({"ignored"}).err, contains("WG-M01"));
  const auto killed = modes().run({"killed"});
  CHECK(killed.code == 128 + SIGKILL);
  CHECK_THAT(killed.err, contains("WG-M01"));
}

TEST_CASE("a kernel's access to host memory is reported as such, one through a null pointer is not") {
  CHECK_THAT(modes().run({"host-pointer"}).err,
             contains("WG-M13") && contains("`scale` reads through a pointer to host memory") &&
                 contains("modes.cu:13"));
  const std::string null = modes().run({"null-pointer"}).err;
  CHECK_THAT(null, contains("WG-M01") && contains("a null pointer"));
  CHECK_THAT(null, !contains("WG-M13"));
  CHECK_THAT(modes().run({"wrong"}).err, !contains("WG-M13"));
}

TEST_CASE("an error is reported only if the program continues without checking it") {
  const auto ignored = modes().run({"failed-copy"});
  CHECK(ignored.code == 0);
  CHECK_THAT(ignored.err, contains("error[WG-H13]: cudaMemcpy failed with cudaErrorInvalidValue (1)") &&
                              contains("the pointers are swapped, or the direction is wrong") &&
                              contains("--> modes.cu:52") && contains("cudaMemcpyDeviceToHost);"));
}

TEST_CASE("calls that are always mistakes are reported even if the error is checked or nothing follows") {
  const auto seen = modes().run({"failed-copy-seen"});
  CHECK(seen.out == "cudaErrorInvalidValue\n");
  CHECK_THAT(seen.err, contains("error[WG-H08]: cudaMemcpy failed with cudaErrorInvalidValue (1)\n") &&
                           contains("the pointers are swapped, or the direction is wrong"));
  const std::string last = modes().run({"bad-calls-last"}).err;
  CHECK_THAT(last,
             contains("--> modes.cu:65") && contains("allocation 1 (256 bytes) has already been freed"));
  CHECK_THAT(last, contains("--> modes.cu:66") && contains("free only pointers from cudaMalloc"));
  CHECK_THAT(last, contains("--> modes.cu:67") && contains("the direction is wrong"));
  CHECK_THAT(last, !contains("times"));
  const auto aborted = modes().run({"abort"});  // as assert() ends programs
  CHECK(aborted.code == 128 + SIGABRT);
  CHECK_THAT(aborted.err, contains("--> modes.cu:65") && contains("--> modes.cu:67"));
}

TEST_CASE("memory that a kernel uses wrongly is named, with where it comes from and where it was freed") {
  const std::string wrong = modes().run({"wrong"}).err;
  CHECK_THAT(wrong, contains("index 60, but there are 60 elements of 4 bytes; allocated at modes.cu:27"));
  const std::string freed = modes().run({"use-after-free"}).err;
  CHECK_THAT(freed, contains("WG-M04") && contains("that was freed: allocation 1 (256 bytes)"));
  CHECK_THAT(freed, contains("allocated at modes.cu:27, freed at modes.cu:74"));
  const std::string managed = modes().run({"leave-managed"}).err;
  CHECK_THAT(managed,
             contains("past the end of managed memory (240 bytes)") && contains("allocated at modes.cu:88"));
}

TEST_CASE("a refused launch whose error is not checked is reported, even if nothing follows") {
  const auto silent = modes().run({"refused-launch"});
  CHECK_THAT(silent.err, contains("error[WG-H13]: cudaLaunchKernel failed") && contains("--> modes.cu:95") &&
                             contains("scale<<<1, 4096>>>") && contains("4096 × 1 × 1 threads"));
  const auto seen = modes().run({"refused-launch-seen"});
  CHECK(seen.out == "cudaErrorInvalidConfiguration\n");
  CHECK(seen.err == "");
}

TEST_CASE("a crash of host code on a device pointer is explained, other crashes have their line only") {
  const auto device = modes().run({"device-pointer"});
  CHECK(device.code == 128 + SIGSEGV);
  CHECK_THAT(device.err, contains("error[WG-H14]: host code used device memory\n") &&
                             contains("--> modes.cu:149") && contains("byte 0 of allocation 1 (32 bytes)"));
  const auto other = modes().run({"crash"});
  CHECK(other.code == 128 + SIGSEGV);
  CHECK_THAT(other.err, !contains("WG-H14") && contains("host code crashed at modes.cu:"));
}

TEST_CASE("a crash of host code in memory that it freed names the call that freed the memory") {
  CHECK_THAT(
      modes().run({"freed-host-memory"}).err,
      contains("host code read byte 4 of the 64 bytes of memory that cudaFreeHost freed at modes.cu:158, "
               "allocated at modes.cu:156\n"));
  CHECK_THAT(modes().run({"freed-host-memory", "managed"}).err,
             contains("host code wrote byte 8 of the 64 bytes of memory that cudaFree freed at modes.cu:159, "
                      "allocated at modes.cu:157\n"));
}

TEST_CASE("memory that is not freed is a warning at the end, with its size") {
  const auto leak = modes().run({"leak"});
  CHECK(leak.code == 0);
  CHECK_THAT(
      leak.err,
      contains("warning[WG-M09]: the program ends with 1 allocation of device memory not freed, 32 bytes") &&
          contains("allocation 1 (32 bytes) at modes.cu:27") && contains("--> modes.cu:27") &&
          contains("27 |   cudaMalloc(reinterpret_cast<void**>(&values)"));
  const std::string host = modes().run({"lost-host-memory"}).err;
  CHECK_THAT(host, contains("1 allocation of managed memory not freed, 4096 bytes") &&
                       contains("--> modes.cu:80") &&
                       contains("1 allocation of pinned host memory not freed, 100 bytes") &&
                       contains("--> modes.cu:81"));
}

TEST_CASE("memory that kernels allocate is a warning unless a kernel frees it") {
  for (const char* end : {"lose", "reset"}) {
    const auto lost = modes().run({"kernel-memory", end});
    CHECK(lost.code == 0);
    CHECK_THAT(lost.err, contains("warning[WG-M09]: the program ends with 1 allocation by kernels not freed, "
                                  "4 bytes") &&
                             contains("cudaFree cannot free it"));
  }
  CHECK(modes().run({"kernel-memory", "free"}).err == "");
}

TEST_CASE("a copy of memory that was never written to the host is a note") {
  const auto part = modes().run({"copy-unwritten", "32"});
  CHECK(part.code == 0);
  CHECK_THAT(part.err,
             contains("note[WG-M07]: 128 of 256 bytes that are copied to the host were never written") &&
                 contains("--> modes.cu:113") && contains("byte 128 of allocation 1 (256 bytes)"));
  CHECK_THAT(modes().run({"copy-unwritten", "0"}).err,
             contains("note[WG-M07]: device memory that was never written is copied to the host"));
  CHECK(modes().run({"copy-unwritten", "64"}).err == "");
}

TEST_CASE("after a kernel's fault or a crash, memory that is not freed is not reported") {
  CHECK_THAT(modes().run({"wrong"}).err, !contains("WG-M09"));
  CHECK_THAT(modes().run({"crash"}).err, !contains("WG-M09"));
  CHECK_THAT(modes().run({"endless"}).err, !contains("WG-M09"));
}

TEST_CASE("the output of kernels and of the program is in order") {
  CHECK(modes().run({"printf"}).out == "before\nblock 0\nblock 1\nblock 2\nafter\n");
}

TEST_CASE("the device is not a child process of the program") {
  CHECK(modes().run({"children"}).out == "cudaSuccess\n-1\n");
}

TEST_CASE("a device whose program was killed in the middle of a kernel ends too") {
  // The device holds stderr open: the pipe ends when the device has. SIGALRM ends the program after a second.
  const std::string pipe = modes().path() + " endless 2>&1 >/dev/null | cat; echo over";
  const std::string out = testing::run({"/bin/sh", "-c", pipe}).out;
  CHECK(out.starts_with("started\n"));
  CHECK(out.ends_with("\nover\n"));
}

TEST_CASE("a program that is given a device that does not exist reports it") {
  testing::Setting setting;
  setting.environment["WARPGRADE_DEVICE_SOCKET"] = "/dev/null/device";
  const auto ended = modes().run({"right"}, setting);
  CHECK(ended.out == "cudaErrorNoDevice\n");
  CHECK_THAT(ended.err, contains("no process serves a device at /dev/null/device"));
}

TEST_CASE("pipelines of asynchronous copies are not reported, a copy that is not awaited is") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("needs nvcc");
    return;
  }
  const testing::CudaProgram copies("async_copies.cu");
  const auto right = copies.run({});
  CHECK(right.err == "");
  CHECK(right.out ==
        "primitives cudaSuccess 195783\ncooperative groups cudaSuccess 195783\nbarrier cudaSuccess 195783\n"
        "two stages cudaSuccess 195783\nthree stages cudaSuccess 195783\n"
        "producers and consumers cudaSuccess 684753\n");
  CHECK_THAT(
      copies.run({"wrong"}).err,
      contains("error[WG-R06]: `not_awaited` reads shared memory while an asynchronous copy to it is"));
}

TEST_CASE("tiles of a warp vote, match, shuffle and synchronise separately") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("needs nvcc");
    return;
  }
  const auto ended = testing::CudaProgram("tiles.cu").run({});
  CHECK(ended.err == "");
  CHECK(ended.out ==
        "2: cudaSuccess, 0 wrong\n4: cudaSuccess, 0 wrong\n8: cudaSuccess, 0 wrong\n"
        "16: cudaSuccess, 0 wrong\n32: cudaSuccess, 0 wrong\n");
}

TEST_CASE("warpgrade nvcc builds programs of several files, in one command or in steps") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("needs nvcc");
    return;
  }
  const grader::TemporaryFolder folder("nvcc");
  testing::Setting here;
  here.folder = folder.path();
  testing::write(folder.path() / "kernel.cu",
                 "#include <cstdio>\nint answer();\n"
                 "__global__ void put(int* p, int v) { *p = v; }\n"
                 "int main() {\n  int *d, h = 0;\n  cudaMalloc(&d, 4);\n  put<<<1, 1>>>(d, answer());\n"
                 "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  std::printf(\"%d\\n\", h);\n}\n");
  testing::write(folder.path() / "answer.cpp", "int answer() { return 42; }\n");
  const auto must = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "nvcc");
    const auto ended = testing::warpgrade(arguments, here);
    INFO(ended.err);
    REQUIRE(ended.code == 0);
  };
  SECTION("in one command") { must({"-O2", "-o", "program", "kernel.cu", "answer.cpp"}); }
  SECTION("in steps, as C++20, for another architecture") {
    must({"-c", "-std=c++20", "-arch=sm_90", "kernel.cu"});
    must({"-c", "answer.cpp", "-o", "other.o"});
    must({"kernel.o", "other.o", "-o", "program", "-lcudart"});
  }
  SECTION("with clang as the host's compiler") {
    if (!std::filesystem::exists("/usr/bin/clang++")) return;
    must({"-ccbin", "clang++", "-std=c++17", "-o", "program", "kernel.cu", "answer.cpp"});
  }
  here.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64";  // must not lead to the toolkit's runtime
  CHECK(testing::run({folder.path() / "program"}, here).out == "42\n");
  // The machine code next to the PTX gives the register counts.
  CHECK(testing::warpgrade({"run", "--report", "report.json", "./program"}, here).code == 0);
  const auto launch =
      nlohmann::json::parse(testing::text_of(folder.path() / "report.json"))["programs"][0]["launches"][0];
  CHECK(launch["registers_are_estimated"] == false);
  CHECK(launch["registers_per_thread"] > 0);
}

TEST_CASE(
    "a block whose machine code needs more registers than a block can have is refused, as by hardware") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("needs nvcc");
    return;
  }
  const grader::TemporaryFolder folder("registers");
  testing::Setting here;
  here.folder = folder.path();
  testing::write(
      folder.path() / "many.cu",
      "__global__ void many(float* x, int rounds) {\n  float v[100];\n"
      "  for (int i = 0; i < 100; ++i) v[i] = x[i];\n"
      "  for (int r = 0; r < rounds; ++r)\n#pragma unroll\n"
      "    for (int i = 0; i < 100; ++i) v[i] = v[i] * v[(i + 37) % 100] + v[(i + 61) % 100];\n"
      "  for (int i = 0; i < 100; ++i) x[1000 + 1000 * i + threadIdx.x] = v[i];\n}\n"
      "int main(int argc, char**) {\n  float* x;\n  cudaMalloc(&x, 500000);\n"
      "  cudaMemset(x, 0, 500000);\n  many<<<1, argc > 1 ? 1000 : 256>>>(x, 1);\n"
      "  const cudaError_t error = cudaGetLastError();\n  cudaDeviceSynchronize();\n  cudaFree(x);\n"
      "  return error == cudaErrorLaunchOutOfResources ? 3 : error;\n}\n");
  REQUIRE(testing::warpgrade({"nvcc", "-o", "many", "many.cu"}, here).code == 0);
  const auto code = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "--profile"});
    return testing::warpgrade(arguments, here).code;
  };
  CHECK(code({"h200", "./many"}) == 0);
  CHECK(code({"h200", "./many", "large"}) == 3);
  // The machine code is not for this device: its threads have fewer registers.
  CHECK(code({"lecture", "./many", "large"}) == 0);
}

TEST_CASE("warpgrade nvcc refuses relocatable device code") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("needs nvcc");
    return;
  }
  const auto refused = testing::warpgrade({"nvcc", "-rdc=true", "a.cu"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, contains("relocatable device code (-rdc=true) is not supported"));
}

TEST_CASE("races inside Thrust's kernels are not reported, races of a functor are [slow]", "[slow]") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("no nvcc");
    return;
  }
  const grader::TemporaryFolder folder("thrust");
  const std::string program = folder.path() / "thrust";
  const std::string source = testing::source_folder() / "grader/tests/kernels/standalone/thrust.cu";
  REQUIRE(testing::warpgrade({"nvcc", "--extended-lambda", "-lineinfo", "-o", program, source}).code == 0);
  const auto ended = testing::run({program});
  CHECK(ended.out == "16667\n33332\n16666\n");
  CHECK_THAT(ended.err, contains("error[WG-R03]") && contains("thrust.cu:"));
  CHECK_THAT(ended.err, !contains("DeviceSelectSweepKernel") && !contains("_kernel_agent") &&
                            !contains("DeviceMergeSort"));
}
