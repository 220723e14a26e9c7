// The compilers enclose inline assembly in marks:
//
//   g++        #APP                 at the start of the line, also at file scope; statements without
//              # 7 "lab.cu" 1       instructions get no mark
//              	mfence
//              # 0 "" 2
//              #NO_APP
//   clang      	#APP             indented, in functions only
//              	mfence
//              	#NO_APP
//              # Start of file scope inline assembly
//              # End of file scope inline assembly
//
// Assembly code of the submission can contain the same marks as comments. g++ copies them, so a mark that
// closes nothing counts as inline assembly; clang drops them (-fno-preserve-as-comments).

#include "policy/inline_assembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace grader::policy {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Removes the first word of the text and returns it.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool opens(std::string_view mark) {
  return mark == "#APP" || mark == "# Start of file scope inline assembly";
}
bool closes(std::string_view mark) {
  return mark == "#NO_APP" || mark == "# End of file scope inline assembly";
}

/// `.string "text"` and nothing after it.
bool is_string_data(std::string_view line) {
  const std::size_t name = line.starts_with(".string") ? 7 : line.starts_with(".ascii") ? 6 : line.npos;
  if (name == line.npos) return false;
  line = trimmed(line.substr(name));
  if (line.size() < 2 || line.front() != '"') return false;
  std::size_t at = 1;
  while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
  return at == line.size() - 1;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// A name that an assembler reads as one word.
bool is_symbol(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$');
  });
}

/// "" or "1" after flags, then ",SYMBOL,comdat" if the section belongs to a group.
bool are_size_and_group(std::string_view text, bool has_group) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view size = text.substr(0, comma);
  if (!has_group) return comma == text.size() && (size.empty() || is_number(size));
  constexpr std::string_view kEnd = ",comdat";
  if (!text.ends_with(kEnd)) return false;
  text.remove_suffix(kEnd.size());
  if (is_number(size) && comma < text.size()) text.remove_prefix(comma + 1);
  return is_symbol(text);
}

/// `.section .rodata.str1.1,"aMS",@progbits,1` and other names and flags of read-only data. An inline
/// function has sections of its own: `.section .rodata._Z4namev.str1.1,"aMS",@progbits,1`, or with a group
/// `.section .rodata._Z4namev,"aG",@progbits,_Z4namev,comdat`.
bool is_read_only_section(std::string_view line) {
  if (take_word(line) != ".section") return false;
  line = trimmed(line);
  const std::string_view name = line.substr(0, line.find(','));
  if (!name.starts_with(".rodata") || !is_symbol(name)) return false;
  if (name.size() == line.size()) return true;
  line.remove_prefix(name.size() + 1);
  for (const std::string_view flags : {"\"a\"", "\"aM\"", "\"aMS\"", "\"aG\"", "\"aMG\"", "\"aMSG\""}) {
    if (!line.starts_with(flags)) continue;
    std::string_view rest = line.substr(flags.size());
    constexpr std::string_view kType = ",@progbits";
    if (!rest.starts_with(kType)) return false;
    rest.remove_prefix(kType.size());
    if (rest.starts_with(',')) rest.remove_prefix(1);
    return are_size_and_group(rest, flags.ends_with("G\""));
  }
  return false;
}

/// True for lines in which g++ stores constants of the next function: read-only data with no symbol but g++'s
/// own and without code, so that it does no harm if they are the submission's.
bool are_constants(const std::string_view* line, const std::string_view* end) {
  bool is_in_data = false;
  for (; line != end; ++line) {
    std::string_view rest = *line;
    if (rest == ".text" || is_read_only_section(rest)) {
      is_in_data = rest != ".text";
      continue;
    }
    const bool is_label =
        rest.starts_with(".LC") && rest.ends_with(':') && is_number(rest.substr(3, rest.size() - 4));
    const std::string_view directive = take_word(rest);
    constexpr std::array<std::string_view, 6> kWithNumber{".align", ".byte", ".value",
                                                          ".long",  ".quad", ".zero"};
    const bool is_numeric =
        std::find(kWithNumber.begin(), kWithNumber.end(), directive) != kWithNumber.end() &&
        is_number(trimmed(rest));
    if (!is_in_data || !(is_label || is_numeric || is_string_data(*line))) return false;
  }
  return true;
}

/// True for the lines in which nvcc stores the kernels: a list of numbers in a section of its own. g++ ends
/// the block only where the next function's code begins, after the string literals of that function.
bool is_kernels_data(const std::vector<std::string_view>& block) {
  if (block.size() < 4 || block[0] != ".section .nv_fatbin, \"a\"" || block[1] != ".align 8" ||
      block[2] != "fatbinData:")
    return false;
  const auto end = std::find(block.begin() + 3, block.end(), ".text");
  return end != block.end() &&
         std::all_of(block.begin() + 3, end,
                     [](std::string_view line) {
                       return line.starts_with(".quad ") &&
                              line.find_first_not_of("0123456789abcdefx, ",
                                                     std::string_view(".quad ").size()) == line.npos;
                     }) &&
         are_constants(&*end, block.data() + block.size());
}

/// The line that <iostream> of libstdc++ 13 and later contains as assembly (`__asm`). It only declares a
/// function of that library, whose object file initialises std::cout and the other streams.
constexpr std::string_view kStreamsOfLibrary = ".globl _ZSt21ios_base_library_initv";

class Search {
 public:
  Search(std::string_view assembly, std::string_view source_name)
      : rest_(assembly), end_of_file_record_("\"" + std::string(source_name) + "\"") {
    end_of_path_record_ = "/" + end_of_file_record_.substr(1);
  }

  std::optional<InlineAssembly> run() {
    while (!rest_.empty()) {
      const std::string_view line = next_line(), text = trimmed(line);
      if (closes(text) || (opens(text) && !is_permitted_block(line))) return found_;
      note_place(line, text);
    }
    return std::nullopt;
  }

 private:
  std::string_view next_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return line;
  }

  /// Reads the block that `opening` begins.
  bool is_permitted_block(std::string_view opening) {
    std::vector<std::string_view> block;
    bool has_streams = false;
    while (!rest_.empty()) {
      const std::string_view line = next_line(), text = trimmed(line);
      if (closes(text)) {
        const bool is_gcc = opening.starts_with("#APP") || line.starts_with("#NO_APP");
        if (block.empty()) return has_streams || !is_gcc;
        if (is_gcc && is_kernels_data(block) && !std::exchange(has_kernels_, true)) return true;
        found_.text = block.front();
        return false;
      }
      if (is_own(text) && text.starts_with("# ")) found_.line = number_of(text.substr(2));
      has_streams |= text == kStreamsOfLibrary;
      if (!text.empty() && text != kStreamsOfLibrary) block.push_back(text);
    }
    return false;
  }

  bool is_own(std::string_view record) const {
    if (record.ends_with(" 1")) record.remove_suffix(2);
    if (const auto checksum = record.find(" md5 "); checksum != record.npos)
      record = record.substr(0, checksum);
    return record.ends_with(" " + end_of_file_record_) || record.ends_with("\t" + end_of_file_record_) ||
           record.ends_with(end_of_path_record_);
  }

  /// Keeps the current function and source line.
  void note_place(std::string_view line, std::string_view text) {
    const bool is_label = !line.empty() && line[0] != '.' && line[0] != '#' &&
                          std::isspace(static_cast<unsigned char>(line[0])) == 0;
    if (is_label && line.find(':') != line.npos) found_ = {0, line.substr(0, line.find(':')), ""};
    const std::string_view directive = take_word(text);
    if (directive == ".file" && is_own(text)) own_files_.push_back(take_word(text));
    if (directive != ".loc") return;
    const bool is_own_line =
        std::find(own_files_.begin(), own_files_.end(), take_word(text)) != own_files_.end();
    if (is_own_line) found_.line = number_of(take_word(text));
  }

  std::string_view rest_;
  std::string end_of_file_record_, end_of_path_record_;  ///< how a record ends that names the submission
  std::vector<std::string_view> own_files_;              ///< their numbers
  InlineAssembly found_;                                 ///< the place that the search has reached
  bool has_kernels_ = false;
};

}  // namespace

std::optional<InlineAssembly> find_inline_assembly(std::string_view assembly, std::string_view source_name) {
  return Search(assembly, source_name).run();
}

}  // namespace grader::policy
