#!/usr/bin/env python3
"""Translates a kernel of a PTX file to C++ that runs one warp of 32 lanes (lanes.hpp): the native spike of
decisions/0034-native-code.md. Handles the instructions of the benchmark's kernels only, and full warps.

    translate.py FILE.ptx KERNEL [--plain] > KERNEL.cpp

The code is compiled with -DNATIVE_LEVEL=0 (bounds checks), 1 (and counters), or 2 (and the search for races and
unwritten memory). With --plain there are no scalars, and every access checks its own addresses, as in the interpreter.

- Blocks of instructions keep PTX's order. A branch that splits the warp adds the taken lanes to those that wait at its
  target; every block collects the lanes that wait there, so that the lanes meet at the immediate post-dominator.
- A register is a scalar if all its definitions are the same in all lanes and no lane can miss one that it needs.
- A block in which lanes can be inactive exists twice: for all 32 lanes, and with blending of registers that outlive it.
- Addresses that differ by constants from one register share the comparison of the lanes, the bounds and the counter.
"""

import re
import sys

TYPES = {"p": "Mask", "f": "F", "r": "U", "rd": "Q"}
SCALARS = {"p": "Mask", "f": "float", "r": "std::uint32_t", "rd": "std::uint64_t"}
BRANCHES = ("bra", "ret", "bar")


class Instruction:
    def __init__(self, text):
        guard = re.match(r"@(!?)(%p\d+)\s+", text)
        self.negated, self.guard = (guard.group(1) == "!", guard.group(2)) if guard else (False, None)
        body = text[guard.end():] if guard else text
        spelled, _, rest = body.partition(" ")
        self.spelled = spelled.strip()
        self.op = self.spelled.split(".")
        self.operands = [o.strip() for o in rest.split(",")] if rest.strip() else []
        writes = self.op[0] not in ("st", "bra", "ret", "bar")
        self.dst = self.operands[0] if writes else None
        self.srcs = self.operands[1:] if writes else self.operands

    def reads(self):
        named = [r for o in self.srcs for r in re.findall(r"%(?:p|f|rd|r)\d+", o)]
        return named + ([self.guard] if self.guard else [])

    def is_access(self):
        return self.op[0] in ("ld", "st") and self.op[1] in ("global", "shared")

    def flops(self):
        return {"fma.rn.f32": 2, "add.f32": 1}.get(self.spelled, 0)


class Block:
    def __init__(self, label=None):
        self.label, self.code, self.next, self.resumes = label, [], [], False
        self.live_in, self.live_out = set(), set()


def parse(path, kernel):
    """The kernel's parameters (name → offset), shared variables (name → offset) and blocks."""
    text = re.sub(r"//[^\n]*", "", open(path, encoding="utf-8").read())
    entry = re.search(r"\.entry " + kernel + r"\((.*?)\)\s*\{(.*?)\n\}", text, re.DOTALL)
    parameters, at = {}, 0
    for bits, name in re.findall(r"\.param \.u(\d+) (\w+)", entry.group(1)):
        size = int(bits) // 8
        at = (at + size - 1) // size * size
        parameters[name] = at
        at += size
    shared, shared_bytes = {}, 0
    for align, name, size in re.findall(r"\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\]", entry.group(2)):
        shared_bytes = (shared_bytes + int(align) - 1) // int(align) * int(align)
        shared[name] = shared_bytes
        shared_bytes += int(size)
    blocks = [Block()]
    for line in entry.group(2).replace(";", "\n").split("\n"):
        line = re.sub(r"\s+", " ", line.strip())
        if re.match(r"\$?\w+:$", line):
            blocks.append(Block(line[:-1]))
        elif line and line[0] != ".":
            instruction = Instruction(line)
            blocks[-1].code.append(instruction)
            if instruction.op[0] in BRANCHES:
                blocks.append(Block())
                blocks[-1].resumes = instruction.op[0] == "bar"
    # An empty block in front of a label falls through to it; the one after the last return is not reachable.
    merged = []
    for block in blocks:
        if block.code or block.label:
            merged.append(block)
    by_label = {b.label: i for i, b in enumerate(merged) if b.label}
    for i, block in enumerate(merged):
        last = block.code[-1] if block.code else None
        if last is not None and last.op[0] == "bra":
            block.next.append(by_label[last.srcs[0]])
        ends = last is not None and (last.op[0] == "ret" or (last.op[0] == "bra" and not last.guard))
        if not ends and i + 1 < len(merged):
            block.next.append(i + 1)
    return parameters, shared, shared_bytes, merged


def find_liveness(blocks):
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            out = set().union(*(blocks[n].live_in for n in block.next)) if block.next else set()
            live = set(out)
            for i in reversed(block.code):
                if i.dst and not i.guard:
                    live.discard(i.dst)
                live.update(i.reads())
            changed |= live != block.live_in or out != block.live_out
            block.live_in, block.live_out = live, out


def post_dominators(blocks):
    """Immediate post-dominators; len(blocks) is the end."""
    end = len(blocks)
    sets = [set(range(end + 1)) for _ in blocks] + [{end}]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(end)):
            new = {i} | set.intersection(*(sets[n] for n in (blocks[i].next or [end])))
            changed |= new != sets[i]
            sets[i] = new
    return [max(sets[i] - {i}, key=lambda d: len(sets[d])) for i in range(end)]


def region(blocks, branch, join):
    """Blocks in which lanes can be missing because of the branch."""
    seen, todo = set(), list(blocks[branch].next)
    while todo:
        b = todo.pop()
        if b != join and b not in seen:
            seen.add(b)
            todo += blocks[b].next
    return seen


def is_uniform_operand(operand, scalars):
    named = re.findall(r"%[\w.]+", operand)
    return all(n in scalars or n.startswith(("%ctaid", "%ntid", "%nctaid")) for n in named)


def find_scalars(blocks):
    """The registers that are scalars, and the blocks in which lanes can be missing."""
    scalars = {i.dst for b in blocks for i in b.code if i.dst}
    joins = post_dominators(blocks)
    while True:
        varying = {i.dst for b in blocks for i in b.code if i.dst and
                   (i.is_access() or not all(is_uniform_operand(o, scalars) for o in i.srcs))}
        partial = set()
        for n, block in enumerate(blocks):
            last = block.code[-1] if block.code else None
            if last is None or last.op[0] != "bra" or not last.guard or last.guard in scalars:
                continue
            inside = region(blocks, n, joins[n])
            if joins[n] < len(blocks) and [i.spelled for i in blocks[joins[n]].code] == ["ret"]:
                inside.add(joins[n])  # no lanes join at the end
            partial |= inside
            after = blocks[joins[n]].live_in if joins[n] < len(blocks) else set()
            defined = {i.dst for b in inside for i in blocks[b].code if i.dst}
            varying |= defined & (after | block.live_out)
        if not varying & scalars:
            return scalars, partial
        scalars -= varying


class Translator:
    def __init__(self, path, kernel, plain):
        self.kernel, self.plain = kernel, plain
        self.parameters, self.shared, self.shared_bytes, self.blocks = parse(path, kernel)
        find_liveness(self.blocks)
        self.scalars, self.partial = find_scalars(self.blocks)
        if plain:
            self.scalars = {r for r in self.scalars if self.kind(r) == "p"}  # still decides which branches are uniform
        self.registers = sorted({r for b in self.blocks for i in b.code for r in [i.dst, *i.reads()] if r})
        self.classes, self.groups, self.sites = 0, [], []
        accesses = [i for b in self.blocks for i in b.code if i.is_access()]
        self.number = {id(i): number for number, i in enumerate(accesses)}
        self.saved = self.place_saved()

    def kind(self, register):
        return re.match(r"%([a-z]+)", register).group(1)

    def type(self, register):
        return (SCALARS if register in self.scalars else TYPES)[self.kind(register)]

    def spelled(self, n):
        return [i.spelled for i in self.blocks[n].code]

    def place_saved(self):
        """Registers that are live at a barrier, with their places in Warp::saved."""
        places, at = {}, 0
        live = {r for b in self.blocks if b.resumes for r in b.live_in}
        sizes = {"p": 4, "f": 128, "r": 128, "rd": 256}
        for r in sorted(live):
            places[r], at = at, at + (64 if r in self.scalars else (sizes[self.kind(r)] + 63) // 64 * 64)
        self.saved_bytes = at
        return places

    # Operands.
    def scalar(self, operand, as_float=False):
        if operand.startswith("0f"):
            return f"std::bit_cast<float>({'0x' + operand[2:]}U)"
        special = re.match(r"%(ctaid|ntid|nctaid)\.([xyz])", operand)
        if special:
            return f"c.{special.group(1)}[{'xyz'.index(special.group(2))}]"
        if operand in self.shared:
            return f"{self.shared[operand]}U"
        if operand.startswith("%"):
            return operand[1:]
        return f"static_cast<std::uint32_t>({operand})"

    def value(self, operand, kind, vector):
        """An operand as a scalar, or as 32 lanes."""
        tid = re.match(r"%tid\.([xyz])", operand)
        if tid:
            return f"load_u(w.tid[{'xyz'.index(tid.group(1))}])"
        text = self.scalar(operand)
        if kind == "rd" and not operand.startswith("%"):
            text = f"static_cast<std::uint64_t>(std::int64_t{{{operand}}})"
        is_vector = operand.startswith("%") and not is_uniform_operand(operand, self.scalars)
        if vector and not is_vector and kind != "p":
            return f"{TYPES[kind]}({text})"
        return text

    def expression(self, i):
        op, kind = i.op, self.kind(i.dst)
        vector = i.dst not in self.scalars or not all(is_uniform_operand(o, self.scalars) for o in i.srcs)
        last = op[-1]
        wide = {"s32": "true", "u32": "false"}

        def of(n, k=kind):
            return self.value(i.srcs[n], k, vector)
        if op[0] in ("mov", "cvta"):
            return of(0)
        if op[0] == "ld" and op[1] == "param":
            offset = self.parameters[i.srcs[0].strip("[]")]
            word = f"*reinterpret_cast<const {SCALARS[kind]}*>(c.parameters + {offset})"
            return word if i.dst in self.scalars else f"{TYPES[kind]}({word})"
        if op[0] in ("add", "sub"):
            return f"{op[0]}({of(0)}, {of(1)})"
        if op[0] == "and":
            return f"bit_and({of(0)}, {of(1)})"
        if op[0] == "or" and last == "pred":
            return f"{of(0)} | {of(1)}"
        if op[0] == "shl":
            return f"shl({of(0)}, {of(1, 'r')})"
        if op[0] == "shr":
            return f"shr_{last[0]}({of(0)}, {of(1, 'r')})"
        if op[0] == "mul" and op[1] == "lo":
            return f"mul_lo({of(0)}, {of(1)})"
        if op[0] == "mul" and op[1] == "wide":
            return f"mul_wide<{wide[last]}>({of(0, 'r')}, {of(1, 'r')})"
        if op[0] == "mad" and op[1] == "lo":
            return f"add(mul_lo({of(0)}, {of(1)}), {of(2)})"
        if op[0] == "fma":
            return f"fma({of(0)}, {of(1)}, {of(2)})"
        if op[0] == "setp":
            vector = not all(is_uniform_operand(o, self.scalars) for o in i.srcs)
            a, b = (self.value(o, "r", vector) for o in i.srcs)
            sign = "u" if last == "u32" else "s"
            return {"eq": f"eq({a}, {b})", "ne": f"~eq({a}, {b})", "gt": f"gt_{sign}({a}, {b})", "lt": f"gt_{sign}({b}, {a})",
                    "ge": f"~gt_{sign}({b}, {a})", "le": f"~gt_{sign}({a}, {b})"}[op[1]]
        raise SystemExit(f"not in the spike: {i.spelled}")

    def emit_block(self, n, full):
        """The instructions of a block without its branch, for all lanes or for those in `mask`."""
        block, lines = self.blocks[n], []
        mask = "kAllLanes" if full else "mask"
        known = {}  # register → (class, expression of the first lane's address, constant offset)
        ranges, names = {}, [0]  # group → offsets of its accesses

        def name(prefix):
            names[0] += 1
            return f"{prefix}{n}{'f' if full else 'm'}_{names[0]}"

        def assign(register, expression):
            outlives = register in block.live_out or register in block.live_in
            if full or not outlives or register in self.scalars:
                lines.append(f"{register[1:]} = {expression};")
            else:
                lines.append(f"{register[1:]} = blend({'mask' if self.kind(register) == 'p' else 'on'}, {expression}, {register[1:]});")

        if not full:
            lines.append("const U on = lanes_of(mask);")
        for i in block.code:
            if i.op[0] in BRANCHES:
                continue
            if i.is_access():
                address = i.srcs[0]
                base, offset = re.match(r"\[(%?\w+)([+-]\d+)?\]", address).groups()
                offset = int(offset or 0)
                shared = i.op[1] == "shared"
                if base in self.shared:
                    offset, base = offset + self.shared[base], "0"
                if self.plain or base not in known:
                    k, first = self.classes, name("base")
                    self.classes += 1
                    lanes = self.value(base, "r" if shared else "rd", True) if base != "0" else "U(0U)"
                    lines.append(f"const std::uint64_t {first} = classify(c, {k}, {lanes}, {mask});")
                    known[base] = (k, first, 0)
                k, first, more = known[base]
                offset += more
                group = next((g for g in ranges if self.groups[g][:3] == (k, shared, first)), None)
                if group is None:
                    group = len(self.groups)
                    self.groups.append((k, shared, first))
                    ranges[group] = []
                    host = name("host")
                    self.groups[group] += (host,)
                    lines.append(("group", group))
                host = self.groups[group][3]
                ranges[group].append(offset)
                site = len(self.sites)
                self.sites.append((group, offset, i.op[0] == "st", self.number[id(i)]))
                at = f"c.classes[{k}], {host} + {offset}, {mask}"
                view = f"c.classes[{k}], {first} + {offset}"
                if i.op[0] == "ld":
                    load = f"load_words({at})"
                    if not shared:
                        load = f"(kCounts && (c.touched & c.groups[{group}].segment) != 0 ? load_from_view(c, {view}, {host} + {offset}) : {load})"
                    lines.append(f"if (kChecks && !check_load(c, w, {site}, {first} + {offset})) return Status::gives_up;")
                    assign(i.dst, f"as_f({load})" if self.kind(i.dst) == "f" else load)
                    known.pop(i.dst, None)
                else:
                    value = f"as_u({self.value(i.srcs[1], self.kind(i.srcs[1]), True)})"
                    lines.append(f"if (kChecks && !check_store(c, w, {site}, {first} + {offset}, {value})) return Status::gives_up;")
                    if shared:
                        lines.append(f"store_words({at}, {value});")
                    else:
                        lines.append(f"if (kCounts) store_to_view(c, c.groups[{group}].segment, {view}, {value}); else store_words({at}, {value});")
                continue
            derived = None
            if not self.plain and i.op[0] == "add" and i.srcs[0] in known and is_uniform_operand(i.srcs[1], self.scalars) and i.op[-1] != "f32":
                k, first, more = known[i.srcs[0]]
                if re.fullmatch(r"-?\d+", i.srcs[1]):
                    derived = (k, first, more + int(i.srcs[1]))
                else:
                    moved = name("base")
                    lines.append(f"const std::uint64_t {moved} = {first} + {self.scalar(i.srcs[1])};")
                    derived = (k, moved, more)
            assign(i.dst, self.expression(i))
            known.pop(i.dst, None)
            if derived:
                known[i.dst] = derived
        return [self.emit_group(line[1], ranges[line[1]]) if isinstance(line, tuple) else line for line in lines]

    def emit_group(self, group, offsets):
        k, shared, first, host = self.groups[group]
        low, high = min(offsets), max(offsets)
        assert all(o % 4 == 0 for o in offsets)
        fits = f"fits_shared(c, c.classes[{k}], {first}, {low}, {high})" if shared else \
            f"fits_global(c, {group}, c.classes[{k}], {first}, {low}, {high})"
        start = f"c.shared + {first}" if shared else f"c.groups[{group}].host + ({first} - c.groups[{group}].start)"
        return (f"if (!{fits}) [[unlikely]] return Status::gives_up;\n"
                f"  if (kCounts) c.groups[{group}].seen[{first} % 32] += 1;\n"
                f"  std::byte* const {host} = {start};")

    def emit_end(self, n):
        """The block's branch, return or barrier."""
        block = self.blocks[n]
        last = block.code[-1] if block.code else None
        partial = n in self.partial
        if last is None or last.op[0] not in BRANCHES:
            return []
        if last.op[0] == "ret":
            return ["w.live &= ~mask;", "mask = 0;"] if partial else ["return Status::ended;"]
        if last.op[0] == "bar":
            assert self.blocks[n + 1].resumes
            save = [f"*reinterpret_cast<{self.type(r)}*>(w.saved + {self.saved[r]}) = {r[1:]};"
                    for r in sorted(self.blocks[n + 1].live_in)]
            check = ["if (mask != w.live) return Status::gives_up;"] if partial else []
            return check + save + [f"w.resume = {n + 1};", "return Status::at_barrier;"]
        target = block.next[0]
        taken = f"{'~' if last.negated else ''}{last.guard[1:]}" if last.guard else "kAllLanes"
        if last.guard is None or last.guard in self.scalars:
            if not partial or target <= n:
                return [f"if ((mask & {taken}) != 0) goto B{target};"]
            return [f"if ((mask & {taken}) != 0) waiting{target} |= mask, mask = 0;"]
        lines = [f"const Mask taken = mask & {taken}, rest = mask & ~taken;",
                 f"if (kCounts && taken != 0 && rest != 0) c.tallies[{n}].diverged += 1;"]
        if self.spelled(target) == ["ret"]:  # the interpreter joins no lanes at the end
            return lines + [f"if (kCounts && taken != 0) c.tallies[{target}].warps += 1, "
                            f"c.tallies[{target}].threads += std::popcount(taken);", "w.live &= ~taken;", "mask = rest;"]
        if target > n:
            return lines + [f"waiting{target} |= taken;", "mask = rest;"]
        return lines + [f"waiting{n + 1} |= rest;", f"mask = taken;", f"if (taken != 0) goto B{target};"]

    def emit(self):
        out = [f"// Generated by translate.py from the kernel {self.kernel}. Blocks with missing lanes: {sorted(self.partial)}",
               '#include "lanes.hpp"', "namespace native {", "namespace {", "",
               "constexpr bool kCounts = NATIVE_LEVEL >= 1, kChecks = NATIVE_LEVEL >= 2;", "",
               "Status run(Context& c, Warp& w) {", "Mask mask = w.live;"]
        joins = {n for n in range(len(self.blocks)) if n in self.partial} | \
            {t for b in self.partial for t in self.blocks[b].next} | \
            {t for b in self.blocks if b.code and b.code[-1].guard and b.code[-1].guard not in self.scalars for t in b.next}
        out += [f"Mask waiting{n} = 0;" for n in sorted(joins)]
        out += [f"[[maybe_unused]] {self.type(r)} {r[1:]};" for r in self.registers]
        out += ["switch (w.resume) {", "case 0: break;"]
        out += [f"case {n}: goto R{n};" for n, b in enumerate(self.blocks) if b.resumes]
        out += ["}"]
        for n, block in enumerate(self.blocks):
            if block.resumes:
                out.append(f"R{n}:")
                out += [f"{r[1:]} = *reinterpret_cast<const {self.type(r)}*>(w.saved + {self.saved[r]});"
                        for r in sorted(block.live_in)]
            out.append(f"[[maybe_unused]] B{n}: {{")
            if n in joins:
                out += [f"mask |= waiting{n};", f"waiting{n} = 0;"]
            if n in self.partial:
                out.append(f"if (mask == 0) goto B{n + 1};")
            out += ["if (kCounts) {",
                    f"c.tallies[{n}].warps += 1;",
                    f"c.tallies[{n}].threads += {'std::popcount(mask)' if n in self.partial else '32'};",
                    f"c.budget -= {len(block.code)};", "if (c.budget < 0) [[unlikely]] return Status::gives_up;", "}"]
            if n in self.partial:
                out += ["if (mask == kAllLanes) {", *self.emit_block(n, True), "} else {", *self.emit_block(n, False), "}"]
            else:
                out += self.emit_block(n, True)
            out += self.emit_end(n) + ["}"]
        out += [f"[[maybe_unused]] B{len(self.blocks)}:", "return Status::ended;", "}", ""]
        out += ["constexpr BlockFacts kBlocks[] = {"]
        for block in self.blocks:
            last = block.code[-1] if block.code else None
            is_branch = last is not None and last.op[0] == "bra" and last.guard is not None
            out.append(f"{{{len(block.code)}, {sum(i.flops() for i in block.code)}, {str(is_branch).lower()}, "
                       f"{str(last is not None and last.op[0] == 'bar').lower()}}},")
        out += ["};", "constexpr GroupFacts kGroups[] = {"]
        out += [f"{{{g[0]}, {str(g[1]).lower()}}}," for g in self.groups]
        out += ["};", "constexpr Site kSites[] = {"]
        out += [f"{{{g}, {o}, {str(s).lower()}, {a}}}," for g, o, s, a in self.sites]
        out += ["};", "}", "}", "", 'extern "C" const native::Kernel kernel;',
                f"const native::Kernel kernel = {{native::run, {self.saved_bytes}, {self.shared_bytes}, {self.classes},"
                " native::kBlocks, std::size(native::kBlocks), native::kGroups, std::size(native::kGroups), native::kSites,"
                " std::size(native::kSites)};", ""]
        return "\n".join(out).replace('#include "lanes.hpp"', '#include <iterator>\n\n#include "lanes.hpp"')


if __name__ == "__main__":
    print(Translator(sys.argv[1], sys.argv[2], "--plain" in sys.argv[3:]).emit())
