#include "similarity/report.hpp"

#include "catch.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"
#include "similarity/golden_file.hpp"
#include "similarity/handover.hpp"

using namespace grader::similarity;
using namespace testing;

namespace {

const std::string kCode =
    "__global__ void k(float* a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] = a[i] < 0 ? a[i] * 2.0f : a[i] / 3.0f;  // </pre><script>alert(1)</script> & "
    "\x1b[31m\n"
    "  for (int j = 0; j < 4; ++j) { a[i] += sqrtf(a[i] * j); __syncthreads(); }\n"
    "  while (a[i] > 100.0f) { a[i] -= 10.0f; if (a[i] == 0) break; }\n}\n";

/// Names that attack a terminal and a page; one submission without its own code.
std::vector<Comparison> sample() {
  Comparison alike = compare(
      "02-tiled-matmul",
      {{"ada.l", kCode},
       {"<img src=x onerror=alert(1)> \x1b[2J", "\n\n" + kCode},
       {"陳大文", "int f(int a, int b, int c, int d) { return a * b + c * d - (a + b) / (c - d); }\n" +
                      kCode.substr(0, kCode.find("  for"))},
       {"empty", ""}},
      {}, {0.5, 20});
  Comparison nothing = compare("06-min-plus", {{"ada.l", ""}}, {}, {0.5, 20});
  return {alike, nothing};
}

}  // namespace

TEST_CASE("the table of similar pairs is as approved, piped, narrow, coloured and in ASCII") {
  const auto labs = sample();
  const auto piped = similarity_text(labs, plain());
  CHECK(piped == similarity_golden("similarity.txt", piped));
  const auto narrow = similarity_text(labs, plain(60));
  CHECK(narrow == similarity_golden("similarity-60.txt", narrow));
  const auto color = similarity_text(labs, colored());
  CHECK(color == similarity_golden("similarity-color.txt", color));
  const auto only_ascii = similarity_text(labs, ascii());
  CHECK(only_ascii == similarity_golden("similarity-ascii.txt", only_ascii));
  CHECK(piped.find('\x1b') == std::string::npos);
}

TEST_CASE("the page contains no markup from students and loads no external resources") {
  const std::string html = similarity_html(sample());
  CHECK_THAT(html,
             !contains("<script") && !contains("<img") && !contains("http://") && !contains("https://"));
  CHECK_THAT(html, contains("&lt;script&gt;") && contains("&lt;img") && contains("lines 3 to 8"));
  CHECK(html.find('\x1b') == std::string::npos);
}

TEST_CASE("similarity.json fits its schema, also with names that are not UTF-8") {
  auto labs = sample();
  labs.front().documents.front().name = "\xff\xfe";
  CHECK(SchemaCheck::of("similarity.schema.json")
            .problems(nlohmann::json::parse(similarity_json(labs)))
            .empty());
}

TEST_CASE("other detectors get the sources under safe names") {
  const std::vector<Handover> labs = {
      {"02-tiled-matmul", "tiled_matmul.cu", {{"ada", "A"}, {"=x,\"", "B"}}, {"ada", "_x-1"}, "S"}};
  std::map<std::string, std::string> jplag, dolos;
  for (const HandedOverFile& file : for_jplag(labs)) jplag[file.path] = file.bytes;
  for (const HandedOverFile& file : for_dolos(labs)) dolos[file.path] = file.bytes;
  CHECK(jplag ==
        std::map<std::string, std::string>{{"02-tiled-matmul/base/tiled_matmul.cpp", "S"},
                                           {"02-tiled-matmul/submissions/ada/tiled_matmul.cpp", "A"},
                                           {"02-tiled-matmul/submissions/_x-1/tiled_matmul.cpp", "B"}});
  CHECK(dolos.at("02-tiled-matmul/_x-1/tiled_matmul.cpp") == "B");
  CHECK(dolos.at("02-tiled-matmul.skeleton.cpp") == "S");
  CHECK(dolos.at("02-tiled-matmul/info.csv") ==
        "filename,full_name\r\nada/tiled_matmul.cpp,ada\r\n_x-1/tiled_matmul.cpp,\"'=x,\"\"\"\r\n");
}
