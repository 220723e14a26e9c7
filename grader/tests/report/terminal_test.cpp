#include "report/terminal.hpp"

#include <filesystem>
#include <map>

#include "base/files.hpp"
#include "catch.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

namespace {

Terminal with(bool interactive, const std::map<std::string, std::string>& environment,
              ColorChoice choice = ColorChoice::automatic, std::size_t window = 0) {
  return terminal_from({interactive, window,
                        [&environment](const char* name) -> std::optional<std::string> {
                          const auto found = environment.find(name);
                          return found == environment.end() ? std::nullopt : std::optional(found->second);
                        }},
                       choice);
}

}  // namespace

TEST_CASE("colour is used only on terminals that support it") {
  CHECK(with(true, {}).color);
  CHECK_FALSE(with(false, {}).color);
  CHECK_FALSE(with(true, {{"NO_COLOR", "1"}}).color);
  CHECK(with(true, {{"NO_COLOR", ""}}).color);
  CHECK_FALSE(with(true, {{"TERM", "dumb"}}).color);
  CHECK(with(false, {{"NO_COLOR", "1"}}, ColorChoice::always).color);
  CHECK_FALSE(with(true, {}, ColorChoice::never).color);
}

TEST_CASE("the width comes from COLUMNS, the window, or is 80") {
  CHECK(with(false, {}).width == 80);
  CHECK(with(true, {}, ColorChoice::automatic, 100).width == 100);
  CHECK(with(true, {{"COLUMNS", "60"}}, ColorChoice::automatic, 100).width == 60);
  CHECK(with(true, {{"COLUMNS", "x"}}, ColorChoice::automatic, 100).width == 100);
  CHECK(with(true, {{"COLUMNS", "1"}}).width == 40);
}

TEST_CASE("the locale determines Unicode support, the most specific variable first") {
  CHECK(with(true, {{"LANG", "en_US.UTF-8"}}).unicode);
  CHECK(with(true, {{"LANG", "C.utf8"}}).unicode);
  CHECK_FALSE(with(true, {{"LANG", "C"}}).unicode);
  CHECK_FALSE(with(true, {{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}}).unicode);
  CHECK_FALSE(with(true, {}).unicode);
}

TEST_CASE("printable text cannot control a terminal") {
  CHECK(printable("a\x1b[31mb") == "a?[31mb");
  CHECK(printable("tab\tline\nend\r") == "tab line end ");
  CHECK(printable("\x7f\xc2\x9b") == "??");                                 // DEL, C1 CSI
  CHECK(printable("x\xe2\x80\xae y") == "x? y");                            // right-to-left override
  CHECK(printable("\xff\xc3(\xed\xa0\x80") == std::string("??") + "(???");  // invalid, invalid, surrogate
  CHECK(printable("\xc0\xaf") == "??");                                     // overlong
  CHECK(printable("zoë") == "zoë");
  CHECK(printable("zoë", false) == "zo?");
  CHECK(printable("‘x’ “y” …", false) == "'x' \"y\" ...");
}

TEST_CASE("columns count displayed widths") {
  CHECK(columns("abc") == 3);
  CHECK(columns("zoë") == 3);
  CHECK(columns("陳大文") == 6);
  CHECK(columns("e\xcc\x81") == 1);  // combining accent
}

TEST_CASE("text is cut and padded to columns, not bytes") {
  CHECK(cut("abcdef", 4, plain()) == "abc…");
  CHECK(cut("abcdef", 4, ascii()) == "abc~");
  CHECK(cut("陳大文", 4, plain()) == "陳…");
  CHECK(cut_in_window("abcdef", 4, window(80)) == "abc…");
  CHECK(cut_in_window("abcdef", 4, plain()) == "abcdef");
  CHECK(left("ë", 3, plain()) == "ë  ");
  CHECK(right("ë", 3, plain()) == "  ë");
}

TEST_CASE("words are wrapped, and a long word has a line of its own") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("a verylongword b", 4) == std::vector<std::string>{"a", "verylongword", "b"});
  CHECK(wrap("", 10) == std::vector<std::string>{""});
}

TEST_CASE("the kit's own signs have ASCII spellings") {
  CHECK(spelled("2.5× · ≤ 3", ascii()) == "2.5x - <= 3");
  CHECK(spelled("2.5×", plain()) == "2.5×");
  CHECK(spelled("10⁻⁹ s, n² and n³, 2⁵³", ascii()) == "10^-9 s, n^2 and n^3, 2^53");
  CHECK(printable("10⁻⁹ · x⁸", false) == "10^-9 - x^8");
}

TEST_CASE("every character of questions, hints and the diagnostics' pages has an ASCII spelling") {
  const auto question_marks = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '?');
  };
  CHECK(question_marks(spelled("陳", ascii())) == 1);
  const std::filesystem::path kit = WARPGRADE_SOURCE_DIR;
  std::size_t texts = 0;
  for (const auto& folder : {kit / "labs", kit / "handout" / "student" / "diagnostics"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name != "lab.json" && name != "hints.md" && !name.starts_with("WG-")) continue;
      INFO(entry.path());
      const auto text = read_file(entry.path(), std::size_t{1} << 20U);
      REQUIRE(text);
      CHECK(question_marks(spelled(*text, ascii())) == question_marks(*text));
      ++texts;
    }
  CHECK(texts > 100);
}
