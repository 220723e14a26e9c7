// Kernels with functions that hardware only approximates. Bounds in ulps are those of the CUDA C++
// Programming Guide, "Mathematical Functions", tables of single-precision and of intrinsic functions.
#pragma once

#include <cmath>
#include <limits>

#include "course.hpp"

namespace course {

__global__ void mathf(const float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = a[i];
  out += i;
  const auto put = [&](float value) {
    *out = value;
    out += n;
  };
  put(sqrtf(x));
  put(fabsf(x));
  put(floorf(x));
  put(x / 3.3F);
  put(fmaxf(x, 1));
  put(1.F / x);
  put(fmodf(x, 3.F));
  put(expf(x));
  put(logf(x));
  put(sinf(x));
  put(cosf(x));
  put(powf(x, 1.5F));
  put(rsqrtf(x));
  put(tanhf(x));
  put(__expf(x));
}

struct Body {
  float4 p, v;  ///< p.w is the mass
};

__global__ void nbody(const Body* before, Body* after, float dt) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = before[i].p;
  float fx = 0, fy = 0, fz = 0;
  for (int t = 0; t < gridDim.x; ++t) {
    tile[threadIdx.x] = before[t * blockDim.x + threadIdx.x].p;
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3F);
      const float k = inverse * inverse * inverse * tile[j].w;
      fx += dx * k;
      fy += dy * k;
      fz += dz * k;
    }
    __syncthreads();
  }
  after[i] = before[i];
  after[i].v.x += dt * fx;
  after[i].v.y += dt * fy;
  after[i].v.z += dt * fz;
}

inline void run_mathf(Results& results, Random& random) {
  const double kLargest = 10;
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x = random.reals(120, 1e-2, kLargest);
  for (float special : {0.F, -0.F, 1.F, 1e-30F, 1e-40F, infinity, std::nanf(""), -0.75F, -3.F})
    x.push_back(special);
  const int n = static_cast<int>(x.size());

  // __expf is off by 2 + floor(|1.173 x|) ulps at most.
  const struct {
    const char* name;
    Bound bound;
  } kFunctions[] = {
      {"sqrtf", exact()},  {"fabsf", exact()}, {"floorf", exact()},
      {"x/3.3f", exact()}, {"fmaxf", exact()}, {"1/x", exact()},
      {"fmodf", exact()},  {"expf", ulps(2)},  {"logf", ulps(1)},
      {"sinf", ulps(2)},   {"cosf", ulps(2)},  {"powf", ulps(4)},
      {"rsqrtf", ulps(2)}, {"tanhf", ulps(2)}, {"__expf", ulps(2 + std::floor(1.173 * kLargest))}};
  const int kinds = sizeof kFunctions / sizeof kFunctions[0];
  const Array<float> in(x), out(static_cast<std::size_t>(kinds) * n);
  mathf<<<blocks_for(n, 64), 64>>>(in, out, n);
  results.launched("mathf");
  const std::vector<float> all = out.values();
  for (int k = 0; k < kinds; ++k) {
    const std::vector<float> one(all.begin() + k * n, all.begin() + (k + 1) * n);
    results.add(kFunctions[k].name, one, kFunctions[k].bound);
  }
}

/// The relative error of rsqrt.approx is at most 2^-22.9 (PTX ISA, rsqrt), that of its cube three times as
/// much. The velocity's error is at most that of the cube times the sum of all pulls on the body.
inline double nbody_bound(const std::vector<float>& bodies, float dt) {
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); i += 8) {
    double pull = 0;
    for (std::size_t j = 0; j < bodies.size(); j += 8) {
      double square = 1e-3;
      for (int k = 0; k < 3; ++k) square += std::pow(double{bodies[j + k]} - bodies[i + k], 2);
      pull += bodies[j + 3] / square;
    }
    largest = std::fmax(largest, pull);
  }
  return 3 * std::exp2(-22.9) * largest * dt;
}

inline void run_approximate(Results& results) {
  Random random(7);
  run_mathf(results, random);

  const int blocks = 2, count = 128 * blocks;
  const float dt = 0.01F;
  const std::vector<float> bodies = random.reals(8 * count, 0.01, 1);
  const Array<float> before(bodies), after(8 * count);
  nbody<<<blocks, 128>>>(reinterpret_cast<const Body*>(static_cast<float*>(before)),
                         reinterpret_cast<Body*>(static_cast<float*>(after)), dt);
  results.launched("nbody");
  std::vector<float> speeds;
  const std::vector<float> all = after.values();
  for (std::size_t i = 0; i < all.size(); i += 8)
    speeds.insert(speeds.end(), all.begin() + i + 4, all.begin() + i + 7);
  results.add("v", speeds, absolute(nbody_bound(bodies, dt)));
}

}  // namespace course
