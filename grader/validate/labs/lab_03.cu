// Lab 03, reduction and divergence: lab_driver.cuh documents this program.
#include "lab/ceil_div.hpp"
#include "lab/reduction.hpp"
#include "lab_driver.cuh"

using lab::ceil_div;
using validate::Array;

namespace {

void call_all() {
  for (const int n : {1000, 300007}) {
    const Array<float> A(n), B(n), C(n), sums(ceil_div(n, 512)), one(1);
    const Array<int> dice(n), count(1);
    const Array<int> counts(ceil_div(n, 32)), any(ceil_div(n, 32)), all(ceil_div(n, 32));
    int warps[2];
    vector_add(A, B, C, n, warps);
    block_sums(A, sums, n);
    block_sums_shuffle(A, sums, n);
    reduce_sum(A, one, n);
    reduce_max(A, one, n);
    six_votes(dice, counts, any, all, n);
    count_six_atomic(dice, count, n);
    count_six(dice, count, n);
  }
}

void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {262144, 16777216}) {
    const Array<float> A(n), sums(ceil_div(n, 512)), one(1);
    const Array<int> dice(n), count(1);
    table.row("lab_03", name + "_block_sums", n, [&] { block_sums(A, sums, n); });
    table.row("lab_03", name + "_block_sums_shuffle", n, [&] { block_sums_shuffle(A, sums, n); });
    table.row("lab_03", name + "_sum", n, [&] { reduce_sum(A, one, n); });
    table.row("lab_03", name + "_max", n, [&] { reduce_max(A, one, n); });
    table.row("lab_03", name + "_count_six", n, [&] { count_six(dice, count, n); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
