// Finds nvcc or clang. FrontEnd::reason or the diagnostic contains what was searched for and why a compiler
// was chosen.

#include <cstdlib>

#include <fmt/format.h>

#include "base/programs.hpp"
#include "toolchain/front_end.hpp"
#include "toolchain/version_probe.hpp"

namespace grader {
namespace {

using std::filesystem::path;

/// The highest clang release that is searched for.
constexpr int kNewestClangName = 40;

constexpr const char* kInstallAdvice =
    "install clang 14 or later (Debian, Ubuntu: apt install clang), or the CUDA Toolkit with nvcc";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Resolves symbolic links, because they often lead through folders (/etc/alternatives) that a sandbox hides.
path resolved(const path& program) {
  std::error_code failure;
  const path real = std::filesystem::canonical(program, failure);
  return failure ? program : real;
}

Diagnostic nothing_found(std::string what, std::string next_step = kInstallAdvice) {
  return diagnose("WG-G30", std::move(what), std::move(next_step));
}

Diagnostic bad_variable(const char* variable, const std::string& value, std::string_view expected) {
  return diagnose("WG-G31", fmt::format("{} is \"{}\", which is not {}", variable, value, expected),
                  fmt::format("correct {} or unset it", variable));
}

using Found = Expected<FrontEnd, Diagnostic>;
using MaybeFound = std::optional<Found>;

/// nullopt: this is not a working nvcc.
MaybeFound nvcc_at(const path& program, std::string reason) {
  if (!is_program(program)) return std::nullopt;
  const path compiler = resolved(program);
  const auto version = probe_version(compiler, ", V");
  if (!version) return std::nullopt;
  const path linker = find_program("g++");
  if (linker.empty()) {
    return Unexpected{
        nothing_found(fmt::format("nvcc {} was found, but not g++, which it needs", version->text),
                      "install g++ (Debian, Ubuntu: apt install g++)")};
  }
  const auto host_version = probe_version(linker, ") ");  // "g++ (Debian 12.2.0-14) 12.2.0"
  return FrontEnd{.kind = FrontEndKind::nvcc,
                  .compiler = compiler,
                  .host_linker = resolved(linker),
                  .version = "nvcc " + version->text,
                  .major_version = version->major,
                  .host_major_version = host_version ? host_version->major : 0,
                  .toolkit_root = probe_toolkit_root(compiler).value_or(compiler.parent_path().parent_path()),
                  .reason = std::move(reason)};
}

MaybeFound find_nvcc() {
  if (const std::string named = environment("WARPGRADE_NVCC"); !named.empty()) {
    if (auto found = nvcc_at(named, "WARPGRADE_NVCC names this nvcc")) return found;
    return Unexpected{bad_variable("WARPGRADE_NVCC", named, "a working nvcc")};
  }
  if (auto found = nvcc_at(find_program("nvcc"), "nvcc found on PATH")) return found;
  if (const std::string home = environment("CUDA_HOME"); !home.empty()) {
    if (auto found = nvcc_at(path(home) / "bin" / "nvcc", "nvcc found in CUDA_HOME")) return found;
  }
  return nvcc_at("/usr/local/cuda/bin/nvcc", "nvcc found in /usr/local/cuda");
}

/// nullopt: this is not clang, or it is too old.
std::optional<FrontEnd> clang_at(const path& program) {
  if (!is_program(program)) return std::nullopt;
  const path compiler = resolved(program);
  const auto version = probe_version(compiler, "clang version ");
  if (!version || version->major < kOldestClang) return std::nullopt;
  const path linker = find_program("g++");  // starts faster than clang
  return FrontEnd{.kind = FrontEndKind::clang,
                  .compiler = compiler,
                  .host_linker = linker.empty() ? compiler : resolved(linker),
                  .version = "clang " + version->text,
                  .major_version = version->major,
                  .host_major_version = 0,
                  .toolkit_root = {},
                  .reason = {}};
}

/// The newest of clang++-NN and clang++ on PATH.
std::optional<FrontEnd> newest_clang() {
  std::optional<FrontEnd> newest;
  const auto consider = [&newest](const std::string& name) {
    auto found = clang_at(find_program(name));
    if (found && (!newest || found->major_version > newest->major_version)) newest = std::move(found);
  };
  for (int number = kNewestClangName; number >= kOldestClang && !newest; --number) {
    consider(fmt::format("clang++-{}", number));
  }
  consider("clang++");
  return newest;
}

MaybeFound find_clang(std::string_view why) {
  if (const std::string named = environment("WARPGRADE_CLANG"); !named.empty()) {
    auto found = clang_at(named);
    if (!found) return Unexpected{bad_variable("WARPGRADE_CLANG", named, "a working clang 14 or later")};
    found->reason = fmt::format("{}; WARPGRADE_CLANG names this clang", why);
    return *found;
  }
  auto found = newest_clang();
  if (!found) return std::nullopt;
  found->reason = fmt::format("{}; clang {} is the newest clang on PATH", why, found->major_version);
  return *found;
}

}  // namespace

Expected<FrontEnd, Diagnostic> find_front_end(std::optional<FrontEndKind> requested) {
  if (requested != FrontEndKind::clang) {
    if (auto found = find_nvcc()) return *found;
    if (requested == FrontEndKind::nvcc) {
      return Unexpected{
          nothing_found("no working nvcc is on PATH, in CUDA_HOME or in /usr/local/cuda: `warpgrade nvcc` "
                        "and `--front-end nvcc` need a CUDA Toolkit; the labs do not",
                        "install the CUDA Toolkit, or set WARPGRADE_NVCC to its nvcc")};
    }
  }
  const std::string_view why = requested ? "clang was requested" : "no CUDA Toolkit found";
  if (auto found = find_clang(why)) return *found;
  return Unexpected{nothing_found(requested ? "clang was requested, but no clang 14 or later is on PATH"
                                            : "no CUDA compiler found: neither nvcc nor clang 14 or later")};
}

std::vector<path> needed_folders(const FrontEnd& front_end) {
  const path root = front_end.compiler.parent_path().parent_path();
  const bool below_usr = root == "/usr" || root.string().starts_with("/usr/");
  return below_usr ? std::vector<path>{} : std::vector<path>{root};
}

}  // namespace grader
