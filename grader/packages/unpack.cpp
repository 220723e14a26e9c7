// The program unpack, which runs in the sandbox: reads the archive from descriptor 3 and writes its entries
// to descriptor 4 (entry_stream.hpp).
//
// Usage: unpack LIMIT… [ENDING MAX-BYTES]…, the limits in the order of ArchiveLimits.
#include <clocale>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "packages/archive.hpp"
#include "packages/entry_stream.hpp"
#include "packages/unpacking.hpp"

namespace {

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  constexpr int kFirstEnding = 7;
  if (argc < kFirstEnding || argc % 2 != kFirstEnding % 2) return 2;
  std::setlocale(LC_CTYPE, "C.UTF-8");  // otherwise libarchive replaces names that are not ASCII by '?'
  const grader::ArchiveLimits limits{number(argv[1]), number(argv[2]), number(argv[3]),
                                     number(argv[4]), number(argv[5]), number(argv[6])};
  std::vector<grader::SelectedFile> selected;
  for (int i = kFirstEnding; i + 1 < argc; i += 2) selected.push_back({argv[i], number(argv[i + 1])});

  std::FILE* out = ::fdopen(grader::kUnpackedDescriptor, "wb");
  if (out == nullptr) return 2;
  const auto outcome =
      grader::read_archive(grader::kArchiveDescriptor, selected, limits,
                           [&](const grader::ArchiveEntry& entry) { write_entry(out, entry); });
  return write_end(out, outcome) ? 0 : 1;
}
