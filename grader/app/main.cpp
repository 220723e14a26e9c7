#include <csignal>
#include <exception>

#include <CLI/CLI.hpp>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/session.hpp"
#include "app/usage.hpp"
#include "vgpu/cudart/descriptor.hpp"

namespace grader::app {
namespace {

constexpr const char* kDescription = R"(Examples:
  warpgrade check 02-tiled-matmul              check your solution of a lab
  warpgrade check 02-tiled-matmul --case one   … only one case
  warpgrade explain WG-M01                     what a diagnostic means
  warpgrade grade submissions --out results    grade a class
  warpgrade export results --format gradescope --out upload
  warpgrade diff results regraded              what a regrade changed, and why
  warpgrade nvcc -o saxpy saxpy.cu             compile any CUDA program for the virtual GPU
  warpgrade doctor                             what works here, and what to install

warpgrade: a CUDA course kit that grades itself)";

int run(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == vgpu::cudart::kServeDeviceCommand) return serve_device();
  const bool asks_for_help = argc == 3 && std::string(argv[2]) == "--help";
  if (first == "nvcc" && !asks_for_help) return run_nvcc({argv + 2, argv + argc});

  CommandLine line;
  CLI::App app{kDescription, "warpgrade"};
  app.set_version_flag("--version", version_text());
  app.add_option("--color", line.color, "colours: auto (on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app.fallthrough();  // --color may stand after the subcommand
  app.require_subcommand(0, 1);
  line.chosen = suggest_next;
  add_check(app, line);
  add_grade(app, line);
  add_export(app, line);
  add_similarity(app, line);
  add_grade_items(app, line);
  add_diff(app, line);
  add_explain(app, line);
  add_doctor(app, line);
  add_datasets(app, line);
  add_lint(app, line);
  add_calibrate(app, line);
  add_nvcc(app);
  add_run(app, line);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kPassed : kUsage;  // --help, --version
    say(usage_message(app, error, {argv + 1, argv + argc}));
    return kUsage;
  }
  return line.chosen(open_console(color_choice(line.color)));
}

}  // namespace
}  // namespace grader::app

int main(int argc, char** argv) {
  // A reader that leaves (`| head`) and a file size limit are errors of a write, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = grader::app::run(argc, argv);
    return grader::app::finish_output() ? code : grader::app::kFault;
  } catch (const std::exception& error) {
    grader::app::say(std::string("warpgrade: this should not happen: ") + error.what());
    return grader::app::kFault;
  }
}
