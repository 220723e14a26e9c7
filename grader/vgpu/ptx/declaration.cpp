#include "vgpu/ptx/declaration.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "vgpu/ptx/literal.hpp"

namespace vgpu::ptx {
namespace {

constexpr std::size_t kMaxAlign = std::size_t{1} << 16U;
constexpr std::size_t kMaxDimensions = 8;
constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40U;
constexpr std::uint64_t kOpenLength = 0;  ///< of `[]`
constexpr std::size_t kAddressBytes = 8;

}  // namespace

std::vector<Declaration> DeclarationParser::variables(Space space, bool is_extern) {
  const Attributes shared = attributes();
  std::vector<Declaration> result;
  do {
    result.push_back(declarator(space, shared));
    result.back().variable.is_extern = is_extern;
    std::vector<std::uint64_t> lengths = dimensions();
    if (tokens_.accept('=')) initialise(result.back().variable, lengths);
    set_size(result.back(), lengths, is_extern);
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a declaration");
  return result;
}

Declaration DeclarationParser::parameter() {
  Declaration result = declarator(Space::param, attributes());
  set_size(result, dimensions(), true);
  return result;
}

Type DeclarationParser::type(std::string_view what) {
  const Token word = tokens_.expect(TokenKind::dot_word, what);
  if (const auto known = type_named(word.text)) return *known;
  fail(word.line, fmt::format("expected {}, found {}, which is not supported here", what, shown(word)));
}

// .align 16 .v2 .f32, and for kernel parameters .u64 .ptr .global .align 4, whose alignment is the
// pointee's.
DeclarationParser::Attributes DeclarationParser::attributes() {
  Attributes result;
  skip_attributes();
  while (tokens_.accept_dot_word("align")) {
    const std::uint32_t line = tokens_.peek().line;
    result.align = tokens_.expect_count("the alignment in bytes", kMaxAlign);
    if (!std::has_single_bit(result.align)) {
      fail(line, fmt::format("the alignment is {} when it should be a power of two", result.align));
    }
  }
  if (tokens_.accept_dot_word("v2")) result.vector_width = 2;
  if (tokens_.accept_dot_word("v4")) result.vector_width = 4;
  result.type = type("a type such as .b32");
  if (tokens_.accept_dot_word("ptr")) {
    if (tokens_.peek().kind == TokenKind::dot_word && !tokens_.is_dot_word("align")) tokens_.take();
    if (tokens_.accept_dot_word("align")) tokens_.expect_count("the alignment in bytes", UINT32_MAX);
  }
  return result;
}

// .attribute(.managed)
void DeclarationParser::skip_attributes() {
  while (tokens_.accept_dot_word("attribute")) {
    while (!tokens_.accept(')') && tokens_.peek().kind != TokenKind::end) tokens_.take();
  }
}

Declaration DeclarationParser::declarator(Space space, const Attributes& attributes) {
  const Token name = tokens_.expect(TokenKind::identifier, "the name of a variable");
  const std::size_t size_bytes = attributes.vector_width * size_of(attributes.type);
  if (size_bytes == 0)
    fail(name.line,
         fmt::format("{} is a variable in memory, which cannot have type .pred", in_quotes(name.text)));
  const std::size_t align = attributes.align != 0 ? attributes.align : size_bytes;
  return {{.name = std::string(name.text),
           .space = space,
           .type = attributes.type,
           .align = align,
           .size_bytes = size_bytes},
          name};
}

std::vector<std::uint64_t> DeclarationParser::dimensions() {
  std::vector<std::uint64_t> result;
  while (tokens_.accept('[')) {
    const std::uint32_t line = tokens_.peek().line;
    if (result.size() == kMaxDimensions)
      fail(line, fmt::format("more than {} array dimensions", kMaxDimensions));
    const bool open = result.empty() && tokens_.is(']');
    result.push_back(open ? kOpenLength : tokens_.expect_count("the array length", kMaxVariableBytes));
    tokens_.expect(']', "after an array length");
    if (!open && result.back() == 0) fail(line, "an array length is 0");
  }
  return result;
}

void DeclarationParser::set_size(Declaration& declaration, const std::vector<std::uint64_t>& dimensions,
                                 bool may_be_open) {
  Variable& variable = declaration.variable;
  const std::string name = in_quotes(variable.name);
  for (const std::uint64_t length : dimensions) {
    if (length == kOpenLength && !may_be_open) {
      fail(declaration.name.line, fmt::format("the array {} has neither a length nor an initialiser", name));
    }
    // 0 after an open dimension.
    if (variable.size_bytes != 0 && length > kMaxVariableBytes / variable.size_bytes) {
      fail(declaration.name.line,
           fmt::format("the array {} is larger than {} bytes", name, kMaxVariableBytes));
    }
    variable.size_bytes *= length;
  }
}

void DeclarationParser::initialise(Variable& variable, std::vector<std::uint64_t>& dimensions) {
  if (!tokens_.is('{')) return element(variable, 0);
  const bool open = !dimensions.empty() && dimensions.front() == kOpenLength;
  std::vector<std::uint64_t> lengths = dimensions;
  lengths.push_back(variable.size_bytes / size_of(variable.type));  // the elements of a .v2 or .v4
  std::uint64_t count = 1;
  for (std::size_t i = open ? 1 : 0; i < lengths.size(); ++i) {
    if (lengths[i] > kMaxVariableBytes / count) fail(tokens_.peek().line, "the array is too large");
    count *= lengths[i];
  }
  const std::uint64_t filled = elements(variable, lengths, 0, 0, open ? kMaxVariableBytes : count);
  if (open) dimensions.front() = (filled + count - 1) / count;
}

/// Parses one `{ … }` of `level`, which initialises at most `room` elements from element `first` on. Returns
/// how many it initialises.
std::uint64_t DeclarationParser::elements(Variable& variable, const std::vector<std::uint64_t>& dimensions,
                                          std::size_t level, std::uint64_t first, std::uint64_t room) {
  const std::uint32_t line = tokens_.peek().line;
  tokens_.expect('{', "before initialisers");
  std::uint64_t inner = 1;  // elements that one nested `{ … }` initialises
  for (std::size_t i = level + 1; i < dimensions.size(); ++i) inner *= dimensions[i];
  std::uint64_t filled = 0;
  while (!tokens_.accept('}')) {
    if (filled != 0) tokens_.expect(',', "or '}' between initialisers");
    const bool nested = tokens_.is('{') && level + 1 < dimensions.size();
    const std::uint64_t step = nested ? inner : 1;
    if (step > room - filled)
      fail(line, fmt::format("more initialisers than the {} elements that they initialise", room));
    if (nested) {
      elements(variable, dimensions, level + 1, first + filled, inner);
    } else {
      element(variable, first + filled);
    }
    filled += step;
  }
  return filled;
}

void DeclarationParser::element(Variable& variable, std::uint64_t index) {
  if (tokens_.peek().kind == TokenKind::identifier) return address_element(variable, index);
  const bool negative = tokens_.accept('-');
  const TokenKind kind = tokens_.peek().kind;
  if (kind != TokenKind::integer && kind != TokenKind::floating) tokens_.fail_expected("an initialiser");
  const Token number = tokens_.take();
  if (tokens_.is('(')) {
    fail(number.line,
         fmt::format("the initialiser {}(…), a part of an address, is not supported", number.text));
  }
  const Immediate value = negative ? negative_literal(number) : literal(number);
  const std::uint64_t bits = stored_bits(value, variable.type);
  // Both sides are little-endian.
  std::memcpy(bytes_of(variable, index), &bits, size_of(variable.type));
}

// symbol, symbol + 4, generic(symbol), generic(symbol) + 4
void DeclarationParser::address_element(Variable& variable, std::uint64_t index) {
  Token name = tokens_.take();
  if (size_of(variable.type) != kAddressBytes) {
    fail(name.line,
         fmt::format("the address of {} needs {} bytes; an element of {} has {}", in_quotes(name.text),
                     kAddressBytes, in_quotes(variable.name), size_of(variable.type)));
  }
  const bool generic = name.text == "generic" && tokens_.accept('(');
  if (generic) {
    name = tokens_.expect(TokenKind::identifier, "a symbol");
    tokens_.expect(')', "after generic(symbol");
  }
  std::int64_t addend = 0;
  const bool minus = tokens_.is('-');
  if (minus || tokens_.is('+')) {
    tokens_.take();
    const Token number = tokens_.expect(TokenKind::integer, "a number of bytes");
    addend = static_cast<std::int64_t>((minus ? negative_literal(number) : literal(number)).bits);
  }
  bytes_of(variable, index);
  addresses_.push_back({name.text, name.line});
  variable.relocations.push_back({index * kAddressBytes, std::string(name.text), addend, generic});
}

/// The bytes of element `index` in Variable::initial, which grows as needed.
std::byte* DeclarationParser::bytes_of(Variable& variable, std::uint64_t index) {
  const std::size_t size = size_of(variable.type);
  const std::uint64_t end = (index + 1) * size;
  const std::size_t old = variable.initial.size();
  if (end > old) {
    if (end - old > initial_bytes_left_) {
      fail(tokens_.peek().line, fmt::format("the initialisers take more than {} bytes", kMaxInitialBytes));
    }
    initial_bytes_left_ -= end - old;
    variable.initial.resize(end);
  }
  return variable.initial.data() + index * size;
}

}  // namespace vgpu::ptx
