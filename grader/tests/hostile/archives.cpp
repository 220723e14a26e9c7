// Archives with hostile structure or entries. Each is the submission of one student in the class's folder.
#include <functional>
#include <map>
#include <stdexcept>

#include "e2e/program.hpp"
#include "tests/hostile/corpus.hpp"
#include "tests/packages/archives.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "02-tiled-matmul/tiled_matmul.cu";

Member honest() { return {kSource, text_of(solution())}; }

/// An archive with the honest file and the given others.
std::string with(Format format, std::vector<Member> others) {
  others.insert(others.begin(), honest());
  return make_archive(format, others);
}

std::vector<Member> many_members(int count) {
  std::vector<Member> members;
  for (int i = 0; i < count; ++i) members.push_back({"extra/" + std::to_string(i), ""});
  return members;
}

struct Recipe {
  std::string ending;
  std::function<std::string()> bytes;
};

const std::map<std::string, Recipe>& recipes() {
  static const std::map<std::string, Recipe> kRecipes{
      {"archive/in_order", {".tar.gz", [] { return with(Format::tar_gz, {}); }}},
      {"archive/traversal", {".zip", [] { return with(Format::zip, {{"../../evil.cu"}}); }}},
      {"archive/absolute_path", {".tar.gz", [] { return with(Format::tar_gz, {{"/tmp/evil.cu"}}); }}},
      {"archive/links_to_secrets",
       {".tar.gz", [] { return make_archive(Format::tar_gz, {{kSource, "", Type::symbolic_link, "/etc/passwd"}}); }}},
      {"archive/hard_link",
       {".tar.gz", [] { return make_archive(Format::tar_gz, {{kSource, "", Type::hard_link, "/etc/passwd"}}); }}},
      {"archive/below_a_link",
       {".tar.gz",
        [] {
          return make_archive(Format::tar_gz,
                              {{"02-tiled-matmul", "", Type::symbolic_link, "/tmp"}, honest()});
        }}},
      {"archive/device", {".tar.gz", [] { return with(Format::tar_gz, {{"null", "", Type::device}}); }}},
      {"archive/fifo", {".tar.gz", [] { return with(Format::tar_gz, {{"pipe", "", Type::fifo}}); }}},
      {"archive/zeros",
       {".zip", [] { return with(Format::zip, {{"zeros.bin", std::string(std::size_t{70} << 20U, '\0')}}); }}},
      {"archive/gzip_in_gzip", {".tar.gz", [] { return gzipped(with(Format::tar, {}), 40); }}},
      {"archive/declares_terabytes",
       {".tar.gz", [] { return gzipped(tar_header(kSource, std::uint64_t{1} << 32U), 1); }}},
      {"archive/many_files", {".tar.gz", [] { return with(Format::tar_gz, many_members(30'000)); }}},
      {"archive/same_name_twice", {".zip", [] { return with(Format::zip, {{kSource, "// another\n"}}); }}},
      {"archive/two_directories",
       {".zip", [] { return with_replaced(with(Format::zip, {}), "tiled_matmul.cu", "other_matmul.cu", 1); }}},
      {"archive/encrypted", {".zip", [] { return make_archive(Format::encrypted_zip, {honest()}); }}},
      {"archive/cut_off", {".zip", [] { return with(Format::zip, {}).substr(0, 700); }}},
      {"archive/no_archive", {".zip", [] { return std::string("%PDF-1.7 not what its name says"); }}},
      {"archive/archive_inside",
       {".zip", [] { return make_archive(Format::zip, {{"mine.zip", with(Format::zip, {})}}); }}},
      {"archive/steering_names",
       {".tar.gz",
        [] { return with(Format::tar_gz, {{"\x1b[31m.cu"}, {"$(touch PWNED).cu"}, {std::string(4000, 'x')}}); }}},
  };
  return kRecipes;
}

}  // namespace

void make_archive_of(const std::string& name, const fs::path& submissions, const std::string& id) {
  const auto recipe = recipes().find(name);
  if (recipe == recipes().end()) throw std::runtime_error("there is no recipe for " + name);
  write(submissions / (id + recipe->second.ending), recipe->second.bytes());
}

}  // namespace testing
