#include "packages/boxed_reader.hpp"

#include <filesystem>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace grader {

BoxJob boxed_reader(const Sandbox& sandbox, const std::string& program,
                    const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  const fs::path outside = fs::read_symlink("/proc/self/exe").parent_path() / program;
  const fs::path inside = sandbox.kind().isolated ? fs::path("/kit") / program : outside;
  BoxJob job;
  job.command = {inside.string()};
  job.command.insert(job.command.end(), arguments.begin(), arguments.end());
  job.mounts = {{outside, inside}};
  job.limits.memory_bytes = std::uint64_t{512} << 20U;
  job.limits.processes = 4;
  job.limits.scratch_bytes = std::uint64_t{1} << 20U;
  return job;
}

Descriptor file_in_memory(const std::string& bytes) {
  Descriptor file(::memfd_create("package", MFD_CLOEXEC));
  for (std::string_view rest = bytes; file && !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written <= 0) return Descriptor();
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace grader
