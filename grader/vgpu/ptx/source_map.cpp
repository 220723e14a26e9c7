#include "vgpu/ptx/source_map.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMaxFile = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMaxColumn = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMaxLine = std::numeric_limits<std::uint32_t>::max();

// .file 1 "kernels.cu"[, modification time, bytes]
void file(TokenStream& tokens, std::vector<std::string>& files) {
  const std::uint64_t number = tokens.expect_count("the file number", kMaxFile);
  const Token name = tokens.expect(TokenKind::string, "a file name in quotes");
  if (files.size() <= number) files.resize(number + 1);
  files[number] = std::string(name.text);
  while (tokens.accept(',')) tokens.expect(TokenKind::integer, "the file's time or size");
}

void section(TokenStream& tokens) {
  const Token name = tokens.expect(TokenKind::dot_word, "the name of a section");
  tokens.expect('{', "before the contents of a section");
  while (!tokens.accept('}')) {
    if (tokens.peek().kind == TokenKind::end) {
      fail(name.line, fmt::format("the section {} has no '}}'", shown(name)));
    }
    tokens.take();
  }
}

SourceLine source_line(TokenStream& tokens) {
  SourceLine result;
  result.file = static_cast<std::uint16_t>(tokens.expect_count("the file number", kMaxFile));
  result.line = static_cast<std::uint32_t>(tokens.expect_count("the source line", kMaxLine));
  result.column =
      static_cast<std::uint16_t>(std::min(tokens.expect_count("the column", kMaxLine), kMaxColumn));
  return result;
}

std::uint64_t key_of(const SourceLine& line) {
  return std::uint64_t{line.file} << 48U | std::uint64_t{line.column} << 32U | line.line;
}

bool is_library(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("/opt/") || file.starts_with("/kit/include/") ||
         file.find("/targets/x86_64-linux/include/") != std::string_view::npos;
}

}  // namespace

bool accept_file_or_section(TokenStream& tokens, std::vector<std::string>& files) {
  if (tokens.accept_dot_word("file")) return file(tokens, files), true;
  if (tokens.accept_dot_word("section")) return section(tokens), true;
  return false;
}

std::optional<std::vector<std::string_view>> accept_pragma(TokenStream& tokens) {
  if (!tokens.accept_dot_word("pragma")) return std::nullopt;
  std::vector<std::string_view> texts;
  do {
    texts.push_back(tokens.expect(TokenKind::string, "the text of a pragma in quotes").text);
  } while (tokens.accept(','));
  tokens.expect(';', "after a pragma");
  return texts;
}

// .loc 1 13 3[, function_name label[+4], inlined_at 1 20 7]
Location location(TokenStream& tokens) {
  Location result{source_line(tokens), {}};
  while (tokens.accept(',')) {
    const Token attribute = tokens.expect(TokenKind::identifier, "function_name or inlined_at");
    if (attribute.text == "function_name") {
      tokens.expect(TokenKind::identifier, "the label of a name");
      if (tokens.accept('+')) tokens.expect_count("the offset of a name", kMaxLine);
    } else if (attribute.text == "inlined_at") {
      result.call = source_line(tokens);
    } else {
      fail(attribute.line, fmt::format("expected function_name or inlined_at, found {}", shown(attribute)));
    }
  }
  return result;
}

std::vector<bool> libraries_among(const std::vector<std::string>& files) {
  std::vector<bool> libraries;
  for (const std::string& file : files) libraries.push_back(is_library(file));
  return libraries;
}

void SourceMap::begin_function(const std::string& name) {
  now_ = 0;
  latest_.clear();
  of_code_ = &of_functions_[name];
  of_code_->clear();
}

void SourceMap::add(const Location& location) {
  Known known{location.line};
  if (location.call.line != 0) {
    // The manual identifies a call by its place in the source: this is the latest .loc of that place.
    const auto call = latest_.find(key_of(location.call));
    if (call == latest_.end()) known_.push_back({location.call});
    known.call = call == latest_.end() ? static_cast<std::uint32_t>(known_.size() - 1) : call->second;
  }
  now_ = static_cast<std::uint32_t>(known_.size());
  known_.push_back(known);
  latest_[key_of(location.line)] = now_;
}

void SourceMap::find_sources(Module& module) const {
  const std::vector<bool> libraries = libraries_among(module.files);
  std::vector<SourceLine> sources;  // parallel to `known_`: a call precedes the code that was inlined there
  for (const Known& one : known_) {
    const bool in_library = one.line.file < libraries.size() && libraries[one.line.file];
    sources.push_back(in_library && one.call != 0 ? sources[one.call] : one.line);
  }
  for (Function& function : module.functions) {
    const auto of_code = of_functions_.find(function.name);
    for (std::size_t i = 0; i < function.code.size(); ++i)
      function.code[i].source = sources[of_code->second[i]];
  }
}

}  // namespace vgpu::ptx
