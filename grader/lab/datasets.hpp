// The labs' inputs as files, for inspection and as proof that every machine generates the same inputs.
// Grading itself generates inputs in memory from the case's seed. datasets/manifest.json
// (schema/datasets.schema.json) records their exact contents, and small inputs are stored next to it in the
// repository.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/lab.hpp"

namespace grader {

/// A case is committed if its input values take at most this many bytes.
inline constexpr std::size_t kMaxCommittedBytes = std::size_t{64} << 10U;

enum class DatasetFiles {
  committed,  ///< only files that belong in the repository
  all,        ///< also large cases
};

struct DatasetFolders {
  std::filesystem::path committed;  ///< datasets/: the manifest and the small cases
  std::filesystem::path large;      ///< the other cases, generated on demand; can be the same folder
};

struct DatasetSummary {
  std::size_t arrays = 0;   ///< in the manifest
  std::size_t files = 0;    ///< written, without the manifest
  std::size_t bytes = 0;    ///< total size of these files
  std::size_t removed = 0;  ///< files that the previous manifest listed but no case uses any more
};

/// Called for every case before its inputs are generated: cases done, all cases, "lab/case".
using DatasetProgress = std::function<void(std::size_t done, std::size_t total, const std::string& next)>;

/// Writes <lab>/<case>/<array>.npy into the case's folder and manifest.json into `folders.committed`, and
/// removes files that only the old manifest lists. The same labs give the same bytes.
/// Error: WG-G08 a file cannot be written.
Expected<DatasetSummary, Diagnostic> generate_datasets(const std::vector<Lab>& labs,
                                                       const DatasetFolders& folders, DatasetFiles files,
                                                       const DatasetProgress& progress = {});

/// Generates all inputs again and compares them with the manifest and with the existing files. Empty: all
/// match. WG-G05: the manifest cannot be read. WG-G06: it does not describe these inputs. WG-G07: a file is
/// missing (large files can be absent), truncated, a placeholder, different or unknown.
std::vector<Diagnostic> verify_datasets(const std::vector<Lab>& labs, const DatasetFolders& folders,
                                        const DatasetProgress& progress = {});

}  // namespace grader
