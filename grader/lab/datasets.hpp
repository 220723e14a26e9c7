// The labs' inputs as files, for looking at and for proof that every machine makes the same ones. Grading
// itself makes inputs in memory from the case's seed; datasets/manifest.json (schema/datasets.schema.json)
// says what they must be, byte for byte, and small ones are kept in the repository beside it.
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

/// A case whose input values take at most this much is committed.
inline constexpr std::size_t kMaxCommittedBytes = std::size_t{64} << 10U;

enum class DatasetFiles {
  committed,  ///< only what belongs into the repository
  all,        ///< large cases too
};

struct DatasetFolders {
  std::filesystem::path committed;  ///< datasets/: the manifest and the small cases
  std::filesystem::path large;      ///< the other cases, made on demand; may be the same folder
};

struct DatasetSummary {
  std::size_t arrays = 0;   ///< in the manifest
  std::size_t files = 0;    ///< written, the manifest not counted
  std::size_t bytes = 0;    ///< of these files
  std::size_t removed = 0;  ///< files that the manifest listed before and that no case has any more
};

/// Hears of every case before its inputs are made: how many are done, how many there are, "lab/case".
using DatasetProgress = std::function<void(std::size_t done, std::size_t total, const std::string& next)>;

/// Writes <lab>/<case>/<array>.npy into the case's folder and manifest.json into `folders.committed`, and
/// removes what the old manifest listed in vain. The same labs give the same bytes.
/// Error: WG-G08 a file cannot be written.
Expected<DatasetSummary, Diagnostic> generate_datasets(const std::vector<Lab>& labs,
                                                       const DatasetFolders& folders, DatasetFiles files,
                                                       const DatasetProgress& progress = {});

/// Makes all inputs again and compares them with the manifest and with the files that are there. Empty: all
/// agree. WG-G05 the manifest cannot be read, WG-G06 it does not describe these inputs, WG-G07 a file is
/// missing (a large one may be), cut off, a placeholder, differs or does not belong there.
std::vector<Diagnostic> verify_datasets(const std::vector<Lab>& labs, const DatasetFolders& folders,
                                        const DatasetProgress& progress = {});

}  // namespace grader
