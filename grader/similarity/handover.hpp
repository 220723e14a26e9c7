// The same sources for other detectors. Pure: paths and bytes. Covered by similarity/report_test.cpp.
//
// JPlag takes a folder with a folder for each submission, and one with base code (github.com/jplag/JPlag).
// Dolos takes a zip or a folder with info.csv at its top, which names every file
// (dolos.ugent.be/docs/adding-metadata). Neither knows the ending .cu, so files end in .cpp and
// hold plain C++ (plain_cpp.hpp).
#pragma once

#include <string>
#include <vector>

#include "similarity/compare.hpp"

namespace grader::similarity {

struct HandedOverFile {
  std::string path;  ///< relative; made of safe names only
  std::string bytes;
};

/// `file_names` are the submissions' names as folders: safe, and different from each other.
struct Handover {
  std::string lab;
  std::string source;  ///< "tiled_matmul.cu"
  std::vector<Document> documents;
  std::vector<std::string> file_names;  ///< of the documents
  std::string skeleton;
};

/// <lab>/submissions/<submission>/<source>.cpp and <lab>/base/<source>.cpp.
std::vector<HandedOverFile> for_jplag(const std::vector<Handover>& labs);
/// <lab>/info.csv, <lab>/<submission>/<source>.cpp; <lab>.skeleton.cpp lies beside, for --ignore.
std::vector<HandedOverFile> for_dolos(const std::vector<Handover>& labs);

}  // namespace grader::similarity
