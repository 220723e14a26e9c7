#include "report/given_name.hpp"

#include <cctype>

namespace grader {
namespace {

/// Whether the text at `at` is the end of a longer name, such as "my_saxpy.cu:" for "saxpy.cu:".
bool continues_name(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '-' ||
         before == '.';
}

void rename(std::string& text, std::string_view lab_name, std::string_view given) {
  const std::string place = std::string(lab_name) + ":";
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
    if (!continues_name(text, at)) text.replace(at, lab_name.size(), given);
    at += given.size();
  }
}

void rename(InexactKernel& kernel, std::string_view lab_name, std::string_view given) {
  const auto rename_place = [&](vgpu::Approximations::Place& place) {
    if (place.file == lab_name) place.file = given;
  };
  for (vgpu::Approximations::Function& one : kernel.found.functions) rename_place(one.first);
  for (auto* place : {&kernel.found.branch, &kernel.found.address, &kernel.found.barrier})
    if (*place) rename_place(**place);
}

}  // namespace

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}  // npos + 1 is 0

Score with_given_name(Score score, std::string_view lab_name, std::string_view given) {
  if (given.empty() || given == lab_name) return score;
  for (Check& check : score.checks) {
    for (Diagnostic& one : check.diagnostics) {
      if (one.where && one.where->file == lab_name) one.where->file = given;
      for (std::string* text : {&one.what, &one.first, &one.likely_cause, &one.next_step})
        rename(*text, lab_name, given);
    }
  }
  if (score.inexact)
    for (InexactKernel& kernel : *score.inexact) rename(kernel, lab_name, given);
  return score;
}

}  // namespace grader
