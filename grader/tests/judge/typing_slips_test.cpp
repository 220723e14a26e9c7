// Semicolons that end a statement too early, and loops whose step is too short.
#include "judge/typing_slips.hpp"

#include "catch.hpp"

namespace typing_slips_test {

using grader::SourceText;
using testing::contains;
using Lines = std::vector<std::string>;

TEST_CASE("a semicolon before the body of a loop or a condition is found") {
  for (const Lines& lines : {Lines{"  for (int i = 0; i < n; ++i);", "    sum += a[i];"},
                             Lines{"  for (int i = 0; i < f(n); ++i) ;  // comment", "  {", "  }"},
                             Lines{"  if (i < n);", "    y[i] = 1;"}, Lines{"  if (i < n); y[i] = 1;"},
                             Lines{"  if (i >= n); return;"}, Lines{"  if (i < n);", "", "  { y[i] = 1; }"},
                             Lines{"  while (i < n);", "  { y[i] = 1; }"},
                             Lines{"  for (int i = 0; i < n; ++i)", "    ;", "  {", "    y[i] = 1;"}}) {
    INFO(lines.front());
    const auto slip = grader::empty_statement(SourceText{"k.cu", lines});
    REQUIRE(slip);
    CHECK_THAT(slip->likely_cause, contains("line 1") || contains("line 2"));
    CHECK_THAT(slip->next_step, contains("remove the semicolon"));
  }
}

TEST_CASE("empty statements that are meant are no slips") {
  for (const Lines& lines :
       {Lines{"  for (int i = 0; i < n; ++i) sum += a[i];"}, Lines{"  while (*flag == 0);", "  x = 1;"},
        Lines{"  while (*flag == 0);", "    x = 1;"}, Lines{"  do {", "  } while (i < n);", "  {", "  }"},
        Lines{"  for (s = 1; 2 * s < n; s *= 2);", "  x = s;"}, Lines{"  if (i < n) ;", "  else y[i] = 1;"},
        Lines{"  // for (;;);", "    x = 1;"}, Lines{"  for (s = 1; 2 * s < n; s *= 2);", "}"},
        Lines{"  for (int i = 0"}, Lines{"  if_(x);", "    y;"}}) {
    INFO(lines.front());
    CHECK_FALSE(grader::empty_statement(SourceText{"k.cu", lines}));
  }
}

TEST_CASE("a loop over all elements that leaves out the number of blocks or of threads is found") {
  const std::string own = "blockIdx.x * blockDim.x + threadIdx.x";
  for (const auto& [lines, missing] : std::initializer_list<std::pair<Lines, std::string>>{
           {{"for (int i = " + own + "; i < n; i += blockDim.x) {"}, "gridDim.x"},
           {{"for (int i = " + own + "; i < n; i += gridDim.x) {"}, "blockDim.x"},
           {{"int i = threadIdx.x + blockDim.x * blockIdx.x;", "for (; i < n; i += blockDim.x)"},
            "gridDim.x"},
           {{"const int first = " + own + ", step = (blockDim.x);",
             "for (int i = first; i < n; i += step) y[i] = 1;"},
            "gridDim.x"}}) {
    INFO(lines.back());
    const auto slip = grader::step_of_a_part(SourceText{"k.cu", lines});
    REQUIRE(slip);
    CHECK_THAT(slip->likely_cause, contains("leaves out " + missing));
  }
  for (const Lines& lines :
       {Lines{"for (int i = " + own + "; i < n; i += gridDim.x * blockDim.x)"},
        Lines{"for (int i = threadIdx.x; i < n; i += blockDim.x)"},
        Lines{"const int end = (blockIdx.x + 1) * part;",
              "for (int i = blockIdx.x * blockDim.x * 4 + threadIdx.x; i < end; i += blockDim.x)"},
        Lines{"for (int i = blockIdx.x * part + threadIdx.x; i < n; i += blockDim.x)"},
        Lines{"for (float x : values)"}, Lines{"for (;;)"}}) {
    INFO(lines.back());
    CHECK_FALSE(grader::step_of_a_part(SourceText{"k.cu", lines}));
  }
}

TEST_CASE("slips replace the advice of errors that they explain") {
  const SourceText source{"k.cu",
                          {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)"}};
  for (const auto& [code, is_named] : {std::pair{"WG-R04", true}, {"WG-V08", false}, {"WG-S27", false}}) {
    grader::CaseVerdict verdict;
    verdict.verdict = grader::Verdict::wrong_answer;
    verdict.diagnostics = {grader::diagnose(code, "what", "try")};
    grader::name_slips(verdict, source);
    CHECK((verdict.diagnostics[0].next_step != "try") == is_named);
  }
  grader::CaseVerdict right;
  right.verdict = grader::Verdict::accepted;
  right.diagnostics = {grader::diagnose("WG-R04", "a warning", "try")};
  grader::name_slips(right, source);
  CHECK(right.diagnostics[0].next_step == "try");
}

}  // namespace typing_slips_test
