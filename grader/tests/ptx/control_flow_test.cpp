// Reconvergence, for control flow as compilers generate it, and compared with a slow but simple definition.

#include "vgpu/ptx/control_flow.hpp"

#include "base/random.hpp"
#include "ptx/ptx_text.hpp"
#include "vgpu/ptx/components.hpp"
#include "vgpu/ptx/dominators.hpp"

using namespace vgpu::ptx;
using testing::kernel;

namespace {

constexpr std::uint32_t kNone = ControlFlow::kNone;

ControlFlow flow_of(const Function& function) {
  auto flow = analyse(function);
  if (!flow) FAIL(flow.error().what);
  return *std::move(flow);
}

/// The reconvergence point of the instruction `branch`; each test numbers its labels by hand.
std::uint32_t reconvergence(std::string_view body, std::size_t branch) {
  return flow_of(kernel(body)).reconvergence.at(branch);
}

/// Nodes that `from` reaches without passing through `without`.
std::vector<bool> reachable(const Graph& graph, std::uint32_t from, std::uint32_t without) {
  std::vector<bool> result(graph.nodes());
  std::vector<std::uint32_t> pending;
  if (from != without) pending.push_back(from);
  while (!pending.empty()) {
    const std::uint32_t node = pending.back();
    pending.pop_back();
    if (result[node]) continue;
    result[node] = true;
    for (const std::uint32_t next : graph.successors(node)) {
      if (next != without) pending.push_back(next);
    }
  }
  return result;
}

std::vector<Edge> random_edges(grader::SplitMix64& random, std::uint32_t nodes) {
  std::vector<Edge> edges;
  const auto count = nodes + random.below(nodes);
  for (std::uint64_t i = 0; i < count; ++i) {
    edges.emplace_back(static_cast<std::uint32_t>(random.below(nodes)),
                       static_cast<std::uint32_t>(random.below(nodes)));
  }
  return edges;
}

}  // namespace

TEST_CASE("only guarded bra and brx.idx have a reconvergence point") {
  const ControlFlow flow = flow_of(kernel(R"(
    L: @%p1 bra M;
    add.s32 %r1, %r1, 1;
    bra.uni N;
    M: @%p2 ret;
    N: bra L;)"));
  CHECK(flow.reconvergence.at(0) != kNone);
  CHECK(flow.reconvergence.at(1) == kNone);
  CHECK(flow.reconvergence.at(2) == kNone);
  CHECK(flow.reconvergence.at(3) == kNone);
  CHECK(flow.reconvergence.at(4) == kNone);
  CHECK(flow.target == std::vector<std::uint32_t>{3, kNone, 4, kNone, 0});
}

TEST_CASE("the two sides of an if meet after it") {
  CHECK(reconvergence("@%p1 bra L; add.s32 %r1, %r1, 1; L: mov.b32 %r2, %r1; ret;", 0) == 2);
  CHECK(reconvergence(
            "@%p1 bra ELSE; mov.b32 %r1, 1; bra.uni END; ELSE: mov.b32 %r1, 2; END: mov.b32 %r2, 3; ret;",
            0) == 4);
}

TEST_CASE("nested ifs meet inside out") {
  constexpr std::string_view kNested = R"(
    @%p1 bra OUTER;
    @%p2 bra INNER;
    mov.b32 %r1, 1;
    INNER: mov.b32 %r2, 2;
    OUTER: mov.b32 %r3, 3;
    ret;)";
  CHECK(reconvergence(kNested, 1) == 3);
  CHECK(reconvergence(kNested, 0) == 4);
}

TEST_CASE("lanes that leave a loop wait after it for the others") {
  CHECK(reconvergence("LOOP: add.s32 %r1, %r1, 1; @%p1 bra LOOP; mov.b32 %r2, 1; ret;", 1) == 2);
  constexpr std::string_view kBreak = R"(
    LOOP: @%p1 bra END;
    @%p2 bra NEXT;
    mov.b32 %r1, 1;
    NEXT: @%p3 bra LOOP;
    END: mov.b32 %r2, 1;
    ret;)";
  CHECK(reconvergence(kBreak, 0) == 4);
  CHECK(reconvergence(kBreak, 1) == 3);
  CHECK(reconvergence(kBreak, 3) == 4);
}

TEST_CASE("a guarded branch marked uniform still has a reconvergence point") {
  CHECK(reconvergence("@%p1 bra.uni L; mov.b32 %r1, 1; L: mov.b32 %r2, 1; ret;", 0) == 2);
}

TEST_CASE("after an early return the remaining lanes reconverge") {
  const std::string leave =
      GENERATE("@%p2 ret;", "@%p2 exit;", "@%p2 bra OUT;", "@!%p2 bra STAY; bra.uni OUT; STAY:",
               "@!%p2 bra STAY; ret; STAY:", "@!%p2 bra STAY; bra HOP; HOP: bra OUT; STAY:");
  CAPTURE(leave);
  const Function function =
      kernel("@%p1 bra L; mov.b32 %r1, 1;" + leave + "mov.b32 %r1, 2;" + "L: mov.b32 %r2, 1; OUT: ret;");
  const auto join = static_cast<std::uint32_t>(function.code.size() - 2);  // L
  CHECK(flow_of(function).reconvergence.at(0) == join);
  const auto early = flow_of(function).reconvergence.at(2);
  if (function.code[2].opcode == Opcode::bra) CHECK(early == join - 1);
}

TEST_CASE("if all lanes leave, they meet at the end") {
  CHECK(reconvergence("@%p1 bra L; ret; L: exit;", 0) == 3);
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; ret; L: mov.b32 %r1, 2; ret;", 0) == 5);
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; ret; L:", 0) == 1);
  // if (p1) { r1 = 2; return; } r1 = 1;
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; bra OUT; L: mov.b32 %r1, 2; OUT: ret;", 0) == 5);
}

TEST_CASE("a trap ends its lanes") {
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; trap; L: mov.b32 %r2, 1; ret;", 0) == 5);
  CHECK(reconvergence("@%p1 bra L; @%p2 trap; L: mov.b32 %r2, 1; ret;", 0) == 2);
}

TEST_CASE("branches in a loop without an exit still meet, at its head at the latest") {
  CHECK(reconvergence("L: bra L; @%p1 bra L;", 1) == 2);
  CHECK(reconvergence("L: @%p1 bra L; bra L;", 0) == 0);
  CHECK(reconvergence("L: @%p1 bra M; mov.b32 %r1, 1; M: mov.b32 %r1, 2; bra L;", 0) == 2);
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; ret; L: bra L;", 0) == 4);
}

TEST_CASE("in a loop with no exit but returns, lanes meet in each iteration") {
  // while (true) { if (p1) r1 = 1; barrier; if (p2) return; if (p3) { r2 = 2; if (p4) continue; r2 = 3; } }
  constexpr std::string_view kLoop = R"(
    bra.uni HEAD;
    NEXT: add.s32 %r1, %r1, 1;
    HEAD: @%p1 bra SYNC;
    mov.b32 %r1, 1;
    SYNC: bar.sync 0;
    @%p2 bra OUT;
    @!%p3 bra NEXT;
    mov.b32 %r2, 2;
    @%p4 bra NEXT;
    mov.b32 %r2, 3;
    bra.uni NEXT;
    OUT: ret;)";
  CHECK(reconvergence(kLoop, 2) == 4);
  CHECK(reconvergence(kLoop, 6) == 1);
  CHECK(reconvergence(kLoop, 8) == 1);
  // while (barrier, !p1) if (p2) r1 = 1;
  constexpr std::string_view kLastIf = R"(
    bra.uni HEAD;
    BODY: mov.b32 %r1, 1;
    HEAD: bar.sync 0;
    @%p1 bra OUT;
    @!%p2 bra HEAD;
    bra.uni BODY;
    OUT: ret;)";
  CHECK(reconvergence(kLastIf, 4) == 2);
  constexpr std::string_view kInnerLoop = R"(
    OUTER: @%p1 bra SYNC;
    INNER: add.s32 %r1, %r1, 1;
    @%p2 bra INNER;
    SYNC: bar.sync 0;
    @%p3 bra OUTER;
    ret;)";
  CHECK(reconvergence(kInnerLoop, 0) == 3);
  CHECK(reconvergence(kInnerLoop, 2) == 3);
}

TEST_CASE("lanes in a kernel's last loop do not wait for lanes that run statements and leave") {
  // do { if (!p1) { if (p2) { r2 = 1; return; } r1 = 1; } barrier; if (p3) { r2 = 2; return; } } while (p4);
  const auto loop = [](const std::string& barrier, const std::string& own, const std::string& end = "") {
    return "HEAD: @%p1 bra SYNC; @%p2 bra BAD; mov.b32 %r1, 1; SYNC: " + barrier +
           " @%p3 bra WORSE; @%p4 bra HEAD; " + end + " bra.uni OUT; BAD: " + own +
           " bra.uni OUT; WORSE: mov.b32 %r2, 2; OUT: ret;";
  };
  const std::string barrier = GENERATE("bar.sync 0;", "shfl.sync.down.b32 %r3|%p5, %r3, 1, 31, -1;");
  const std::string last = loop(barrier, "mov.b32 %r2, 1;");
  CHECK(reconvergence(last, 0) == 3);
  CHECK(reconvergence(last, 1) == 2);
  CHECK(reconvergence(last, 4) == 5);
  const std::string guarded_return = loop(barrier, "mov.b32 %r2, 1;", "@%p5 ret; bra.uni HEAD;");
  CHECK(reconvergence(guarded_return, 0) == 3);
}

TEST_CASE("the lanes of a loop meet in the code after it, even if some of them return") {
  // do { if (p1) return; if (p2) break; barrier; } while (p3); then what follows
  const auto loop = [](const std::string& leave, const std::string& barrier, const std::string& rest) {
    return "HEAD: " + leave + " @%p2 bra REST; " + barrier + " @%p3 bra HEAD; REST: " + rest + " OUT: ret;";
  };
  const std::string leave = "@%p1 bra OUT;";
  const std::string barrier = "bar.sync 0;";
  CHECK(reconvergence(loop("", barrier, "mov.b32 %r2, 1;"), 0) == 3);
  CHECK(reconvergence(loop(leave, "", "mov.b32 %r2, 1;"), 1) == 3);
  CHECK(reconvergence(loop("@%p1 trap;", barrier, "mov.b32 %r2, 1;"), 1) == 4);
  CHECK(reconvergence(loop(leave, barrier, "bar.sync 0; mov.b32 %r2, 1;"), 1) == 4);
}

TEST_CASE("the last branch of a kernel's last loop needs no join") {
  CHECK(reconvergence("L: mov.b32 %r1, 1; @%p1 bra L; ret;", 1) == 3);
}

TEST_CASE("unreachable code changes nothing") {
  CHECK(reconvergence("@%p1 bra L; mov.b32 %r1, 1; bra L; @%p2 bra M; bra N; L: mov.b32 %r2, 1; M: mov.b32 "
                      "%r3, 1; N: ret;",
                      0) == 5);
}

TEST_CASE("the targets of an indexed branch meet after all of them") {
  constexpr std::string_view kSwitch = R"(
    list: .branchtargets A, B, C, A;
    unused: .branchtargets A;
    brx.idx %r1, list;
    A: mov.b32 %r1, 1;
    bra END;
    B: mov.b32 %r1, 2;
    C: mov.b32 %r1, 3;
    END: mov.b32 %r2, 1;
    ret;)";
  const ControlFlow flow = flow_of(kernel(kSwitch));
  CHECK(flow.reconvergence.at(0) == 5);
  CHECK(flow.target.at(0) == 0);
  CHECK(flow.branch_lists.at(0) == std::vector<std::uint32_t>{1, 3, 4, 1});
}

TEST_CASE("indexed branches can be guarded, leave, and have one target") {
  CHECK(reconvergence(
            "list: .branchtargets A, B; @%p1 brx.idx %r1, list; A: mov.b32 %r1, 1; B: mov.b32 %r1, 2; ret;",
            0) == 2);
  CHECK(reconvergence("list: .branchtargets A, OUT; brx.idx %r1, list; A: mov.b32 %r1, 1; OUT: ret;", 0) ==
        1);
  CHECK(reconvergence("list: .branchtargets OUT; brx.idx %r1, list; mov.b32 %r1, 1; OUT: ret;", 0) == 3);
}

TEST_CASE("functions without code, and labels at the end, are analysed") {
  CHECK(flow_of(kernel("")).reconvergence.empty());
  CHECK(reconvergence("mov.b32 %r1, 1; @%p1 bra END; mov.b32 %r1, 2; END:", 1) == 2);
}

TEST_CASE("branches without a valid target are errors with their line") {
  const auto error = [](std::string_view body) {
    const auto flow = analyse(kernel(body));
    REQUIRE_FALSE(flow);
    return flow.error();
  };
  CHECK(error("\nbra kernel;").what == "bra goes to 'kernel', which is not a label of this function");
  CHECK(error("\nbra.uni kernel;").ptx_line == 6);
  CHECK(error("bra %r1;").what == "bra needs a label as operand 1");
  CHECK(error("L: brx.idx %r1, L;").what ==
        "brx.idx goes to 'L', which is not a list of branch targets of this function");
  CHECK(error("brx.idx %r1;").what == "brx.idx needs a list of branch targets as operand 2");
  CHECK_THAT(error("list: .branchtargets kernel;").what,
             testing::contains("'kernel' in the list 'list' is not a label"));
}

TEST_CASE("immediate dominators are those of the definition, on random graphs") {
  grader::SplitMix64 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(24));
    const std::vector<Edge> edges = random_edges(random, nodes);
    const Graph graph(nodes, edges);
    const auto found = immediate_dominators(nodes, edges, 0);
    const auto reached = reachable(graph, 0, kNoNode);
    // d dominates v: v is reachable, but not without d.
    std::vector<std::vector<bool>> reached_without;
    for (std::uint32_t d = 0; d < nodes; ++d) reached_without.push_back(reachable(graph, 0, d));
    const auto dominates = [&](std::uint32_t d, std::uint32_t v) {
      return reached[v] && !reached_without[d][v];
    };
    for (std::uint32_t v = 0; v < nodes; ++v) {
      if (v == 0 || !reached[v]) {
        CHECK(found[v] == kNoNode);
        continue;
      }
      REQUIRE(found[v] != v);
      REQUIRE(dominates(found[v], v));
      for (std::uint32_t d = 0; d < nodes; ++d) {
        if (d != v && dominates(d, v)) REQUIRE(dominates(d, found[v]));
      }
    }
  }
}

TEST_CASE("components are those of the definition and follow those that they lead to, on random graphs") {
  grader::SplitMix64 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(16));
    const Graph graph(nodes, random_edges(random, nodes));
    std::vector<std::vector<bool>> ways;
    for (std::uint32_t node = 0; node < nodes; ++node) ways.push_back(reachable(graph, node, kNoNode));
    std::vector<int> components_of(nodes);
    std::vector<std::uint32_t> before;
    for (const Component& component : components(graph)) {
      const std::uint32_t head = component.front();
      std::vector<bool> members(nodes);
      for (const std::uint32_t node : component) {
        members[node] = true;
        ++components_of[node];
      }
      for (std::uint32_t node = 0; node < nodes; ++node)
        REQUIRE(members[node] == (ways[head][node] && ways[node][head]));
      for (const std::uint32_t earlier : before) REQUIRE_FALSE(ways[earlier][head]);
      before.push_back(head);
    }
    REQUIRE(components_of == std::vector<int>(nodes, 1));
  }
}
