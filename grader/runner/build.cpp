#include "runner/build.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <span>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files.hpp"
#include "runner/places.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Kind = BuildFailure::Kind;

using Failure = std::optional<Unexpected<BuildFailure>>;

constexpr std::size_t kMaxObjectBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxAssemblyBytes = std::size_t{128} << 20U;

Unexpected<BuildFailure> fail(Kind kind, std::string code, std::string what, std::string next_step) {
  return Unexpected{BuildFailure{kind, {diagnose(std::move(code), std::move(what), std::move(next_step))}}};
}

Unexpected<BuildFailure> faulted_build(const std::string& what) {
  return fail(Kind::grader_fault, "WG-G10", what, "run `warpgrade doctor`, then grade again");
}

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool is_blank(std::string_view text) {
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
}

/// True if the text starts with the byte order mark that editors write when they save as "Unicode".
bool is_utf16(const std::string& text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

Expected<std::string, BuildFailure> read_source(const fs::path& source, const std::string& name) {
  auto text = read_file(source, kMaxSourceBytes);
  if (!text)
    return fail(Kind::compile_error, "WG-C06",
                fmt::format("{} cannot be accepted: it {}", name, text.error()),
                "hand in the source file itself, without generated data");
  if (is_utf16(*text))
    return fail(Kind::compile_error, "WG-C07", fmt::format("{} is saved as UTF-16", name),
                "save it as UTF-8 in your editor and hand it in again");
  if (text->find('\0') != std::string::npos)
    return fail(Kind::compile_error, "WG-C07", fmt::format("{} is binary, not source text", name),
                "hand in the .cu file that you wrote, saved as UTF-8");
  if (is_blank(*text))
    return fail(Kind::compile_error, "WG-C08", fmt::format("{} is empty", name),
                "start again from the lab's skeleton, or check what you saved");
  return *std::move(text);
}

/// The folders of one build, below a folder that only the grader can enter. The box's user must be able to
/// read what is mounted from there, whatever the grader's umask is.
class Workspace {
 public:
  Workspace() : folder_("warpgrade-build") {
    for (const fs::path& one : {source(), output(), result()}) {
      fs::create_directory(one);
      fs::permissions(one, fs::perms(0755));
    }
  }

  fs::path source() const { return folder_.path() / "source"; }
  fs::path output() const { return folder_.path() / "output"; }  ///< compilers write to it: not trusted
  fs::path result() const { return folder_.path() / "result"; }
  void drop_inputs() {
    for (const fs::path& one : {source(), output()}) {
      std::error_code ignored;
      fs::remove_all(one, ignored);
    }
  }

 private:
  TemporaryFolder folder_;
};

bool write_plainly(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  return out.good() && ::chmod(path.c_str(), 0644) == 0;
}

fs::path runtime_library(const BuildSetting& setting) {
  return setting.options.device == DeviceKind::virtual_gpu
             ? setting.paths.binaries / "lib/virtual/libcudart.so"
             : toolkit_runtime(setting.front_end);
}

/// The job with paths as the compiler sees them; adds the mounts for these paths to `places`.
CompileJob compile_job(const BuildSetting& setting, const Workspace& workspace,
                       const std::string& source_name, Places& places) {
  const fs::path library = runtime_library(setting);
  const fs::path output = places.add(workspace.output(), "/out", BoxMount::Access::read_write);
  CompileJob job;
  job.source = places.add(workspace.source(), "/src") / source_name;
  job.assembly = output / "submission.s";
  job.object = output / "submission.o";
  job.shared_object = output / "submission.so";
  job.include_folders = {places.add(setting.paths.student_include, "/kit/include")};
  job.kit_cuda_include = places.add(setting.paths.cuda_include, "/kit/cuda");
  job.runtime_library = places.add(library.parent_path(), "/kit/lib") / library.filename();
  job.scratch_folder = output;
  job.device = setting.options.device;
  job.compute_capability = setting.compute_capability;
  for (const fs::path& folder : needed_folders(setting.front_end)) places.add_as_is(folder);
  return job;
}

BoxJob box_job(const BuildSetting& setting, const Places& places, const Command& command) {
  BoxJob job;
  job.command = command;
  job.mounts = places.mounts();
  job.environment = {{"PATH", setting.front_end.compiler.parent_path().string() + ":/usr/bin:/bin"},
                     {"HOME", "/tmp"},
                     {"TMPDIR", "/tmp"},
                     {"LANG", "C.UTF-8"}};
  job.limits = setting.options.compile_limits;
  job.stop = setting.options.stop;
  return job;
}

/// "compiling was stopped after 60 s"; nullopt when no limit was reached.
std::optional<std::string> reached_limit(const BoxResult& result, const BoxLimits& limits) {
  const auto out_of_memory =
      fmt::format("compiling was stopped at {} MiB of memory", limits.memory_bytes >> 20U);
  switch (result.end) {
    case BoxResult::End::wall_limit:
      return fmt::format("compiling was stopped after {:.3g} s",
                         std::chrono::duration<double>(limits.wall).count());
    case BoxResult::End::cpu_limit:
      return fmt::format("compiling was stopped after {} s of CPU time", limits.cpu.count());
    case BoxResult::End::memory_limit:
      return out_of_memory;
    case BoxResult::End::output_limit:
      return fmt::format("compiling was stopped after {} KiB of messages", limits.output_bytes >> 10U);
    case BoxResult::End::exited:
      // Without a memory cgroup, allocations fail and the compiler prints this (GCC; LLVM, C++ libraries).
      for (const char* words : {"out of memory", "virtual memory exhausted", "bad_alloc"})
        if (result.code != 0 && result.output.find(words) != std::string::npos) return out_of_memory;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// nullopt when the command succeeded.
Failure failure_of(const Expected<BoxResult, Diagnostic>& result, const BoxLimits& limits,
                   const std::string& source_name) {
  if (!result) return Unexpected{BuildFailure{Kind::grader_fault, {result.error()}}};
  if (result->end == BoxResult::End::stopped) return faulted_build("compiling was interrupted");
  if (const auto reached = reached_limit(*result, limits))
    return fail(
        Kind::compile_limit, "WG-C09", *reached,
        "look for endless template recursion, huge arrays with initialisers, or a file that includes itself");
  if (result->end == BoxResult::End::exited && result->code == 0) return std::nullopt;
  return Unexpected{BuildFailure{Kind::compile_error, read_compiler_output(result->output, source_name)}};
}

/// Reads a compiler's output. Compilers' output is not trusted: only a regular file below the limit is read.
Expected<std::string, BuildFailure> take(const Workspace& workspace, const fs::path& output,
                                         std::size_t max_bytes, std::string_view what) {
  auto bytes = read_file(workspace.output() / output.filename(), max_bytes);
  if (!bytes)
    return fail(Kind::compile_limit, "WG-C09", fmt::format("the compiled {} {}", what, bytes.error()),
                "look for huge arrays with initialisers");
  return *std::move(bytes);
}

/// Copies the compiler's object to a file that only the grader writes, before it is examined and linked.
Expected<std::string, BuildFailure> take_object(const Workspace& workspace, CompileJob& job,
                                                const fs::path& taken_as) {
  auto object = take(workspace, job.object, kMaxObjectBytes, "object");
  if (!object) return object;
  job.object = taken_as;
  if (!write_plainly(workspace.source() / taken_as.filename(), *object))
    return faulted_build("the disk is full");
  return object;
}

/// One build. Each step's output is examined before the next step reads it.
class Build {
 public:
  Build(const BuildSetting& setting, const std::string& text, const std::string& source_name)
      : setting_(setting), source_{text, source_name}, places_(setting.sandbox.kind().isolated) {
    job_ = compile_job(setting, *workspace_, source_name, places_);
  }

  Expected<Built, BuildFailure> run() {
    const std::string adapted = adapted_source(setting_.front_end, source_.text);
    if (!write_plainly(workspace_->source() / job_.source.filename(), adapted))
      return faulted_build("the disk is full");
    for (const auto step : {&Build::compile, &Build::assemble, &Build::link})
      if (const Failure failure = (this->*step)()) return *failure;
    return take_program();
  }

 private:
  Failure compile() {
    if (setting_.rules != nullptr)
      if (Failure refused = refusal(policy::examine_source(source_, *setting_.rules))) return refused;
    job_.extended_lambdas = true;
    const auto complete = compile_commands(setting_.front_end, job_);
    job_.extended_lambdas = false;
    job_.omitted = headers_to_omit(source_.text);
    const auto quick = compile_commands(setting_.front_end, job_);
    Failure failure = execute(quick);
    // The errors that a student sees are those of a compiler that reads all headers and knows all lambdas.
    if (failure && failure->error.kind == Kind::compile_error && quick != complete) {
      job_.omitted = {};
      failure = execute(complete);
    }
    if (failure || setting_.rules == nullptr) return failure;
    const auto assembly = take(*workspace_, job_.assembly, kMaxAssemblyBytes, "host code");
    if (!assembly) return Unexpected{assembly.error()};
    if (Failure refused = refusal(policy::examine_assembly(*assembly, source_, *setting_.rules)))
      return refused;
    if (Failure refused = examine_device_code()) return refused;
    return examine_host_source();
  }

  Failure examine_device_code() {
    const auto ptx =
        take(*workspace_, device_code(setting_.front_end, job_), kMaxAssemblyBytes, "device code");
    if (!ptx) return Unexpected{ptx.error()};
    return refusal(policy::examine_device_code(*ptx, source_, *setting_.rules));
  }

  Failure examine_host_source() {
    const auto path = host_source(setting_.front_end, job_);
    if (!path) return std::nullopt;
    const auto text = take(*workspace_, *path, kMaxAssemblyBytes, "host source");
    if (!text) return Unexpected{text.error()};
    return refusal(policy::examine_host_source(*text, source_, *setting_.rules));
  }

  Failure assemble() {
    if (Failure failure = execute(assemble_command(setting_.front_end, job_))) return failure;
    const auto object = take_object(*workspace_, job_, job_.source.parent_path() / "submission.o");
    if (!object) return Unexpected{object.error()};
    if (setting_.rules == nullptr) return std::nullopt;
    policy::Findings findings =
        policy::examine_object(std::as_bytes(std::span(*object)), source_, *setting_.rules);
    unknown_imports_ = std::move(findings.unknown_imports);
    return refusal(std::move(findings));
  }

  Failure link() {
    if (setting_.rules != nullptr) {
      job_.export_list = job_.source.parent_path() / "exports.map";
      if (!write_plainly(workspace_->source() / "exports.map", policy::export_list(*setting_.rules)))
        return faulted_build("the disk is full");
    }
    Failure failure = execute(link_command(setting_.front_end, job_));
    if (failure && failure->error.kind == Kind::compile_error && job_.omitted.standard_library) {
      job_.omitted = {};
      failure = execute(link_command(setting_.front_end, job_));
    }
    if (failure) return failure;
    // Symbols that the linker could resolve, although no rule permits them.
    return refusal({.refused = std::move(unknown_imports_), .unknown_imports = {}});
  }

  Expected<Built, BuildFailure> take_program() {
    const auto program = take(*workspace_, job_.shared_object, kMaxObjectBytes, "program");
    if (!program) return Unexpected{program.error()};
    const auto folder = std::shared_ptr<const fs::path>(
        new fs::path(workspace_->result()), [workspace = workspace_](const fs::path* path) { delete path; });
    const Built built{folder};
    if (!write_plainly(built.shared_object(), *program)) return faulted_build("the disk is full");
    workspace_->drop_inputs();
    return built;
  }

  Failure execute(const Command& command) const {
    return failure_of(setting_.sandbox.run(box_job(setting_, places_, command)),
                      setting_.options.compile_limits, std::string(source_.name));
  }

  /// Stops at the first command that fails.
  Failure execute(const std::vector<Command>& commands) const {
    for (const Command& command : commands)
      if (Failure failure = execute(command)) return failure;
    return std::nullopt;
  }

  static Failure refusal(policy::Findings findings) {
    if (findings.refused.empty()) return std::nullopt;
    return Unexpected{BuildFailure{Kind::rejected, std::move(findings.refused)}};
  }

  const BuildSetting& setting_;
  policy::Source source_;
  std::shared_ptr<Workspace> workspace_ = std::make_shared<Workspace>();
  Places places_;
  CompileJob job_;
  std::vector<Diagnostic> unknown_imports_;
};

}  // namespace

Expected<Built, BuildFailure> build_submission(const BuildSetting& setting, const fs::path& source,
                                               const std::string& source_name) {
  const auto text = read_source(source, source_name);
  if (!text) return Unexpected{text.error()};
  return Build(setting, *text, source_name).run();
}

}  // namespace grader
