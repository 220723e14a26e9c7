// The text of what a value was computed from.
#include "judge/expression.hpp"

#include "catch.hpp"

namespace expression_test {

using grader::ElementNames;
using grader::NamedElement;
using vgpu::Term;
using vgpu::TermId;
using Kind = vgpu::Term::Kind;

namespace {

/// Words at addresses below 1000 are a[0], a[1], …, from 1000 on b[0], …; from 2000 on, no array's.
struct Graph {
  vgpu::Terms terms;

  TermId add(Kind kind, TermId left, TermId right = 0) {
    terms.nodes.push_back({kind, left, right});
    return static_cast<TermId>(terms.nodes.size() - 1);
  }
  TermId word(std::uint64_t address, std::uint32_t bits = 0) {
    terms.words.push_back({address, bits});
    return add(Kind::word, static_cast<TermId>(terms.words.size() - 1));
  }
  TermId constant(double value) {
    terms.constants.push_back(value);
    return add(Kind::constant, static_cast<TermId>(terms.constants.size() - 1));
  }
  /// kind(kind(first, second), third) …
  TermId all(Kind kind, const std::vector<TermId>& parts) {
    TermId sum = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) sum = add(kind, sum, parts[i]);
    return sum;
  }
  std::string text(TermId term) const {
    const ElementNames names{[](const vgpu::Terms::Word& word) {
                               if (word.address >= 2000) return NamedElement{ElementNames::kNoArray};
                               return NamedElement{word.address / 1000, word.address % 1000};
                             },
                             [](const NamedElement& one) {
                               return (one.array == 0 ? "a[" : "b[") + std::to_string(one.index) + "]";
                             }};
    return grader::expression_text(terms, term, names);
  }
};

}  // namespace

TEST_CASE("sums of few terms are written in full, long ones by their first, second and last term") {
  Graph graph;
  std::vector<TermId> words, products;
  for (std::uint64_t i = 0; i < 16; ++i) {
    words.push_back(graph.word(i));
    products.push_back(graph.add(Kind::product, words.back(), graph.word(1000 + 3 * i)));
  }
  CHECK(graph.text(graph.all(Kind::sum, {words[0], words[2], words[5]})) == "a[0] + a[2] + a[5]");
  CHECK(graph.text(graph.all(Kind::sum, words)) == "a[0] + a[1] + … + a[15] (16 terms)");
  CHECK(graph.text(graph.all(Kind::sum, products)) ==
        "a[0] * b[0] + a[1] * b[3] + … + a[15] * b[45] (16 terms)");
  CHECK(graph.text(graph.all(Kind::minimum, words)) == "min(a[0], a[1], …, a[15]) (16 terms)");
}

TEST_CASE("the order of additions does not matter, and gaps show") {
  Graph graph;
  std::vector<TermId> words;
  for (const std::uint64_t i : {9, 1, 2, 10, 3, 8, 4, 11, 5, 12}) words.push_back(graph.word(i));
  CHECK(graph.text(graph.all(Kind::sum, words)) ==
        "a[1] + a[2] + … + a[5] + a[8] + a[9] + … + a[12] (10 terms)");
}

TEST_CASE("terms that are added several times are counted") {
  Graph graph;
  const TermId first = graph.word(0), second = graph.word(1);
  CHECK(graph.text(graph.all(Kind::sum, std::vector<TermId>(512, first))) == "512 times a[0] (512 terms)");
  CHECK(graph.text(graph.all(Kind::sum, {first, second, second})) == "a[0] + 2 times a[1]");
}

TEST_CASE("sums within other operations have parentheses") {
  Graph graph;
  const TermId sum = graph.add(Kind::sum, graph.word(0), graph.word(1));
  CHECK(graph.text(graph.add(Kind::quotient, sum, graph.constant(2))) == "(a[0] + a[1]) / 2");
  CHECK(graph.text(graph.add(Kind::difference, graph.word(3), sum)) == "a[3] - (a[0] + a[1])");
  CHECK(graph.text(graph.add(Kind::product, sum, graph.word(1000))) == "(a[0] + a[1]) * b[0]");
}

TEST_CASE("candidates of a minimum that are sums are one row") {
  Graph graph;
  std::vector<TermId> sums;
  for (std::uint64_t k = 0; k < 8; ++k)
    sums.push_back(graph.add(Kind::sum, graph.word(8 + k), graph.word(8 * k)));
  CHECK(graph.text(graph.all(Kind::minimum, sums)) ==
        "min(a[8] + a[0], a[9] + a[8], …, a[15] + a[56]) (8 terms)");
}

TEST_CASE("words of no array are shown as their value") {
  Graph graph;
  CHECK(graph.text(graph.add(Kind::sum, graph.word(0), graph.word(2000, 0x7F800000))) == "a[0] + infinity");
  CHECK(graph.text(graph.add(Kind::sum, graph.word(0), graph.word(2000, 0xFEFEFEFE))) ==
        "a[0] + memory without a value");
}

TEST_CASE("tests and other operations are functions of their terms") {
  Graph graph;
  const TermId first = graph.word(0), second = graph.word(1);
  CHECK(graph.text(graph.add(Kind::test, first)) == "test(a[0])");
  CHECK(graph.text(graph.add(Kind::other, first, second)) == "f(a[0], a[1])");
  CHECK(graph.text(graph.add(Kind::other, first)) == "a[0]");
}

TEST_CASE("what has no short form is a function of its elements") {
  Graph graph;
  TermId value = graph.word(0);
  for (std::uint64_t i = 1; i < 20; ++i)
    value = graph.add(Kind::quotient, graph.add(Kind::sum, value, graph.word(i)), graph.constant(2));
  CHECK(graph.text(value) == "a function of a[0], a[1], …, a[19]");
}

TEST_CASE("nothing is said of what is not known") {
  Graph graph;
  const TermId word = graph.word(0);
  CHECK(graph.text(0).empty());
  CHECK(graph.text(77).empty());
  graph.terms.is_complete = false;
  CHECK(graph.text(word).empty());
}

TEST_CASE("a sum of itself, again and again, ends without a text") {
  Graph graph;
  TermId sum = graph.word(0);
  for (int i = 0; i < 64; ++i) sum = graph.add(Kind::sum, sum, sum);
  CHECK(graph.text(sum) == "a function of a[0]");
}

TEST_CASE("operations on one value are shown") {
  Graph graph;
  const TermId a = graph.word(0), b = graph.word(1000);
  const auto of = [&](Term::Function function, TermId term) {
    return graph.add(Kind::function, term, static_cast<TermId>(function));
  };
  const TermId product = graph.add(Kind::product, of(Term::Function::absolute, a), b);
  CHECK(graph.text(product) == "abs(a[0]) * b[0]");
  CHECK(graph.text(of(Term::Function::truncated, product)) == "int(abs(a[0]) * b[0])");
  CHECK(graph.text(of(Term::Function::root, a)) == "sqrt(a[0])");
  CHECK(graph.text(of(Term::Function::half, a)) == "half(a[0])");
  CHECK(graph.text(of(Term::Function::other, graph.add(Kind::sum, a, b))) == "f(a[0] + b[0])");
  CHECK(graph.text(of(Term::Function::negated, graph.add(Kind::sum, a, b))) == "-(a[0] + b[0])");
}

TEST_CASE("differences are terms of a sum with a sign") {
  Graph graph;
  TermId all = graph.add(Kind::difference, graph.word(0), graph.word(1000));
  CHECK(graph.text(all) == "a[0] - b[0]");
  for (std::uint64_t i = 1; i < 8; ++i) all = graph.add(Kind::difference, all, graph.word(1000 + i));
  CHECK(graph.text(all) == "a[0] + -b[0] + -b[1] + … + -b[7] (9 terms)");
}

}  // namespace expression_test
