// Declarations of variables and parameters, with initialisers (PTX ISA, sections 5.4 "Variables" and 7.1
// parameters).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/ptx/function_names.hpp"
#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

/// A declared variable and the token of its name; Variable::name is the name in the text.
struct Declaration {
  Variable variable;
  Token name;
};

class DeclarationParser {
 public:
  explicit DeclarationParser(TokenStream& tokens) : tokens_(tokens) {}

  /// Parses what follows `.global`, `.shared`, …: attributes, type, declarators, ';'.
  std::vector<Declaration> variables(Space space, bool is_extern);
  /// Parses what follows `.param` in a parameter list; stops at ',' or ')'.
  Declaration parameter();
  Type type(std::string_view what);
  void skip_attributes();
  /// Symbols whose addresses initialisers contain; the module must declare them before it ends.
  const std::vector<LaterName>& addresses() const { return addresses_; }

 private:
  struct Attributes {
    std::size_t align = 0;  ///< bytes; 0: that of the type
    std::size_t vector_width = 1;
    Type type = Type::none;
  };

  Attributes attributes();
  Declaration declarator(Space space, const Attributes& attributes);
  std::vector<std::uint64_t> dimensions();
  void set_size(Declaration& declaration, const std::vector<std::uint64_t>& dimensions, bool may_be_open);
  void initialise(Variable& variable, std::vector<std::uint64_t>& dimensions);
  std::uint64_t elements(Variable& variable, const std::vector<std::uint64_t>& dimensions, std::size_t level,
                         std::uint64_t first, std::uint64_t room);
  void element(Variable& variable, std::uint64_t index);
  void address_element(Variable& variable, std::uint64_t index);
  std::byte* bytes_of(Variable& variable, std::uint64_t index);

  TokenStream& tokens_;
  std::vector<LaterName> addresses_;
  std::size_t initial_bytes_left_ = kMaxInitialBytes;

  // Nested braces can skip any number of zeros; the bound keeps hostile text from requesting terabytes.
  static constexpr std::size_t kMaxInitialBytes = std::size_t{64} << 20U;
};

}  // namespace vgpu::ptx
