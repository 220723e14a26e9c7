// Writes and reads receipt.json (schema/receipt.schema.json), which is part of a hand-in. Reading treats the
// text as hostile: every value has a type, a range and a maximum length. Pure. Covered by
// packages/receipt_test.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/expected.hpp"
#include "base/receipt.hpp"

namespace grader {

inline constexpr std::size_t kMaxReceiptBytes = 8192;

/// The text ends with a newline.
std::string receipt_json(const Receipt& receipt);

/// The error is a clause that quotes nothing from the text: "is not JSON".
Expected<Receipt, std::string> parse_receipt(const std::string& text);

/// `sha256_by_path`: of the files in the package that belong to `lab`.
ReceiptFacts receipt_facts(const std::string& text, const std::string& lab,
                           const std::map<std::string, std::string>& sha256_by_path);

}  // namespace grader
