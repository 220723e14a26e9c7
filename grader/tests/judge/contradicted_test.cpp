// Causes that fit one case by chance.
#include "judge/contradicted.hpp"

#include "catch.hpp"

namespace contradicted_test {

using grader::CaseVerdict;
using grader::Diagnostic;

namespace {

/// A case whose guesses have these causes, and that excludes others.
CaseVerdict guessed(std::initializer_list<std::string> causes, std::vector<std::string> excluded) {
  CaseVerdict verdict;
  verdict.verdict = grader::Verdict::wrong_answer;
  for (const std::string& cause : causes) {
    Diagnostic diagnostic;
    diagnostic.code = cause.empty() ? "WG-V01" : "WG-V08";
    diagnostic.likely_cause = cause;
    verdict.guesses.push_back({cause, diagnostic});
  }
  verdict.excluded = std::move(excluded);
  verdict.diagnostics = {verdict.guesses.front().diagnostic, Diagnostic{}};
  return verdict;
}

/// The first cause of each case, after contradicted ones were dropped.
std::vector<std::string> causes_of(std::vector<CaseVerdict> cases) {
  std::vector<CaseVerdict*> pointers;
  for (CaseVerdict& one : cases) pointers.push_back(&one);
  grader::drop_contradicted(pointers);
  std::vector<std::string> causes;
  for (const CaseVerdict& one : cases) {
    CHECK(one.diagnostics.size() == 2);
    causes.push_back(one.diagnostics.front().likely_cause);
  }
  return causes;
}

}  // namespace

TEST_CASE("a cause that more cases exclude than show gives way to the next guess, and to none at last") {
  using Causes = std::vector<std::string>;
  CHECK(causes_of({guessed({"tile", "term", ""}, {}), guessed({"term", ""}, {"tile"}),
                   guessed({""}, {"tile"})}) == Causes{"term", "term", ""});
  CHECK(causes_of({guessed({""}, {"tile"}), guessed({""}, {"tile"}), guessed({"tile", ""}, {})}) ==
        Causes{"", "", ""});
  CHECK(causes_of({guessed({"tile", ""}, {}), guessed({"tile", ""}, {}), guessed({""}, {"tile"})}) ==
        Causes{"tile", "tile", ""});
}

TEST_CASE("a cause that no case excludes stays, and so do diagnoses that are no guesses") {
  using Causes = std::vector<std::string>;
  CHECK(causes_of({guessed({"tile", ""}, {"term"}), guessed({"tile", ""}, {})}) == Causes{"tile", "tile"});
  CaseVerdict fault = guessed({"tile", ""}, {});
  fault.guesses.clear();
  CHECK(causes_of({fault, guessed({""}, {"tile"})}) == Causes{"tile", ""});
}

}  // namespace contradicted_test
