// Comparison and selection: PTX ISA, "Comparison and Selection Instructions".
#include <cfloat>
#include <cmath>

#include "form.hpp"

namespace fuzz {
namespace {

using u32 = std::uint32_t;

/// Less, equal, greater or unordered.
template <class T>
char order(T a, T b) {
  return a < b ? '<' : a == b ? '=' : a > b ? '>' : '?';
}

struct Comparison {
  const char* name;
  const char* orders;  ///< for which the comparison is true
};
constexpr Comparison kOrdered[] = {{"eq", "="},  {"ne", "<>"}, {"lt", "<"},
                                   {"le", "<="}, {"gt", ">"},  {"ge", ">="}};
constexpr Comparison kUnsigned[] = {{"lo", "<"}, {"ls", "<="}, {"hi", ">"}, {"hs", ">="}};
constexpr Comparison kUnordered[] = {{"equ", "=?"}, {"neu", "<>?"}, {"ltu", "<?"},  {"leu", "<=?"},
                                     {"gtu", ">?"}, {"geu", ">=?"}, {"num", "<=>"}, {"nan", "?"}};

bool holds(const Comparison& comparison, char order) {
  return std::strchr(comparison.orders, order) != nullptr;
}

template <class T>
T flushed(T x) {
  if constexpr (std::is_same_v<T, float>) return std::fabs(x) < FLT_MIN ? 0 : x;
  return x;
}

/// setp with and without a further predicate, and set to an integer or float.
template <class T>
void add_comparison(std::vector<Form>& forms, const Comparison& comparison, const std::string& type,
                    bool flush) {
  const auto test = [=](T a, T b) {
    return holds(comparison, flush ? order(flushed(a), flushed(b)) : order(a, b));
  };
  const std::string name = comparison.name;
  add<bool, T, T>(forms, "setp." + name + "." + type, test);
  add<bool, T, T, bool>(forms, "setp." + name + ".and." + type,
                        [=](T a, T b, bool c) { return test(a, b) && c; });
  add<bool, T, T, bool>(forms, "setp." + name + ".or." + type,
                        [=](T a, T b, bool c) { return test(a, b) || c; });
  add<bool, T, T, bool>(forms, "setp." + name + ".xor." + type,
                        [=](T a, T b, bool c) { return test(a, b) != c; });
  if (flush) return;
  add<u32, T, T>(forms, "set." + name + ".u32." + type, [=](T a, T b) { return test(a, b) ? ~0U : 0; });
  add<u32, T, T>(forms, "set." + name + ".s32." + type, [=](T a, T b) { return test(a, b) ? ~0U : 0; });
  add<float, T, T>(forms, "set." + name + ".f32." + type, [=](T a, T b) { return test(a, b) ? 1.F : 0.F; });
}

template <class T>
void add_comparisons(std::vector<Form>& forms) {
  const std::string type = type_name<T>();
  for (const Comparison& comparison : kOrdered) add_comparison<T>(forms, comparison, type, false);
  if constexpr (std::is_unsigned_v<T>) {
    for (const Comparison& comparison : kUnsigned) add_comparison<T>(forms, comparison, type, false);
    const std::string bits = "b" + type.substr(1);
    add_comparison<T>(forms, kOrdered[0], bits, false);
    add_comparison<T>(forms, kOrdered[1], bits, false);
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (const Comparison& comparison : kUnordered) add_comparison<T>(forms, comparison, type, false);
    if constexpr (sizeof(T) == 8) return;
    for (const Comparison& comparison : kOrdered) add_comparison<T>(forms, comparison, "ftz." + type, true);
    for (const Comparison& comparison : kUnordered) add_comparison<T>(forms, comparison, "ftz." + type, true);
  }
}

template <class T>
void add_selection(std::vector<Form>& forms, const std::string& type) {
  add<T, T, T, bool>(forms, "selp." + type, [](T a, T b, bool c) { return c ? a : b; });
  add<T, T, T, std::int32_t>(forms, "slct." + type + ".s32",
                             [](T a, T b, std::int32_t c) { return c >= 0 ? a : b; });
  add<T, T, T, float>(forms, "slct." + type + ".f32", [](T a, T b, float c) { return c >= 0 ? a : b; });
}

}  // namespace

void add_compare_forms(std::vector<Form>& forms) {
  add_comparisons<std::uint16_t>(forms);
  add_comparisons<std::int16_t>(forms);
  add_comparisons<u32>(forms);
  add_comparisons<std::int32_t>(forms);
  add_comparisons<std::uint64_t>(forms);
  add_comparisons<std::int64_t>(forms);
  add_comparisons<float>(forms);
  add_comparisons<double>(forms);
  for (const char* type : {"b16", "u16", "s16"}) add_selection<std::uint16_t>(forms, type);
  for (const char* type : {"b32", "u32", "s32"}) add_selection<u32>(forms, type);
  for (const char* type : {"b64", "u64", "s64"}) add_selection<std::uint64_t>(forms, type);
  add_selection<float>(forms, "f32");
  add_selection<double>(forms, "f64");
}

}  // namespace fuzz
