#include <csignal>
#include <exception>

#include <malloc.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/session.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"

namespace grader::app {
namespace {

constexpr const char* kStudentsExamples = R"(Examples:
  warpgrade check 02-tiled-matmul              check your solution of a lab
  warpgrade check 02-tiled-matmul --case one   run only one case of it
  warpgrade watch 02-tiled-matmul              check it again whenever you save
  warpgrade questions 02-tiled-matmul          the lab's questions, and your answers
  warpgrade explain WG-M01                     what a diagnostic means
  warpgrade profile 02-tiled-matmul            what your kernels do: counters, accesses, roofline
  warpgrade handin 02-tiled-matmul             pack what you hand in
)";
constexpr const char* kEveryonesExamples =
    R"(  warpgrade nvcc -o saxpy saxpy.cu             compile any CUDA program for the virtual GPU
  warpgrade doctor                             what works on this machine, and what to install

warpgrade: a CUDA course kit that grades itself)";

/// The virtual GPU's threads allocate and free pages for every block. By default, glibc returns each of them
/// to the kernel and soon asks for it again: 90,000 system calls in one check (mallopt(3)).
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMiB = 1 << 20;
  mallopt(M_TRIM_THRESHOLD, 64 * kMiB);
  mallopt(M_MMAP_THRESHOLD, 4 * kMiB);
#endif
}

int run(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == vgpu::cudart::kServeDeviceCommand) return serve_device();
  const bool asks_for_help = argc == 3 && std::string(argv[2]) == "--help";
  if (first == "nvcc" && !asks_for_help) return run_nvcc({argv + 2, argv + argc});

  CommandLine line;
  CommandParser parser(std::string(kStudentsExamples) + kInstructorsExamples + kEveryonesExamples,
                       "warpgrade", version_text());
  Subcommand root = parser.root();
  root.option("--color", line.color, "colours: auto (on a terminal), always, never")
      .one_of({"auto", "always", "never"})
      .type_name("WHEN");
  line.chosen = suggest_next;
  add_check(root, line);
  add_watch(root, line);
  add_profile(root, line);
  add_replay(root, line);
  add_questions(root, line);
  add_handin(root, line);
  add_explain(root, line);
  add_doctor(root, line);
  add_lab_test(root, line);
  root.list_under("For the labs");
  add_nvcc(root);
  add_run(root, line);
  root.list_under("For any CUDA program");
  add_instructors_commands(root, line);
  add_datasets(root, line);
  root.list_under("For instructors and teaching assistants");
  add_completion(root, line, [&parser] { return parser.text(); });
  root.list_under("For your shell");

  if (const auto code = parser.parse(argc, argv)) return *code;
  return line.chosen(open_console(color_choice(line.color)));
}

}  // namespace
}  // namespace grader::app

int main(int argc, char** argv) {
  // A reader that closes the pipe (`| head`) and a file size limit must fail the write, not kill the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  grader::app::keep_freed_memory();
  try {
    const int code = grader::app::run(argc, argv);
    return grader::app::finish_output() ? code : grader::app::kFault;
  } catch (const std::exception& error) {
    grader::app::say(std::string("warpgrade: internal error: ") + error.what());
    return grader::app::kFault;
  }
}
