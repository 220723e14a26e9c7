// Compares the virtual GPU with the fuzzer's lane-by-lane reference: every form alone, then random kernels.
// WARPGRADE_FUZZ_KERNELS=1000000 sets the number of random kernels, WARPGRADE_FUZZ_SEED=… the first seed.
#include <algorithm>
#include <cstdlib>

#include "fuzz/program.hpp"
#include "vgpu/gpu.hpp"
#include "vgpu/handlers/forms.hpp"

using namespace fuzz;

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::vector<std::byte> flat(const std::vector<Record>& records) {
  std::vector<std::byte> bytes;
  for (const Record& record : records) {
    const auto piece = std::as_bytes(std::span(record));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

std::string kernel(const Program& program) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) "
         "{\n"
         ".reg .b64 %in, %out;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n" +
         ptx_body(program, "%in", "%out") + "ret;\n}\n";
}

std::vector<Record> run_on_virtual_gpu(const std::string& text, const Program& program,
                                       const std::vector<Record>& inputs) {
  test::Gpu gpu(text);
  const auto in = gpu.upload(flat(inputs));
  const auto out = gpu.zeros<Bits>(kThreads * program.output_slots());
  gpu.run("k", {1, 1, 1}, {kThreads, 1, 1}, test::pack(in, out));
  const auto values = gpu.download<Bits>(out, kThreads * program.output_slots());
  std::vector<Record> outputs;
  for (auto at = values.begin(); at != values.end();
       at += static_cast<std::ptrdiff_t>(program.output_slots())) {
    outputs.emplace_back(at, at + static_cast<std::ptrdiff_t>(program.output_slots()));
  }
  return outputs;
}

/// Forms that the virtual GPU does not support are skipped; their number is printed.
Sheet supported(Sheet sheet) {
  std::erase_if(sheet.program.steps,
                [](const Step& step) { return vgpu::exec::forms().find(step.form->name) == nullptr; });
  return sheet;
}

std::vector<std::string> wrong_forms(const Sheet& sheet, std::uint64_t seed) {
  const auto inputs = sheet_inputs(sheet, seed);
  const auto expected = interpret(sheet.program, inputs);
  const auto outputs = run_on_virtual_gpu(kernel(sheet.program), sheet.program, inputs);
  return differences(sheet, inputs, outputs, expected);
}

bool is_supported(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return (!step.form || vgpu::exec::forms().find(step.form->name) != nullptr) && is_supported(step.body) &&
           is_supported(step.otherwise);
  });
}

}  // namespace

TEST_CASE("every form gives the reference's results") {
  const std::uint64_t seed = number_from("WARPGRADE_FUZZ_SEED", 1);
  std::size_t missing = 0;
  for (const Sheet& all : all_sheets()) {
    const Sheet sheet = supported(all);
    missing += all.program.steps.size() - sheet.program.steps.size();
    for (const std::string& wrong : wrong_forms(sheet, seed)) FAIL_CHECK(wrong);
  }
  if (missing > 0) WARN(missing << " forms with a reference are not supported");
  CHECK(missing < forms().size() / 10);
}

TEST_CASE("random kernels give the reference's results") {
  const std::uint64_t first = number_from("WARPGRADE_FUZZ_SEED", 1);
  const std::uint64_t count = number_from("WARPGRADE_FUZZ_KERNELS", 300);
  std::uint64_t run = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = random_program(seed);
    if (!is_supported(program.steps)) continue;
    ++run;
    const auto inputs = random_inputs(program, seed);
    const std::string text = kernel(program);
    INFO("seed " << seed << "\n" << text);
    const std::string difference =
        first_difference(program, run_on_virtual_gpu(text, program, inputs), interpret(program, inputs));
    REQUIRE(difference == "");
  }
  CHECK(run > count / 5);
}
