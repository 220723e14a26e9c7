// Prepares the sources for other similarity detectors. Pure: paths and bytes. Covered by
// similarity/report_test.cpp. JPlag reads a folder with one folder per submission, and a folder with base
// code (github.com/jplag/JPlag). Dolos reads a zip or a folder with info.csv at its top level, which names
// every file (dolos.ugent.be/docs/adding-metadata). Neither supports the ending .cu, so files end in .cpp and
// contain plain C++ (plain_cpp.hpp).
#pragma once

#include <string>
#include <vector>

#include "similarity/compare.hpp"

namespace grader::similarity {

struct HandedOverFile {
  std::string path;  ///< relative; consists of safe names only
  std::string bytes;
};

/// The sources of a lab. `file_names` are safe and unique names for the submissions' folders.
struct Handover {
  std::string lab;
  std::string source;  ///< "tiled_matmul.cu"
  std::vector<Document> documents;
  std::vector<std::string> file_names;  ///< one per document
  std::string skeleton;
};

/// <lab>/submissions/<submission>/<source>.cpp and <lab>/base/<source>.cpp.
std::vector<HandedOverFile> for_jplag(const std::vector<Handover>& labs);
/// <lab>/info.csv, <lab>/<submission>/<source>.cpp, and <lab>.skeleton.cpp for --ignore.
std::vector<HandedOverFile> for_dolos(const std::vector<Handover>& labs);

}  // namespace grader::similarity
