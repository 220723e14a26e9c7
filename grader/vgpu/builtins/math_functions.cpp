#include "vgpu/builtins/math_functions.hpp"

#include <cassert>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace vgpu::exec {
namespace {

struct Named {
  const char* name;  ///< name of the double function, without "__nv_"
  double (*unary)(double);
  double (*binary)(double, double) = nullptr;
};

double exp10(double x) { return std::pow(10.0, x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double rcbrt(double x) { return 1 / std::cbrt(x); }
constexpr double kPi = 3.14159265358979323846;
// fmod is exact, so that the argument of sin keeps its precision however large x is.
double sinpi(double x) { return std::sin(kPi * std::fmod(x, 2.0)); }
double cospi(double x) { return std::cos(kPi * std::fmod(x, 2.0)); }
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes the global variable signgam
}
double normcdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

constexpr Named kFunctions[] = {{"exp", std::exp},
                                {"exp2", std::exp2},
                                {"exp10", exp10},
                                {"expm1", std::expm1},
                                {"log", std::log},
                                {"log2", std::log2},
                                {"log10", std::log10},
                                {"log1p", std::log1p},
                                {"logb", std::logb},
                                {"sin", std::sin},
                                {"cos", std::cos},
                                {"tan", std::tan},
                                {"sinpi", sinpi},
                                {"cospi", cospi},
                                {"asin", std::asin},
                                {"acos", std::acos},
                                {"atan", std::atan},
                                {"sinh", std::sinh},
                                {"cosh", std::cosh},
                                {"tanh", std::tanh},
                                {"asinh", std::asinh},
                                {"acosh", std::acosh},
                                {"atanh", std::atanh},
                                {"sqrt", std::sqrt},
                                {"rsqrt", rsqrt},
                                {"cbrt", std::cbrt},
                                {"rcbrt", rcbrt},
                                {"erf", std::erf},
                                {"erfc", std::erfc},
                                {"tgamma", std::tgamma},
                                {"lgamma", log_gamma},
                                {"j0", ::j0},
                                {"j1", ::j1},
                                {"y0", ::y0},
                                {"y1", ::y1},
                                {"normcdf", normcdf},
                                {"fabs", std::fabs},
                                {"floor", std::floor},
                                {"ceil", std::ceil},
                                {"trunc", std::trunc},
                                {"round", std::round},
                                {"rint", std::rint},
                                {"nearbyint", std::nearbyint},
                                {"pow", nullptr, std::pow},
                                {"atan2", nullptr, std::atan2},
                                {"fmod", nullptr, std::fmod},
                                {"remainder", nullptr, std::remainder},
                                {"hypot", nullptr, std::hypot},
                                {"fdim", nullptr, std::fdim},
                                {"fmin", nullptr, std::fmin},
                                {"fmax", nullptr, std::fmax},
                                {"copysign", nullptr, std::copysign}};

struct Table {
  std::vector<MathFunction> functions;
  std::unordered_map<std::string, std::uint32_t> by_name;

  Table() {
    for (const Named& named : kFunctions) {
      // libdevice's names: __nv_sin for double, __nv_sinf for float.
      const std::string name = std::string("__nv_") + named.name;
      for (const bool is_float : {false, true}) {
        by_name[is_float ? name + "f" : name] = static_cast<std::uint32_t>(functions.size());
        functions.push_back({named.unary, named.binary, is_float});
      }
    }
  }
};

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

const MathFunction* math_function(const std::string& name) {
  const auto found = table().by_name.find(name);
  return found == table().by_name.end() ? nullptr : &table().functions[found->second];
}

std::uint32_t math_function_index(const MathFunction& function) {
  return static_cast<std::uint32_t>(&function - table().functions.data());
}

const MathFunction& math_function_at(std::uint32_t index) {
  assert(index < table().functions.size());
  return table().functions[index];
}

}  // namespace vgpu::exec
