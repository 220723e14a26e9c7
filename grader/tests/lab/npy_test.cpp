#include "lab/npy.hpp"

#include "catch.hpp"

namespace npy_test {

namespace {

using grader::Array;
using grader::read_npy;
using grader::write_npy;
using testing::contains;

const Array kArray{"M", {2, 3}, {1, 2, 3, -4, 0.5F, 6}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("the bytes equal those that NumPy writes") {
  const std::string bytes = write_npy(kArray);
  CHECK(bytes.size() == 128 + 24);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(bytes.substr(10, 61) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ");
  CHECK(bytes[127] == '\n');
  CHECK(bytes.substr(128, 4) == std::string("\x00\x00\x80\x3f", 4));
}

TEST_CASE("vectors are written with the comma of a Python tuple") {
  CHECK_THAT(write_npy({"x", {3}, {1, 2, 3}}), contains("'shape': (3,), }"));
}

TEST_CASE("a written array reads back unchanged") {
  for (const Array& array :
       {kArray, Array{"x", {3}, {1, 2, 3}}, Array{"x", {1, 1}, {7}}, Array{"x", {0}, {}}}) {
    const auto read = read_npy(write_npy(array));
    REQUIRE(read);
    CHECK(read->shape == array.shape);
    CHECK(read->values == array.values);
  }
}

TEST_CASE("other files are refused with the reason") {
  const std::string bytes = write_npy(kArray);
  CHECK(read_npy("").error() == "is not a .npy file of version 1.0");
  CHECK(read_npy(replaced(bytes, "\x01", "\x02")).error() == "is not a .npy file of version 1.0");
  CHECK(read_npy(replaced(bytes, "<f4", "<f8")).error() ==
        "contains something other than little-endian float32 in C order");
  CHECK_THAT(read_npy(replaced(bytes, "False", "True ")).error(), contains("C order"));
  CHECK(read_npy(replaced(bytes, "2, 3", "2,3 ")).error() == "has a broken header");
  CHECK(read_npy(replaced(bytes, "2, 3", "-2,3")).error() == "has a broken header");
  CHECK(read_npy(replaced(bytes, "2, 3", "9, 3")).error() ==
        "has 24 bytes of values, but the shape (9, 3) needs 108");
  CHECK(read_npy(bytes.substr(0, bytes.size() - 1)).error() ==
        "has 23 bytes of values, but the shape (2, 3) needs 24");
  CHECK_FALSE(read_npy(bytes + "x"));
  CHECK_FALSE(read_npy(replaced(bytes, "2, 3), }        ", "99999, 99999), }")));
}

TEST_CASE("a truncated or changed header does not crash the reader") {
  const std::string bytes = write_npy(kArray);
  for (std::size_t i = 0; i < 128; ++i) {
    CHECK_FALSE(read_npy(bytes.substr(0, i)));
    for (const char wrong : {'\0', '\xff', '9', ')'}) {
      if (bytes[i] == wrong) continue;
      std::string broken = bytes;
      broken[i] = wrong;
      CHECK_FALSE(read_npy(broken));
    }
  }
}

}  // namespace

}  // namespace npy_test
