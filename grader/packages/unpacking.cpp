#include "packages/unpacking.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "packages/boxed_reader.hpp"
#include "packages/entry_path.hpp"
#include "packages/entry_stream.hpp"
#include "packages/package_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kEndings = {".zip", ".tar.gz",  ".tgz", ".tar", ".tar.xz",
                                                      ".txz", ".tar.bz2", ".7z",  ".rar"};

Unexpected<UnpackFailure> fault(Diagnostic reason) {
  return Unexpected{UnpackFailure{true, std::move(reason)}};
}
Unexpected<UnpackFailure> fault(const std::string& what) { return fault(unpacking_failed(what)); }

/// A file without a name on disk, so that unpacked bytes do not fill the memory.
Descriptor nameless_file() {
  const fs::path folder = fs::temp_directory_path();
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string name = (folder / "warpgrade-XXXXXX").string();  // for file systems without O_TMPFILE
  file.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (file) ::unlink(name.c_str());
  return file;
}

BoxJob box_job(const Sandbox& sandbox, const std::vector<SelectedFile>& selected,
               const UnpackLimits& limits) {
  const ArchiveLimits& of = limits.archive;
  std::vector<std::string> arguments;
  for (const std::uint64_t limit : {of.entries, of.unpacked_bytes, of.selected_bytes, of.bomb_ratio,
                                    of.entries_each, of.selected_bytes_each})
    arguments.push_back(std::to_string(limit));
  for (const SelectedFile& one : selected) {
    arguments.push_back(one.ending);
    arguments.push_back(std::to_string(one.max_bytes));
  }
  BoxJob job = boxed_reader(sandbox, "unpack", arguments);
  job.limits.cpu = limits.time;
  job.limits.wall = 10 * limits.time;
  // Includes room for the listing, so that the program's own limits are reached first.
  job.limits.file_bytes = limits.archive.selected_bytes + (std::uint64_t{64} << 20U);
  return job;
}

/// The failure for a sandboxed program that did not exit with status 0. Problems that the archive cannot
/// cause are faults of the machine: a full disk (the program exits with another status), or a time-out
/// although little CPU time was used.
Unexpected<UnpackFailure> failure_of(const BoxResult& result, const std::string& name,
                                     const UnpackLimits& limits) {
  switch (result.end) {
    case BoxResult::End::cpu_limit:
      return refused_archive(
          archive_too_large(name, fmt::format("takes more than {} s to unpack", limits.time.count())));
    case BoxResult::End::memory_limit:
      return refused_archive(archive_too_large(name, "takes too much memory to unpack"));
    case BoxResult::End::signalled:
      if (result.code == SIGXFSZ)
        return refused_archive(archive_too_large(name, "is too large when unpacked"));
      if (result.code != SIGKILL)
        return refused_archive(
            archive_unreadable(name, "it is damaged in a way that crashes the program that reads it"));
      break;
    case BoxResult::End::stopped:
      return fault("unpacking was interrupted");
    case BoxResult::End::exited:
      return fault(fmt::format("the contents of {} cannot be written to {}; the disk might be full", name,
                               fs::temp_directory_path().string()));
    default:
      break;
  }
  return fault(fmt::format(
      "unpacking {} was stopped by the system or by another process; the machine might be overloaded", name));
}

Expected<FileTree, UnpackFailure> tree_of(std::shared_ptr<const Descriptor> unpacked,
                                          const std::string& name) {
  auto index = index_entries(unpacked->get());
  if (!index)
    return fault("the output of the unpacking program for " + name + " cannot be read: " + index.error());
  if (index->outcome.end != ArchiveEnd::complete)
    return refused_archive(archive_refused(name, index->outcome));
  return FileTree(std::move(index->entries), std::move(unpacked));
}

}  // namespace

Expected<FileTree, UnpackFailure> Unpacker::unpack(int descriptor, const std::string& name,
                                                   const std::vector<SelectedFile>& selected,
                                                   const UnpackLimits& limits) const {
  const auto unpacked = std::make_shared<const Descriptor>(nameless_file());
  if (!*unpacked) return fault(fmt::format("cannot create a temporary file: {}", std::strerror(errno)));
  BoxJob job = box_job(sandbox_, selected, limits);
  job.descriptors = {{descriptor, kArchiveDescriptor}, {unpacked->get(), kUnpackedDescriptor}};
  job.stop = stop_;
  const auto result = sandbox_.run(job);
  if (!result) return fault(result.error());
  if (result->end != BoxResult::End::exited || result->code != 0) return failure_of(*result, name, limits);
  return tree_of(unpacked, name);
}

Expected<FileTree, UnpackFailure> Unpacker::unpack_bytes(const std::string& bytes, const std::string& name,
                                                         const std::vector<SelectedFile>& selected,
                                                         const UnpackLimits& limits) const {
  const Descriptor file = file_in_memory(bytes);
  if (!file) return fault(fmt::format("cannot hold an archive in memory: {}", std::strerror(errno)));
  return unpack(file.get(), name, selected, limits);
}

Expected<HandInRoster, UnpackFailure> Unpacker::read_roster(const std::string& yaml) const {
  const Descriptor file = file_in_memory(yaml);
  if (!file) return fault(fmt::format("cannot hold a file in memory: {}", std::strerror(errno)));
  BoxJob job = boxed_reader(sandbox_, "read-roster", {});
  job.descriptors = {{file.get(), kArchiveDescriptor}};
  job.limits.output_bytes = std::uint64_t{64} << 20U;
  job.stop = stop_;
  const auto result = sandbox_.run(job);
  if (!result) return fault(result.error());
  if (result->end == BoxResult::End::stopped) return fault("unpacking was interrupted");
  const bool done = result->end == BoxResult::End::exited && result->code == 0;
  auto roster = done ? read_roster_json(result->output) : Unexpected{shown_name(result->output)};
  if (roster) return *std::move(roster);
  return refused_archive(
      layout_unclear("Gradescope's submission_metadata.yml cannot be read: " + roster.error(),
                     "download the submissions from Gradescope again"));
}

std::string archive_ending(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view ending : kEndings)
    if (name.size() > ending.size() && lower.ends_with(ending))
      return name.substr(name.size() - ending.size());
  return "";
}

}  // namespace grader
