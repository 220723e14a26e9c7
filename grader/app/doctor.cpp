#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/process.hpp"
#include "app/session.hpp"
#include "report/health_text.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

/// Paths below the home folder start with "~", because users paste doctor's output into public places.
std::string without_home(std::string text) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || std::string_view(home).size() < 2) return text;
  for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1))
    text.replace(at, std::string_view(home).size(), "~");
  return text;
}

constexpr const char* kNotNeeded = "not needed: everything runs on the virtual GPU";

class Examination {
 public:
  explicit Examination(const Console& console) : console_(console) {}

  void note(Health health, const std::string& what, const std::string& finding,
            const std::string& advice = "") {
    print(health_text({health, what, without_home(finding), without_home(advice)}, console_.out));
    able_ = able_ && health != Health::missing;
  }
  bool able() const { return able_; }

 private:
  const Console& console_;
  bool able_ = true;
};

std::string instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "x86-64 with AVX-512";
  return __builtin_cpu_supports("avx2") ? "x86-64 with AVX2" : "x86-64";
#elif defined(__aarch64__)
  return "AArch64";
#else
  return "another instruction set";
#endif
}

void examine_compiler(Examination& examination, const Expected<FrontEnd, Diagnostic>& front_end) {
  if (!front_end)
    return examination.note(Health::missing, "compiler", front_end.error().what, front_end.error().next_step);
  examination.note(Health::ok, "compiler", front_end->version + ", " + front_end->compiler.string(),
                   front_end->reason);
}

void examine_sandbox(Examination& examination, const Expected<Sandbox, Diagnostic>& sandbox) {
  if (sandbox) return examination.note(Health::ok, "sandbox", sandbox->kind().name);
  examination.note(Health::warn, "sandbox", sandbox.error().what + "; `check` works, `grade` does not",
                   sandbox.error().next_step);
}

void examine_gpu(Examination& examination, const KitPaths& paths,
                 const Expected<FrontEnd, Diagnostic>& front_end, const Sandbox& sandbox) {
  examination.note(Health::ok, "virtual GPU", "always available; profile " + vgpu::lecture_profile().name);
  if (!front_end || front_end->kind != FrontEndKind::nvcc)
    return examination.note(Health::warn, "real GPU", "not searched for: it needs nvcc", kNotNeeded);
  if (const auto gpu = find_cuda_device(paths, *front_end, sandbox))
    examination.note(Health::ok, "real GPU", gpu->name);
  else
    examination.note(Health::warn, "real GPU", gpu.error().what, kNotNeeded);
}

void examine_programs(Examination& examination, const KitPaths& paths) {
  const fs::path harness = paths.binaries / "bin" / "harness-virtual";
  std::error_code error;
  if (fs::exists(harness, error))
    examination.note(Health::ok, "programs", paths.binaries.string());
  else
    examination.note(Health::missing, "programs", harness.string() + " is not built",
                     "build the kit: cmake --workflow --preset virtual");
}

int doctor(const Console& console) {
  Examination examination(console);
  examination.note(Health::ok, "warpgrade", version_text());
  const auto paths = find_kit();
  if (paths)
    examination.note(Health::ok, "kit", paths->root.string());
  else
    examination.note(Health::missing, "kit", paths.error().what, paths.error().next_step);
  if (paths) examine_programs(examination, *paths);
  if (const auto problem = prepare_process())
    examination.note(Health::missing, "shell", problem->what, problem->next_step);
  const auto front_end = find_front_end(std::nullopt);
  examine_compiler(examination, front_end);
  const auto sandbox = Sandbox::open();
  examine_sandbox(examination, sandbox);
  if (paths) examine_gpu(examination, *paths, front_end, sandbox ? *sandbox : Sandbox::without_isolation());
  examination.note(
      Health::ok, "processor",
      fmt::format("{} threads, {}", std::max(1U, std::thread::hardware_concurrency()), instruction_set()));
  if (paths) {
    const auto labs = labs_named(*paths, {});
    if (labs)
      examination.note(Health::ok, "labs", fmt::format("{} found", labs->size()));
    else
      examination.note(Health::missing, "labs", labs.error().what, labs.error().next_step);
  }
  return examination.able() ? kPassed : kFault;
}

}  // namespace

void add_doctor(Subcommand root, CommandLine& line) {
  Subcommand command = root.subcommand("doctor", R"(Example:
  warpgrade doctor

Shows what works on this machine and what to install; the output contains no private data)");
  command.callback([&line] { line.chosen = doctor; });
}

int suggest_next(const Console& console) {
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto labs = labs_named(*paths, {});
  if (!labs) return complain(console, labs.error(), kUsage);
  std::error_code error;
  const fs::path here = fs::current_path(error).filename();
  std::string lab = labs->empty() ? "LAB" : labs->front().id;
  for (const Lab& one : *labs)
    if (one.id == here) lab = one.id;
  print("Labs:\n");
  for (const Lab& one : *labs)
    print("  " + cut(spelled(one.id + "  " + one.title, console.out), console.out.width - 2, console.out) +
          "\n");
  print("\nNext: warpgrade check " + lab + "\nAll commands: warpgrade --help\n");
  return kPassed;
}

}  // namespace grader::app
