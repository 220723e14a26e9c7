#include <filesystem>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "packing/pack_diagnostics.hpp"
#include "packing/student_archive.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct ReleaseOptions {
  std::string out, book;
  bool for_this_machine = false;
};

/// "cuda-course" of "releases/cuda-course.tar.xz"; empty if the name suits no folder.
std::string folder_named_by(const fs::path& out) {
  const std::string name = out.filename().string();
  const std::string stem = name.substr(0, name.find(".t"));
  const bool is_plain =
      stem.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
      std::string::npos;
  return is_plain && !stem.starts_with('.') && !stem.starts_with('-') ? stem : "";
}

std::optional<Diagnostic> problem_with(const ReleaseOptions& options) {
  if (auto problem = only_in_whole_kit("release")) return problem;
  const auto format = archive_format(options.out);
  if (!format || *format == ArchiveFormat::zip || folder_named_by(options.out).empty())
    return usage_error(fmt::format("--out is {}", printable(options.out)),
                       "choose a name of letters, digits and . _ - that ends with .tar.xz or .tar.gz");
  if (!WARPGRADE_PORTABLE && !options.for_this_machine)
    return no_student_archive("this program runs only on machines with the same libraries and processor",
                              "build a program for other machines: cmake --workflow --preset release");
  return std::nullopt;
}

int release(const ReleaseOptions& options, const Console& console) {
  if (const auto problem = problem_with(options))
    return complain(console, *problem, problem->code == "WG-G70" ? kFault : kUsage);
  const auto kit = find_kit();
  if (!kit) return complain(console, kit.error(), kFault);
  StudentArchiveOptions archive{folder_named_by(options.out), options.book};
  std::error_code error;
  if (const fs::path built = kit->binaries / "book" / "student" / "site";
      archive.book.empty() && fs::exists(built, error))
    archive.book = built;
  const auto files = student_archive(*kit, archive);
  if (!files) return complain(console, files.error(), kFault);
  const auto bytes = write_archive(*files, *archive_format(options.out));
  if (!bytes) return complain(console, no_student_archive(bytes.error(), "make room, and try again"), kFault);
  const auto written = write_file_atomically(options.out, *bytes);
  if (!written)
    return complain(console,
                    no_student_archive(fmt::format("{} cannot be written: {}", options.out, written.error()),
                                       "choose another place with --out"),
                    kFault);
  constexpr double kMebibyte = 1024.0 * 1024.0;
  print(fmt::format("{}: {} files, {:.1f} MiB, SHA-256 {}\n", options.out, files->size(),
                    static_cast<double>(bytes->size()) / kMebibyte, sha256_hex(*bytes)));
  if (archive.book.empty())
    print(
        "without the handbook as a book: build it with cmake --build --preset book, and name it with "
        "--book\n");
  print(fmt::format("students: tar xf {0} && cd {1} && ./warpgrade check 00-warm-up\n",
                    fs::path(options.out).filename().string(), archive.folder));
  return kPassed;
}

}  // namespace

void add_release(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ReleaseOptions>();
  Subcommand command = root.subcommand("release", R"(Examples:
  warpgrade release --out cuda-course.tar.xz
  warpgrade release --out cuda-course.tar.gz --book build/virtual/book/student/site

Writes the archive for students: labs, public datasets, the students' handbook and this program, without
solutions, oracles, hidden cases and instructors' pages. The same kit gives the same bytes)");
  command.option("--out", options->out, "the archive, with a name that ends with .tar.xz or .tar.gz")
      .required()
      .type_name("FILE");
  command
      .option("--book", options->book,
              "folder with the students' handbook as HTML (default: book/student/site of the build, if it "
              "exists)")
      .type_name("DIR");
  command.flag("--for-this-machine", options->for_this_machine,
               "allow a program that needs this machine's libraries and processor");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return release(*options, console); };
  });
}

}  // namespace grader::app
