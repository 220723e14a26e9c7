#include "pages/common_diagnostics.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace grader::pages {
namespace {

/// What the submissions with one code in one lab have.
struct Group {
  std::map<std::string, std::size_t> messages;  ///< how many submissions have each message
  Severity severity = Severity::warning;
  std::vector<const GradedSubmission*> submissions;
};

using Groups = std::map<std::pair<std::string, std::string>, Group>;  // by lab and code

void add(Groups& groups, const GradedSubmission& one, const Result& result) {
  std::set<std::pair<std::string, std::string>> messages;  // code and message, once a submission
  for (const Check& check : result.score.checks)
    for (const Diagnostic& diagnostic : check.diagnostics) {
      Group& group = groups[{result.lab, diagnostic.code}];
      if (diagnostic.severity == Severity::error) group.severity = Severity::error;
      if (group.submissions.empty() || group.submissions.back() != &one) group.submissions.push_back(&one);
      if (messages.insert({diagnostic.code, diagnostic.what}).second) ++group.messages[diagnostic.what];
    }
}

std::string most_frequent(const std::map<std::string, std::size_t>& messages) {
  const auto first =
      std::max_element(messages.begin(), messages.end(),
                       [](const auto& one, const auto& other) { return one.second < other.second; });
  return first->first;
}

}  // namespace

std::vector<CommonDiagnostic> common_diagnostics(const ClassResults& all) {
  Groups groups;
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results)
      if (result.score.status != ResultStatus::grader_fault) add(groups, one, result);
  std::vector<CommonDiagnostic> list;
  for (const auto& [key, group] : groups)
    list.push_back({key.first, key.second, most_frequent(group.messages), group.severity, group.submissions});
  std::stable_sort(list.begin(), list.end(), [](const CommonDiagnostic& one, const CommonDiagnostic& other) {
    return one.submissions.size() > other.submissions.size();
  });
  return list;
}

}  // namespace grader::pages
