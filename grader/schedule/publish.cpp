#include "schedule/publish.hpp"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

/// link() over NFS can succeed and still report an error, if the reply was lost and the request was sent
/// again. The file's link count shows whether it succeeded (open(2), "O_EXCL").
bool has_two_names(const fs::path& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 && facts.st_nlink >= 2;
}

}  // namespace

Expected<Publication, std::string> publish(const fs::path& file, std::string_view bytes,
                                           const fs::path& attempts) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) fs::create_directories(attempts, error);
  if (error) return Unexpected{error.message()};
  const std::string name = file.parent_path().filename().string() + "," + file.filename().string() + ".";
  const auto attempt = write_new_file(attempts / name, bytes);
  if (!attempt) return Unexpected{attempt.error()};

  const bool linked = ::link(attempt->c_str(), file.c_str()) == 0;
  const int why = errno;
  const bool first = linked || has_two_names(*attempt);
  ::unlink(attempt->c_str());
  if (first) return Publication::first;
  if (fs::exists(fs::symlink_status(file, error))) return Publication::late;
  return Unexpected{std::string(std::strerror(why))};
}

}  // namespace grader
