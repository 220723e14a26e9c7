// Where the elements of fragments lie: those of mma as the PTX ISA manual has them, those of wmma as an H200
// does.
#include "vgpu/analysis/matrix_fragments.hpp"

#include <set>
#include <sstream>

#include "vgpu/tensor_cases.hpp"

namespace matrix_fragments_test {

using namespace test::tensor;
using vgpu::exec::Fragment;
using vgpu::exec::MatrixShape;
using vgpu::exec::MatrixUse;
using vgpu::exec::Place;

namespace {

struct Measured {
  MatrixUse use;
  MatrixShape shape;
  int element_bytes, lane;
  const char* places;  ///< row,column of x[0], x[1], …
};

/// nvcuda::wmma on an H200, nvcc 13.0 for sm_90. Both layouts have the same result, bf16 what f16 gives in
/// its first registers, and s32 what f32 does.
constexpr Measured kMeasured[] = {
    {MatrixUse::a,
     {16, 16, 16},
     2,
     5,
     "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11 1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11"},
    {MatrixUse::a,
     {16, 16, 16},
     2,
     31,
     "7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15 7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15"},
    {MatrixUse::b,
     {16, 16, 16},
     2,
     5,
     "2,1 3,1 10,1 11,1 2,9 3,9 10,9 11,9 2,1 3,1 10,1 11,1 2,9 3,9 10,9 11,9"},
    {MatrixUse::b,
     {16, 16, 16},
     2,
     31,
     "6,7 7,7 14,7 15,7 6,15 7,15 14,15 15,15 6,7 7,7 14,7 15,7 6,15 7,15 14,15 15,15"},
    {MatrixUse::a,
     {32, 8, 16},
     2,
     5,
     "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11 17,2 17,3 25,2 25,3 17,10 17,11 25,10 25,11"},
    {MatrixUse::a,
     {32, 8, 16},
     2,
     31,
     "7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15 23,6 23,7 31,6 31,7 23,14 23,15 31,14 31,15"},
    {MatrixUse::b,
     {32, 8, 16},
     2,
     5,
     "2,1 3,1 10,1 11,1 2,1 3,1 10,1 11,1 2,1 3,1 10,1 11,1 2,1 3,1 10,1 11,1"},
    {MatrixUse::b,
     {32, 8, 16},
     2,
     31,
     "6,7 7,7 14,7 15,7 6,7 7,7 14,7 15,7 6,7 7,7 14,7 15,7 6,7 7,7 14,7 15,7"},
    {MatrixUse::a,
     {8, 32, 16},
     2,
     5,
     "1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11"},
    {MatrixUse::a,
     {8, 32, 16},
     2,
     31,
     "7,6 7,7 7,14 7,15 7,6 7,7 7,14 7,15 7,6 7,7 7,14 7,15 7,6 7,7 7,14 7,15"},
    {MatrixUse::b,
     {8, 32, 16},
     2,
     5,
     "2,1 3,1 2,9 3,9 10,1 11,1 10,9 11,9 2,17 3,17 2,25 3,25 10,17 11,17 10,25 11,25"},
    {MatrixUse::b,
     {8, 32, 16},
     2,
     31,
     "6,7 7,7 6,15 7,15 14,7 15,7 14,15 15,15 6,23 7,23 6,31 7,31 14,23 15,23 14,31 15,31"},
    {MatrixUse::a, {16, 16, 8}, 4, 5, "1,1 9,1 1,5 9,5"},
    {MatrixUse::a, {16, 16, 8}, 4, 31, "7,3 15,3 7,7 15,7"},
    {MatrixUse::b, {16, 16, 8}, 4, 5, "1,1 5,1 1,9 5,9"},
    {MatrixUse::b, {16, 16, 8}, 4, 31, "3,7 7,7 3,15 7,15"},
    {MatrixUse::a, {16, 16, 16}, 1, 5, "1,4 1,5 1,6 1,7 9,4 9,5 9,6 9,7"},
    {MatrixUse::a, {16, 16, 16}, 1, 31, "7,12 7,13 7,14 7,15 15,12 15,13 15,14 15,15"},
    {MatrixUse::b, {16, 16, 16}, 1, 5, "4,1 5,1 6,1 7,1 4,9 5,9 6,9 7,9"},
    {MatrixUse::b, {16, 16, 16}, 1, 31, "12,7 13,7 14,7 15,7 12,15 13,15 14,15 15,15"},
    {MatrixUse::a,
     {32, 8, 16},
     1,
     5,
     "1,4 1,5 1,6 1,7 9,4 9,5 9,6 9,7 17,4 17,5 17,6 17,7 25,4 25,5 25,6 25,7"},
    {MatrixUse::a,
     {32, 8, 16},
     1,
     31,
     "7,12 7,13 7,14 7,15 15,12 15,13 15,14 15,15 23,12 23,13 23,14 23,15 31,12 31,13 31,14 31,15"},
    {MatrixUse::b, {32, 8, 16}, 1, 5, "4,1 5,1 6,1 7,1"},
    {MatrixUse::b, {32, 8, 16}, 1, 31, "12,7 13,7 14,7 15,7"},
    {MatrixUse::a, {8, 32, 16}, 1, 5, "1,4 1,5 1,6 1,7"},
    {MatrixUse::a, {8, 32, 16}, 1, 31, "7,12 7,13 7,14 7,15"},
    {MatrixUse::b,
     {8, 32, 16},
     1,
     5,
     "4,1 5,1 6,1 7,1 4,9 5,9 6,9 7,9 4,17 5,17 6,17 7,17 4,25 5,25 6,25 7,25"},
    {MatrixUse::b,
     {8, 32, 16},
     1,
     31,
     "12,7 13,7 14,7 15,7 12,15 13,15 14,15 15,15 12,23 13,23 14,23 15,23 12,31 13,31 14,31 15,31"},
    {MatrixUse::a, {8, 8, 4}, 8, 5, "1,1"},
    {MatrixUse::a, {8, 8, 4}, 8, 31, "7,3"},
    {MatrixUse::b, {8, 8, 4}, 8, 5, "1,1"},
    {MatrixUse::b, {8, 8, 4}, 8, 31, "3,7"},
    {MatrixUse::accumulator, {16, 16, 16}, 4, 5, "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11"},
    {MatrixUse::accumulator, {16, 16, 16}, 4, 31, "7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15"},
    {MatrixUse::accumulator, {32, 8, 16}, 4, 5, "1,2 1,3 9,2 9,3 17,2 17,3 25,2 25,3"},
    {MatrixUse::accumulator, {32, 8, 16}, 4, 31, "7,6 7,7 15,6 15,7 23,6 23,7 31,6 31,7"},
    {MatrixUse::accumulator, {8, 32, 16}, 4, 5, "2,1 3,1 2,9 3,9 2,17 3,17 2,25 3,25"},
    {MatrixUse::accumulator, {8, 32, 16}, 4, 31, "6,7 7,7 6,15 7,15 6,23 7,23 6,31 7,31"},
    {MatrixUse::accumulator, {16, 16, 16}, 2, 5, "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11"},
    {MatrixUse::accumulator, {16, 16, 16}, 2, 31, "7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15"},
    {MatrixUse::accumulator, {32, 8, 16}, 2, 5, "1,2 1,3 9,2 9,3 17,2 17,3 25,2 25,3"},
    {MatrixUse::accumulator, {32, 8, 16}, 2, 31, "7,6 7,7 15,6 15,7 23,6 23,7 31,6 31,7"},
    {MatrixUse::accumulator, {8, 32, 16}, 2, 5, "2,1 3,1 2,9 3,9 2,17 3,17 2,25 3,25"},
    {MatrixUse::accumulator, {8, 32, 16}, 2, 31, "6,7 7,7 6,15 7,15 6,23 7,23 6,31 7,31"},
    {MatrixUse::accumulator, {16, 16, 8}, 4, 5, "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11"},
    {MatrixUse::accumulator, {16, 16, 8}, 4, 31, "7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15"},
    {MatrixUse::accumulator, {8, 8, 4}, 8, 5, "1,2 1,3"},
    {MatrixUse::accumulator, {8, 8, 4}, 8, 31, "7,6 7,7"},
};

Place place_of(const Fragment& fragment, int lane, int element) {
  // Fragments of halves in wmma have elements over, which repeat the others.
  const int number = element / fragment.elements() % fragment.registers();
  return fragment.place(number, lane, element % fragment.elements());
}

void check_manual(const Fragment& fragment, PlaceOf manual) {
  const MmaShape shape{fragment.shape.m, fragment.shape.n, fragment.shape.k};
  INFO(shape.text() << " of " << fragment.element_bytes << " bytes");
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < fragment.registers() * fragment.elements(); ++i) {
      const auto [row, column] = manual(shape, fragment.element_bytes, lane, i);
      const Place place = place_of(fragment, lane, i);
      INFO("lane " << lane << " element " << i);
      CHECK(place.row == row);
      CHECK(place.column == column);
    }
  }
}

}  // namespace

TEST_CASE("fragments of wmma have the layout of an H200") {
  for (const Measured& measured : kMeasured) {
    const Fragment fragment{measured.use, measured.shape, measured.element_bytes};
    INFO("m" << measured.shape.m << "n" << measured.shape.n << "k" << measured.shape.k << " "
             << measured.element_bytes << " bytes, lane " << measured.lane);
    std::istringstream places(measured.places);
    int row = 0, column = 0, element = 0;
    for (char comma = 0; places >> row >> comma >> column; ++element) {
      const Place place = place_of(fragment, measured.lane, element);
      CHECK(place.row == row);
      CHECK(place.column == column);
    }
    CHECK(element >= fragment.registers() * fragment.elements());
  }
}

TEST_CASE("fragments of mma have the layout that the manual defines") {
  const auto shapes = [](int bytes) -> std::vector<MatrixShape> {
    if (bytes == 1) return {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}};
    if (bytes == 2) return {{16, 8, 8}, {16, 8, 16}};
    if (bytes == 4) return {{16, 8, 4}, {16, 8, 8}};
    return {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}};
  };
  for (const int bytes : {1, 2, 4, 8}) {
    for (const MatrixShape& shape : shapes(bytes)) {
      check_manual({MatrixUse::a, shape, bytes}, place_in_a);
      check_manual({MatrixUse::b, shape, bytes}, place_in_b);
      check_manual({MatrixUse::accumulator, shape, std::max(bytes, 4)}, place_in_c);
      if (bytes == 2) check_manual({MatrixUse::accumulator, shape, 2}, place_in_c);
    }
  }
}

TEST_CASE("every element of a matrix is in one place of its fragment") {
  for (const MatrixShape& shape : {MatrixShape{16, 16, 16}, MatrixShape{32, 8, 16}, MatrixShape{8, 32, 16}}) {
    for (const auto use : {MatrixUse::a, MatrixUse::b, MatrixUse::accumulator}) {
      for (const int bytes : {1, 2, 4}) {
        if ((bytes == 1) == (use == MatrixUse::accumulator) || (bytes == 4 && use != MatrixUse::accumulator))
          continue;
        const Fragment fragment{use, shape, bytes};
        std::set<std::pair<int, int>> places;
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < fragment.registers() * fragment.elements(); ++i) {
            const Place place = place_of(fragment, lane, i);
            places.emplace(place.row, place.column);
          }
        }
        CHECK(places.size() == static_cast<std::size_t>(fragment.rows() * fragment.columns()));
      }
    }
  }
}

}  // namespace matrix_fragments_test
