#include "toolchain/compile_advice.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "base/spelling.hpp"

namespace grader {
namespace {

using std::string_view;

constexpr string_view kDeviceFunctions =
    "call only __device__ functions in a kernel: mark your own functions with __device__, and call no others";
constexpr string_view kSpelling =
    "compare the spelling with the declaration, and declare or include it before this line";
constexpr string_view kSemicolon =
    "put a semicolon at the end of the statement, which can be on the line before; if a function begins "
    "here, "
    "a } is missing in the one before";
constexpr string_view kExtraBrace =
    "remove the } that is too many, here or many lines above, or add the { that is missing";
constexpr string_view kOutside =
    "if this line belongs to a function, a } above ends that function too early; __global__, __device__, "
    "__shared__ and __constant__ have two underscores on both sides";
constexpr string_view kBrace = "close each { with a }: the missing one can be many lines above";
constexpr string_view kParenthesis = "close each ( in this line with a )";
constexpr string_view kBracket =
    "close each [ with a ]; each dimension of an array has its own brackets: t[rows][columns]";
constexpr string_view kAddress =
    "pass the address of a pointer, and the size in bytes: cudaMalloc(&d_x, bytes); in a declaration, each "
    "pointer needs a * of its own: float *d_x, *d_y;";
constexpr string_view kDestination =
    "this argument is written or freed, so its pointer must not be const; the destination of a copy comes "
    "first";
constexpr string_view kConst =
    "remove const from the declaration of what this line writes, if the function is to write it; an element "
    "of a tile is tile[y][x], not tile[y, x]; a comparison is ==";
constexpr string_view kKeepConst =
    "declare the pointer as const too: through a pointer to const values, nothing can be stored";
constexpr string_view kAtomic =
    "pass the address of what the operation changes, then the value: atomicAdd(&count, 1)";
constexpr string_view kElement =
    "an element of a tile is tile[y][x], not tile[y, x]; without all of its indices, an array is an address";
constexpr string_view kTemplate =
    "name the template's arguments that the call does not show: kernel<Sum><<<blocks, threads>>>(…); then "
    "compare the types of the arguments with the parameters";
constexpr string_view kArguments =
    "compare number, order and types of the arguments with the parameters of the function";
constexpr string_view kGlobal = "define the kernel with __global__ void before its name";
constexpr string_view kVoid = "make the kernel's return type void: results are stored through a pointer";
constexpr string_view kLaunch = "launch a kernel with its grid and block: kernel<<<blocks, threads>>>(…)";
constexpr string_view kLaunchBrackets =
    "if this line launches a kernel, write three brackets on both sides: kernel<<<blocks, threads>>>(…)";
constexpr string_view kKernel =
    "if this function is a kernel, write __global__ before its return type: shared memory, barriers and "
    "__device__ functions exist only in device code";
constexpr string_view kIndices =
    "use as many indices as the array has dimensions: a pointer has one, x[row * columns + column]; an array "
    "with rows and columns is declared as t[rows][columns]";
constexpr string_view kComponent =
    "name the dimension: threadIdx, blockIdx, blockDim and gridDim have the components .x, .y and .z";
constexpr string_view kLaunchOrder =
    "if this line launches a kernel, keep the order <<<grid, block, bytes of shared memory, stream>>>; where "
    "a number is expected, name a component: block.x";
constexpr string_view kOperands =
    "the operands have no such operator; threadIdx, blockIdx, blockDim and gridDim need .x, .y or .z";
constexpr string_view kSharedValue =
    "declare it without a value; let the threads store the first values, and put a barrier after that";
constexpr string_view kParentheses = "call the function with parentheses: __syncthreads()";
constexpr string_view kSameType =
    "give both arguments the same type: with int i, std::min(i, static_cast<int>(n))";
constexpr string_view kInitializer =
    "give the constant a value here; an array that the host fills later is declared with __constant__, which "
    "has two underscores on both sides";
constexpr string_view kInteger =
    "an index and the operands of %, <<, >>, & and | are integers: convert the value, or use fmodf for %; a "
    "launch has three brackets on both sides: kernel<<<blocks, threads>>>(…)";
constexpr string_view kConstantSize =
    "give the array a constant size (constexpr int); or write extern __shared__ float t[], and pass the size "
    "in bytes as the third launch parameter";
constexpr string_view kHostVariable =
    "pass the value to the kernel, or copy it to a local variable there: device code cannot use a host "
    "variable, nor the address of a constexpr variable, which std::min takes";
constexpr string_view kAsciiNames =
    "use only ASCII letters in the names of kernels, of templates and of namespaces around them";
constexpr string_view kCpp20 =
    "submissions are compiled as C++17, which does not have this keyword of C++20: write it without (a "
    "template parameter or static_assert in place of a concept, constexpr in place of consteval)";
constexpr string_view kOldWarpFunction =
    "use the function that ends with _sync, and pass the mask of the lanes first: CUDA 9 replaced "
    "__shfl_down(v, "
    "d) by __shfl_down_sync(0xffffffff, v, d)";
constexpr string_view kPointerStar =
    "in a declaration, each pointer needs a * of its own: float *d_x = nullptr, *d_y = nullptr;";
constexpr string_view kNoResult =
    "a void function returns nothing: check a call with CUDA_CHECK(…) in place of return";
constexpr string_view kLaunchInMacro =
    "a launch returns nothing and is no argument: launch first, then write CUDA_CHECK(cudaGetLastError());";
constexpr string_view kCallInMacro = "call the function with parentheses: cudaGetLastError()";
constexpr string_view kTypeName =
    "write sizeof(float) with parentheses; the arguments of a call are values, without their types";
constexpr string_view kOperator =
    "an operand or an operator is missing or misspelled: less than or equal is <=, not =<";
constexpr string_view kCharacter =
    "this character is not part of the language, as in text copied from a document: write * for ×, - for –, "
    "\" for “";
constexpr string_view kCondition = "write the condition of if, while and for in parentheses: if (i < n)";
constexpr string_view kMask =
    "the first argument of these functions is the mask of the lanes: __shfl_down_sync(0xffffffff, value, 1)";
constexpr string_view kStreamOfLaunch =
    "the stream is the fourth argument of a launch, after the bytes of shared memory: <<<blocks, threads, 0, "
    "stream>>>";
constexpr string_view kAddressOfHandle =
    "pass the address of the variable that receives the result: cudaStreamCreate(&stream)";
constexpr string_view kDirection =
    "the direction comes before the stream: cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream)";
constexpr string_view kHostAlloc =
    "pass the address of a pointer, the size in bytes, and flags: cudaHostAlloc(&h_x, bytes, "
    "cudaHostAllocDefault)";
constexpr string_view kProperties =
    "pass the address of the structure, then the number of the device: cudaGetDeviceProperties(&properties, "
    "0)";
constexpr string_view kOtherType =
    "compare the type of the value with that of the variable: a variable's address is &x, and the first "
    "float "
    "of a structure p is &p->x";
constexpr string_view kTwice = "remove one of the two definitions, or rename it";

struct Advice {
  string_view words;  ///< of the message
  string_view text;
};

/// The first row whose words are in the message counts.
constexpr auto kAdvice = std::to_array<Advice>({
    {"not allowed in device entity name", kAsciiNames},
    {"'_u", kAsciiNames},
    {"expected a \";\"", kSemicolon},
    {"expected ';'", kSemicolon},
    {"expected a \"}\"", kBrace},
    {"expected '}'", kBrace},
    {"extraneous closing brace", kExtraBrace},
    {"expected a declaration", kExtraBrace},
    {"has no storage class or type specifier", kOutside},
    {"requires a type specifier", kOutside},
    {"expected unqualified-id", kOutside},
    {"unterminated comment", "end the comment with */"},
    {"unterminated /* comment", "end the comment with */"},
    {"extended character", kCharacter},
    {"unrecognized token", kCharacter},
    {"non-ASCII", kCharacter},
    {"expected a \"(\"", kCondition},
    {"expected '(' after", kCondition},
    {"explicit type is missing",
     "write the type of the result before the function's name: float* make(int n)"},
    {"passed 2 arguments, but takes just 1", kLaunchInMacro},
    {"too many arguments provided to function-like macro", kLaunchInMacro},
    {"(*)()", kCallInMacro},
    {"return value type does not match", kNoResult},
    {"should not return a value", kNoResult},
    {"type name is not allowed", kTypeName},
    {"expected an expression", kOperator},
    {"expected expression", kOperator},
    {"overloaded function \"__shfl", kMask},
    {"call to '__shfl", kMask},
    {"\"cudaStream_t\" (aka \"CUstream_st *\") is incompatible with parameter of type \"size_t\"",
     kStreamOfLaunch},
    {"incompatible with parameter of type \"cudaStream_t *\"", kAddressOfHandle},
    {"incompatible with parameter of type \"cudaEvent_t *\"", kAddressOfHandle},
    {"incompatible with parameter of type \"cudaMemcpyKind\"", kDirection},
    {"\"cudaDeviceProp\" to \"cudaDeviceProp *\"", kProperties},
    {"function \"cudaHostAlloc\" matches", kHostAlloc},
    {"function for call to 'cudaHostAlloc'", kHostAlloc},
    {"std::nullptr_t\" cannot be used to initialize an entity of type \"float\"", kPointerStar},
    {"missing terminating", "close what this line opens with <, \" or '"},
    {"expected a \")\"", kParenthesis},
    {"expected ')'", kParenthesis},
    {"expected a \"]\"", kBracket},
    {"expected ']'", kBracket},
    {"expected a \">>>\"", kLaunch},
    {"expected '>>>'", kLaunch},
    {"execution configuration arguments", kLaunch},
    {"no operator \"<<\"", kLaunchBrackets},
    {"no operator \">>\"", kLaunchBrackets},
    {"binary expression ('void (", kLaunchBrackets},
    {"binary expression ('const dim3'", kLaunchBrackets},
    {"binary expression ('dim3'", kLaunchBrackets},
    {"class \"uint3\" has no member", kComponent},
    {"class \"dim3\" has no member", kComponent},
    {"from \"const uint3\" to", kComponent},
    {"from \"const dim3\" to \"size_t\"", kLaunchOrder},
    {"from \"dim3\" to \"size_t\"", kLaunchOrder},
    {"from \"const dim3\" to", kComponent},
    {"no operator \"*\"", kOperands},
    {"no operator \"+\"", kOperands},
    {"no operator \"<\"", kOperands},
    {"__cuda_builtin_", kComponent},
    {"deviceOverlap", "use asyncEngineCount > 0: CUDA 13 removed deviceOverlap"},
    {" is undefined in device code", kHostVariable},
    {"reference to __host__ variable", kHostVariable},
    {" is undefined", kSpelling},
    {"undeclared identifier", kSpelling},
    {"was not declared", kSpelling},
    {"unknown type name", kSpelling},
    {"no member named", kSpelling},
    {"has no member", kSpelling},
    {"calling a __device__ function", kKernel},
    {"reference to __device__ function", kKernel},
    {"call to __device__ function", kKernel},
    {"not allowed inside a host function body", kKernel},
    {"not allowed in __host__ functions", kKernel},
    {"calling a __host__ function", kDeviceFunctions},
    {"reference to __host__ function", kDeviceFunctions},
    {"call to __host__ function", kDeviceFunctions},
    {"automatic \"__constant__\"", "declare the __constant__ variable outside of functions"},
    {"function \"atomic", kAtomic},
    {"call to 'atomic", kAtomic},
    {"must have arithmetic or unscoped enum type", kElement},
    {"function for call to 'cudaMalloc'", kAddress},
    {"function \"cudaMalloc\" matches", kAddress},
    {"function \"cudaMallocHost\" matches", kAddress},
    {"function \"cudaMallocManaged\" matches", kAddress},
    {"no instance of function template", kTemplate},
    {"'const float *' to 'void *'", kDestination},
    {"\"const float *\" is incompatible with parameter of type \"void *\"", kDestination},
    {"\"const float *\" cannot be used to initialize an entity of type \"float *\"", kKeepConst},
    {"variable of type 'float *' with an lvalue of type 'const float *'", kKeepConst},
    {"read-only variable is not assignable", kConst},
    {"with const-qualified type", kConst},
    {"must be a modifiable lvalue", kConst},
    {"min\" matches", kSameType},
    {"max\" matches", kSameType},
    {"'min' is ambiguous", kSameType},
    {"'max' is ambiguous", kSameType},
    {"function for call to 'min'", kSameType},
    {"function for call to 'max'", kSameType},
    {"is incompatible with parameter of type", kArguments},
    {"cannot initialize a parameter", kArguments},
    {"too few arguments", kArguments},
    {"too many arguments", kArguments},
    {"no matching function", kArguments},
    {"kernel call to non-global function", kGlobal},
    {"function call cannot be configured", kGlobal},
    {"void return type", kVoid},
    {"' not configured", kLaunch},
    {"a __global__ function call must be configured", kLaunch},
    {"incomplete type \"float []\"", kConstantSize},
    {"needs an explicit size", kConstantSize},
    {"cannot be 'extern'", kConstantSize},
    {"variable-length array", kConstantSize},
    {"variable length array", kConstantSize},
    {"initializer not allowed for __shared__", kSharedValue},
    {"initialization is not supported for", kSharedValue},
    {"builtin functions must be directly called", kParentheses},
    {"pointer-to-object type", kIndices},
    {"subscripted value is not an array", kIndices},
    {"integral or unscoped enum type", kInteger},
    {"requires an initializer", kInitializer},
    {"initialization of an object of const type", kInitializer},
    {"binary expression ('float'", kInteger},
    {"cannot be used to initialize an entity", kOtherType},
    {"redefinition of", kTwice},
    {"has already been", kTwice},
});

constexpr auto kCpp20Keywords = std::to_array<string_view>(
    {"concept", "requires", "co_await", "co_return", "co_yield", "consteval", "constinit", "char8_t"});
constexpr auto kOldWarpFunctions = std::to_array<string_view>(
    {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"});
/// Names that beginners misspell.
constexpr const char* kCudaNames =
    "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __shared__ "
    "__global__ __device__ __constant__ __restrict__ __shfl_sync __shfl_up_sync "
    "__shfl_down_sync __shfl_xor_sync __ballot_sync atomicAdd cudaMalloc cudaMallocHost "
    "cudaMallocManaged cudaFree cudaFreeHost cudaMemcpy cudaMemcpyAsync cudaMemset "
    "cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaHostRegister "
    "cudaHostUnregister cudaGetLastError cudaDeviceSynchronize cudaStream_t cudaStreamCreate "
    "cudaStreamDestroy cudaStreamSynchronize cudaStreamWaitEvent cudaEvent_t cudaEventCreate "
    "cudaEventDestroy cudaEventRecord cudaEventSynchronize CUDA_CHECK";

/// The message has one of the words in quotes.
template <class Words>
bool quotes_any(string_view message, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](string_view keyword) {
    const std::size_t at = message.find(keyword), end = at + keyword.size();
    const auto is_quote = [](char c) { return c == '"' || c == '\''; };
    return at != string_view::npos && at > 0 && end < message.size() && is_quote(message[at - 1]) &&
           is_quote(message[end]);
  });
}

/// The first word in quotes, or an empty one.
string_view first_quoted(string_view message) {
  const std::size_t open = message.find_first_of("\"'");
  if (open == string_view::npos) return {};
  const string_view rest = message.substr(open + 1);
  return rest.substr(0, rest.find(message[open]));
}

/// A name that ends with the given one, or that differs in few letters.
std::optional<std::string> cuda_name_like(string_view name) {
  constexpr std::size_t kLeastEnd = 6;
  std::istringstream list(kCudaNames);
  const std::vector<std::string> names{std::istream_iterator<std::string>(list), {}};
  const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& one) {
    return name.size() >= kLeastEnd && one.size() > name.size() && one.ends_with(name);
  });
  if (longer != names.end()) return *longer;
  auto guess = closest(name, names);
  return guess && *guess != name && 4 * edit_distance(name, *guess) <= name.size() ? guess : std::nullopt;
}

/// The advice for an unknown name. clang suggests names by itself.
std::string advice_on_name(string_view message) {
  if (quotes_any(message, kCpp20Keywords)) return std::string(kCpp20);
  if (quotes_any(message, kOldWarpFunctions)) return std::string(kOldWarpFunction);
  const string_view name = first_quoted(message);
  if (name == "CUDA_CHECK") return "write #include \"lab/check.hpp\" at the beginning of the file";
  if (name == "then") return "there is no `then`: write if (condition) statement;";
  const auto guess = cuda_name_like(name);
  const bool is_new = guess && message.find("did you mean") == string_view::npos;
  return std::string(kSpelling) + (is_new ? "; did you mean " + *guess + "?" : "");
}

}  // namespace

std::string compile_advice(string_view message) {
  const auto has = [&](string_view words) { return message.find(words) != string_view::npos; };
  const auto* found =
      std::find_if(kAdvice.begin(), kAdvice.end(), [&](const Advice& one) { return has(one.words); });
  if (found != kAdvice.end())
    return found->text == kSpelling ? advice_on_name(message) : std::string(found->text);
  return "correct the line, or the one before it";
}

string_view reason_in_note(string_view line) {
  constexpr string_view kNote = ": note: candidate function not viable: ";
  const std::size_t found = line.find(kNote);
  if (found == string_view::npos) return {};
  // The rest is a guess of what the programmer meant, which is often wrong for pointers.
  const string_view reason = line.substr(found + kNote.size());
  return reason.substr(0, reason.find(';'));
}

}  // namespace grader
