// Orders of values that programs have reasons for, and orders that carry results.
#include "judge/word_runs.hpp"

#include <array>

#include "catch.hpp"

namespace word_runs_test {

using grader::count_runs;
using grader::IndexedWords;
using grader::harness::Words;

namespace {

constexpr std::uint32_t kSide = 64, kPadding = 1'000'000, kZero = 7;

std::uint32_t at(std::uint32_t row, std::uint32_t column) { return 5000 + row * kSide + column; }

std::uint32_t hash(std::uint32_t i) {
  i = (i ^ i >> 16U) * 0x45D9F3BU;
  i = (i ^ i >> 16U) * 0x45D9F3BU;
  return i ^ i >> 16U;
}

/// A matrix of different words.
Words matrix() {
  Words all;
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) all.push_back(at(0, i));
  return all;
}

std::size_t runs(const Words& sent, const Words& source = matrix()) {
  const IndexedWords indexed(source);
  const std::array sources = {&indexed};
  return count_runs(sources, sent);
}

}  // namespace

TEST_CASE("a matrix is one run, and rows, columns, padding, tiles and interleaved arrays are few") {
  Words columns, padded, tiles, pairs;
  for (std::uint32_t i = 0; i < kSide; ++i) {
    for (std::uint32_t j = 0; j < kSide; ++j) {
      columns.push_back(at(j, i));
      padded.push_back(at(i, j));
    }
    padded.insert(padded.end(), 9, kPadding);
  }
  for (std::uint32_t tile = 0; tile < 16; ++tile)
    for (std::uint32_t row = 0; row < 16; ++row)
      for (std::uint32_t column = 0; column < 16; ++column)
        tiles.push_back(at(tile / 4 * 16 + row, tile % 4 * 16 + column));
  for (std::uint32_t i = 0; i < kSide * kSide / 2; ++i) {
    pairs.push_back(at(0, i));
    pairs.push_back(at(kSide / 2, i));
  }
  CHECK(runs(matrix()) == 1);
  CHECK(runs(columns) <= kSide + 2);
  CHECK(runs(padded) == 2 * kSide);
  CHECK(runs(tiles) <= kSide * kSide / 16);
  CHECK(runs(pairs) <= 3);
  CHECK(runs(Words(1000, kZero)) == 1);
  CHECK(runs({}) == 0);
}

TEST_CASE("interleaved arrays of which one is sent twice are few runs") {
  Words sent;
  for (std::uint32_t i = 0; i < kSide * kSide / 2; ++i)
    for (const std::uint32_t row : {0U, kSide / 2, kSide / 2}) sent.push_back(at(row, i));
  CHECK(runs(sent) <= 4);
}

TEST_CASE("padding with a word that the inputs contain as well is one run per row") {
  Words source = matrix(), padded;
  for (std::uint32_t i = 0; i < kSide; ++i) source[i * kSide + i * 7 % kSide] = kZero;
  for (std::uint32_t row = 0; row < kSide; ++row) {
    padded.insert(padded.end(), source.begin() + row * kSide, source.begin() + (row + 1) * kSide);
    padded.insert(padded.end(), 31, kZero);
  }
  CHECK(runs(padded, source) <= 3 * kSide);
}

TEST_CASE("values that the host selects, or into which it encodes results, are many runs") {
  Words chosen, indices, bits;
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
    chosen.push_back(at(i / kSide, hash(i) % kSide));
    indices.push_back(hash(i) % kSide);
    bits.push_back(hash(i) % 2);
  }
  CHECK(runs(chosen) > kSide * kSide / 2);
  CHECK(runs(indices) > kSide * kSide / 2);
  CHECK(runs(bits) > kSide * kSide / 8);
}

TEST_CASE("a program cannot select among several alternating runs either") {
  Words sent;
  for (std::uint32_t i = 0; i < 1000; ++i) sent.push_back(at(hash(i) % 2, i / 20));
  CHECK(runs(sent) > 400);
}

TEST_CASE("words of a second source continue runs as well") {
  const IndexedWords first({1, 2, 3}), second({11, 12, 13, 14});
  const std::array sources = {&first, &second};
  CHECK(count_runs(sources, {11, 12, 13, 14, 1, 2, 3}) == 2);
  CHECK(second.first(13) == 2);
  CHECK_FALSE(second.has(3));
}

TEST_CASE("words are mostly different if 7 of 8 remain without repeats") {
  CHECK(IndexedWords({1, 2, 3, 4, 5, 6, 7, 7}).are_mostly_different());
  CHECK_FALSE(IndexedWords({1, 2, 3, 3}).are_mostly_different());
  CHECK(IndexedWords({3, 1, 2, 1}).sorted() == Words{1, 1, 2, 3});
}

}  // namespace word_runs_test
