#include "similarity/handover.hpp"

#include "report/csv.hpp"
#include "similarity/plain_cpp.hpp"

namespace grader::similarity {
namespace {

/// "tiled_matmul.cu" → "tiled_matmul.cpp"
std::string as_cpp(const std::string& source) { return source.substr(0, source.rfind('.')) + ".cpp"; }

}  // namespace

std::vector<HandedOverFile> for_jplag(const std::vector<Handover>& labs) {
  std::vector<HandedOverFile> files;
  for (const Handover& lab : labs) {
    files.push_back({lab.lab + "/base/" + as_cpp(lab.source), plain_cpp(lab.skeleton)});
    for (std::size_t i = 0; i < lab.documents.size(); ++i)
      files.push_back({lab.lab + "/submissions/" + lab.file_names[i] + "/" + as_cpp(lab.source),
                       plain_cpp(lab.documents[i].text)});
  }
  return files;
}

std::vector<HandedOverFile> for_dolos(const std::vector<Handover>& labs) {
  std::vector<HandedOverFile> files;
  for (const Handover& lab : labs) {
    std::string info = csv_row({"filename", "full_name"});
    for (std::size_t i = 0; i < lab.documents.size(); ++i) {
      const std::string path = lab.file_names[i] + "/" + as_cpp(lab.source);
      info += csv_row({csv_cell(path), csv_cell(lab.documents[i].name)});
      files.push_back({lab.lab + "/" + path, plain_cpp(lab.documents[i].text)});
    }
    files.push_back({lab.lab + "/info.csv", std::move(info)});
    files.push_back({lab.lab + ".skeleton.cpp", plain_cpp(lab.skeleton)});
  }
  return files;
}

}  // namespace grader::similarity
