// Graphs built by hand: nodes, order, parameters, launches.

#include <string>

#include "base/files.hpp"
#include "cudart/client_program.hpp"

namespace graphs_test {

using testing::contains;
using testing::device_memory;
using Program = testing::ClientProgram;

namespace {

/// A graph and the handles of its nodes.
struct GraphOnValues {
  cudaGraph_t graph = nullptr;
  int* values = nullptr;
  cudaKernelNodeParams add_one{};
  void* arguments[1] = {&values};

  explicit GraphOnValues(Program& program) {
    values = static_cast<int*>(device_memory(64 * 4));
    REQUIRE(cudaMemset(values, 0, 64 * 4) == cudaSuccess);
    REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
    add_one.func = &program.add_one;
    add_one.gridDim = dim3(1);
    add_one.blockDim = dim3(64);
    add_one.kernelParams = arguments;
  }
  GraphOnValues(const GraphOnValues&) = delete;
  GraphOnValues& operator=(const GraphOnValues&) = delete;

  cudaGraphNode_t add_kernel(std::vector<cudaGraphNode_t> after = {}) {
    cudaGraphNode_t node = nullptr;
    REQUIRE(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &add_one) == cudaSuccess);
    return node;
  }
  cudaGraphExec_t executable() const {
    cudaGraphExec_t result = nullptr;
    REQUIRE(cudaGraphInstantiate(&result, graph, 0) == cudaSuccess);
    return result;
  }
  int first() const {
    int value = -1;
    CHECK(cudaMemcpy(&value, values, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    return value;
  }
};

void append_x(void* text) { *static_cast<std::string*>(text) += "x"; }

}  // namespace

TEST_CASE("every launch of a graph runs its kernels, copies, fills and host functions in order") {
  Program program;
  GraphOnValues made(program);
  int host = -1;
  std::string text;
  cudaGraphNode_t fill = nullptr, copy = nullptr, call = nullptr, empty = nullptr;
  const cudaMemsetParams to_seven{made.values, 0, 7, 4, 64, 1};
  REQUIRE(cudaGraphAddMemsetNode(&fill, made.graph, nullptr, 0, &to_seven) == cudaSuccess);
  const cudaGraphNode_t kernel = made.add_kernel({fill});
  REQUIRE(cudaGraphAddEmptyNode(&empty, made.graph, &kernel, 1) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNode1D(&copy, made.graph, &empty, 1, &host, made.values, 4,
                                   cudaMemcpyDeviceToHost) == cudaSuccess);
  const cudaHostNodeParams append{append_x, &text};
  REQUIRE(cudaGraphAddHostNode(&call, made.graph, &copy, 1, &append) == cudaSuccess);

  cudaGraphExec_t executable = made.executable();
  CHECK(cudaGraphDestroy(made.graph) == cudaSuccess);
  CHECK(host == -1);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(host == 8);
  CHECK(text == "xx");
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("launches of one executable graph follow each other in all streams") {
  Program program;
  GraphOnValues made(program);
  made.add_kernel();
  const cudaGraphExec_t executable = made.executable();
  cudaStream_t first = nullptr, second = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, first) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, second) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(made.first() == 2);
  const auto report = program.report();
  CHECK(report.stream_races.empty());
  CHECK(report.live.events == 0);
}

TEST_CASE("nodes without an order run at the same time, and later work waits for all of them") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t first = made.add_kernel();
  int* others = static_cast<int*>(device_memory(64 * 4));
  REQUIRE(cudaMemset(others, 0, 64 * 4) == cudaSuccess);
  made.arguments[0] = &others;
  const bool is_chain = GENERATE(true, false);
  made.add_kernel(is_chain ? std::vector{first} : std::vector<cudaGraphNode_t>{});
  const cudaGraphExec_t executable = made.executable();
  REQUIRE(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  REQUIRE(program.launch_add_one(others, 64) == cudaSuccess);
  CHECK(made.first() == 1);
  const auto report = program.report();
  CHECK(report.live.streams == 0);  // the streams of branches are not the program's
  const auto& timeline = report.timeline;
  std::vector<vgpu::TimedOperation> kernels;
  for (const auto& one : timeline)
    if (one.kind == vgpu::OperationKind::kernel) kernels.push_back(one);
  REQUIRE(kernels.size() == 3);
  CHECK((kernels[1].start_s < kernels[0].end_s) != is_chain);
  CHECK((kernels[1].stream == kernels[0].stream) == is_chain);
  CHECK(kernels[2].start_s >= std::max(kernels[0].end_s, kernels[1].end_s));
}

TEST_CASE("edges determine the order, and a cycle is refused") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t kernel = made.add_kernel();
  cudaGraphNode_t fill = nullptr;
  const cudaMemsetParams to_five{made.values, 0, 5, 4, 64, 1};
  REQUIRE(cudaGraphAddMemsetNode(&fill, made.graph, nullptr, 0, &to_five) == cudaSuccess);
  CHECK(cudaGraphAddDependencies(made.graph, &fill, &kernel, nullptr, 1) == cudaSuccess);
  CHECK(cudaGraphLaunch(made.executable(), nullptr) == cudaSuccess);
  CHECK(made.first() == 6);
  size_t count = 0;
  CHECK(cudaGraphGetNodes(made.graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 2);
  CHECK(cudaGraphGetEdges(made.graph, nullptr, nullptr, nullptr, &count) == cudaSuccess);
  CHECK(count == 1);
  cudaGraphNode_t roots[2] = {};
  count = 2;
  CHECK(cudaGraphGetRootNodes(made.graph, roots, &count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(roots[0] == fill);
  CHECK(cudaGraphAddDependencies(made.graph, &kernel, &fill, nullptr, 1) == cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, made.graph, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphRemoveDependencies(made.graph, &kernel, &fill, nullptr, 1) == cudaSuccess);
  CHECK(cudaGraphRemoveDependencies(made.graph, &kernel, &fill, nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroyNode(fill) == cudaSuccess);
  CHECK(cudaGraphLaunch(made.executable(), nullptr) == cudaSuccess);
  CHECK(made.first() == 7);
}

TEST_CASE("parameters of nodes are returned and changed, in the graph and in the executable graph") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t node = made.add_kernel();
  cudaGraphNodeType type{};
  CHECK(cudaGraphNodeGetType(node, &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeKernel);
  cudaKernelNodeParams reported{};
  REQUIRE(cudaGraphKernelNodeGetParams(node, &reported) == cudaSuccess);
  CHECK(reported.func == &program.add_one);
  CHECK(reported.blockDim.x == 64);
  CHECK(*static_cast<int**>(reported.kernelParams[0]) == made.values);

  cudaGraphExec_t executable = made.executable();
  int* other = static_cast<int*>(device_memory(64 * 4));
  REQUIRE(cudaMemset(other, 0, 64 * 4) == cudaSuccess);
  void* arguments[] = {&other};
  reported.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &reported) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 0);
  int value = 0;
  CHECK(cudaMemcpy(&value, other, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 1);
  CHECK(cudaGraphExecUpdate(executable, made.graph, nullptr) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 1);
  made.add_kernel({node});
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(executable, made.graph, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(cudaGraphMemcpyNodeSetParams1D(node, other, other, 4, cudaMemcpyDeviceToDevice) ==
        cudaErrorInvalidValue);
}

TEST_CASE("a graph is cloned, and is a node of another graph") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t first = made.add_kernel();
  made.add_kernel({first});
  cudaGraph_t copy = nullptr, outer = nullptr;
  cudaGraphNode_t in_copy = nullptr, child = nullptr;
  CHECK(cudaGraphClone(&copy, made.graph) == cudaSuccess);
  CHECK(cudaGraphNodeFindInClone(&in_copy, first, copy) == cudaSuccess);
  CHECK(in_copy != first);
  CHECK(cudaGraphCreate(&outer, 0) == cudaSuccess);
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, copy) == cudaSuccess);
  CHECK(cudaGraphAddChildGraphNode(&child, outer, &child, 1, made.graph) == cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, outer, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 4);
}

TEST_CASE("errors in a node are found when it is created") {
  Program program;
  GraphOnValues made(program);
  cudaGraphNode_t node = nullptr;
  int host = 0;
  CHECK(cudaGraphAddMemcpyNode1D(&node, made.graph, nullptr, 0, made.values, &host, 1000,
                                 cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  made.add_one.func = &program.missing;
  CHECK(cudaGraphAddKernelNode(&node, made.graph, nullptr, 0, &made.add_one) ==
        cudaErrorInvalidDeviceFunction);
  const cudaMemsetParams odd{made.values, 0, 7, 3, 4, 1};
  CHECK(cudaGraphAddMemsetNode(&node, made.graph, nullptr, 0, &odd) == cudaErrorInvalidValue);
  cudaGraphNode_t stranger = reinterpret_cast<cudaGraphNode_t>(0x30);
  CHECK(cudaGraphAddEmptyNode(&node, made.graph, &stranger, 1) == cudaErrorInvalidValue);
}

TEST_CASE("no node of a graph runs after a kernel that faulted") {
  Program program;
  GraphOnValues made(program);
  made.add_one.blockDim = dim3(128);
  const cudaGraphNode_t outside = made.add_kernel();
  std::string text;
  const cudaHostNodeParams append{append_x, &text};
  cudaGraphNode_t call = nullptr;
  REQUIRE(cudaGraphAddHostNode(&call, made.graph, &outside, 1, &append) == cudaSuccess);
  CHECK(cudaGraphLaunch(made.executable(), nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(text.empty());
}

TEST_CASE("nodes are added and changed with cudaGraphNodeParams") {
  Program program;
  GraphOnValues made(program);
  cudaGraphNodeParams fill{cudaGraphNodeTypeMemset}, kernel{cudaGraphNodeTypeKernel};
  fill.memset = {made.values, 0, 7, 4, 64, 1};
  kernel.kernel = {&program.add_one, dim3(1), dim3(64), 0, made.arguments, nullptr};
  cudaGraphNode_t first = nullptr, second = nullptr;
  REQUIRE(cudaGraphAddNode(&first, made.graph, nullptr, nullptr, 0, &fill) == cudaSuccess);
  REQUIRE(cudaGraphAddNode(&second, made.graph, &first, nullptr, 1, &kernel) == cudaSuccess);
  const cudaGraphExec_t executable = made.executable();
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 8);

  fill.memset.value = 20;
  CHECK(cudaGraphExecNodeSetParams(executable, first, &fill) == cudaSuccess);
  CHECK(cudaGraphExecNodeSetParams(executable, second, &fill) == cudaErrorInvalidValue);  // a kernel
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 21);

  fill.memset.value = 30;
  CHECK(cudaGraphNodeSetParams(first, &fill) == cudaSuccess);
  CHECK(cudaGraphLaunch(made.executable(), nullptr) == cudaSuccess);
  CHECK(made.first() == 31);

  cudaGraphNodeParams memory{cudaGraphNodeTypeMemAlloc};
  CHECK(cudaGraphAddNode(&first, made.graph, nullptr, nullptr, 0, &memory) == cudaErrorNotSupported);
  CHECK(program.report().unsupported == std::vector<std::string>{"a graph node of type 10"});
}

TEST_CASE("launches skip a disabled node until it is enabled again") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t first = made.add_kernel(), second = made.add_kernel({first});
  const cudaHostNodeParams host{append_x, nullptr};
  cudaGraphNode_t call = nullptr;
  REQUIRE(cudaGraphAddHostNode(&call, made.graph, nullptr, 0, &host) == cudaSuccess);
  REQUIRE(cudaGraphDestroyNode(call) == cudaSuccess);
  const cudaGraphExec_t executable = made.executable();
  unsigned enabled = 2;
  CHECK(cudaGraphNodeGetEnabled(executable, second, &enabled) == cudaSuccess);
  CHECK(enabled == 1);
  CHECK(cudaGraphNodeSetEnabled(executable, second, 0) == cudaSuccess);
  CHECK(cudaGraphNodeGetEnabled(executable, second, &enabled) == cudaSuccess);
  CHECK(enabled == 0);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 1);
  CHECK(cudaGraphNodeSetEnabled(executable, second, 1) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(made.first() == 3);
  CHECK(cudaGraphNodeSetEnabled(executable, call, 0) == cudaErrorInvalidValue);
}

TEST_CASE("copies to and from variables, and events of nodes, can be changed") {
  Program program;
  GraphOnValues made(program);
  const int five = 5, six = 6;
  int read = 0;
  cudaGraphNode_t to = nullptr, from = nullptr, record = nullptr;
  REQUIRE(cudaGraphAddMemcpyNodeToSymbol(&to, made.graph, nullptr, 0, &program.table, &five, 4, 0,
                                         cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNodeFromSymbol(&from, made.graph, &to, 1, &read, &program.table, 4, 0,
                                           cudaMemcpyDeviceToHost) == cudaSuccess);
  const cudaGraphExec_t executable = made.executable();
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, to, &program.table, &six, 4, 4,
                                                 cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, from, &read, &program.table, 4, 4,
                                                   cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(read == 6);

  cudaEvent_t one = nullptr, other = nullptr, found = nullptr;
  REQUIRE(cudaEventCreate(&one) == cudaSuccess);
  REQUIRE(cudaEventCreate(&other) == cudaSuccess);
  REQUIRE(cudaGraphAddEventRecordNode(&record, made.graph, nullptr, 0, one) == cudaSuccess);
  CHECK(cudaGraphEventRecordNodeSetEvent(record, other) == cudaSuccess);
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &found) == cudaSuccess);
  CHECK(found == other);
  CHECK(cudaGraphEventWaitNodeGetEvent(record, &found) == cudaErrorInvalidValue);
}

TEST_CASE("attributes of kernel nodes are stored, copied and cloned") {
  Program program;
  GraphOnValues made(program);
  const cudaGraphNode_t first = made.add_kernel(), second = made.add_kernel();
  cudaLaunchAttributeValue value{};
  value.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeCooperative, &value) == cudaSuccess);
  value = {};
  value.priority = -3;
  CHECK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributePriority, &value) == cudaSuccess);
  CHECK(cudaGraphKernelNodeSetParams(first, &made.add_one) == cudaSuccess);  // does not change attributes
  CHECK(cudaGraphKernelNodeCopyAttributes(second, first) == cudaSuccess);
  cudaGraph_t copy = nullptr;
  cudaGraphNode_t cloned = nullptr;
  REQUIRE(cudaGraphClone(&copy, made.graph) == cudaSuccess);
  REQUIRE(cudaGraphNodeFindInClone(&cloned, second, copy) == cudaSuccess);
  for (const cudaGraphNode_t node : {first, second, cloned}) {
    CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value) == cudaSuccess);
    CHECK(value.cooperative == 1);
    CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value) == cudaSuccess);
    CHECK(value.priority == -3);
  }
}

TEST_CASE("a graph is written for Graphviz") {
  Program program;
  GraphOnValues made(program);
  made.add_kernel({made.add_kernel()});
  const grader::TemporaryFolder folder("dot");
  const std::string file = folder.path() / "graph.dot";
  REQUIRE(cudaGraphDebugDotPrint(made.graph, file.c_str(), cudaGraphDebugDotFlagsVerbose) == cudaSuccess);
  const auto text = grader::read_file(file, 4096);
  REQUIRE(text);
  CHECK(text->starts_with("digraph dot {\n\"graph_1_node_0\" [label=\"KERNEL\\n"));
  CHECK_THAT(*text, contains("\\n<<<(1,1,1),(64,1,1)>>>\"];\n") &&
                        contains("\"graph_1_node_0\" -> \"graph_1_node_1\";\n}\n"));
  CHECK(cudaGraphDebugDotPrint(made.graph, (file + "/x").c_str(), 0) == cudaErrorOperatingSystem);
}

TEST_CASE("a user object lives until the program, the graphs and their executables have released it") {
  Program program;
  GraphOnValues made(program);
  std::string text;
  cudaUserObject_t object = nullptr;
  REQUIRE(cudaUserObjectCreate(&object, &text, append_x, 2, cudaUserObjectNoDestructorSync) == cudaSuccess);
  CHECK(cudaGraphRetainUserObject(made.graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess);
  CHECK(cudaUserObjectRelease(object, 2) ==
        cudaErrorInvalidValue);  // the graph has one of the references now
  CHECK(cudaUserObjectRelease(object) == cudaSuccess);
  const cudaGraphExec_t executable = made.executable();
  CHECK(cudaGraphDestroy(made.graph) == cudaSuccess);
  CHECK(text.empty());
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(text == "x");
  CHECK(cudaUserObjectRetain(object) == cudaErrorInvalidValue);
}

TEST_CASE("a capture into a graph continues after the given nodes") {
  Program program;
  GraphOnValues made(program);
  cudaGraphNode_t fill = nullptr;
  const cudaMemsetParams to_seven{made.values, 0, 7, 4, 64, 1};
  REQUIRE(cudaGraphAddMemsetNode(&fill, made.graph, nullptr, 0, &to_seven) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCaptureToGraph(stream, made.graph, &fill, nullptr, 1, cudaStreamCaptureModeGlobal) ==
          cudaSuccess);
  CHECK(program.launch_add_one(made.values, 64, stream) == cudaSuccess);
  cudaGraph_t captured = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &captured) == cudaSuccess);
  CHECK(captured == made.graph);
  CHECK(cudaGraphLaunch(made.executable(), stream) == cudaSuccess);
  CHECK(made.first() == 8);
}

}  // namespace graphs_test
