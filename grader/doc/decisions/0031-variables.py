#!/usr/bin/env python3
"""The spike of decision 31: prints the variables of a file compiled with `nvcc -ptx -G`, with their registers.

    nvcc -ptx -G saxpy.cu -o saxpy.ptx && grader/doc/decisions/0031-variables.py saxpy.ptx

Reads DWARF 2 as nvcc writes it: 64-bit addresses, and registers as numbers whose bytes spell the name. Addresses are
labels of the PTX, which have no value here; only their places are kept.
"""
import re
import sys

SUBPROGRAM, PARAMETER, VARIABLE = 0x2E, 0x05, 0x34
NAME, LOCATION, LINE = 0x03, 0x02, 0x3B
OP_ADDR, OP_REGX = 0x03, 0x90  # DWARF 2, section 7.7
SIZES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8}


def section(ptx, name):
    """The bytes of a section, and the labels in it by the offset where they stand."""
    body = re.search(r"\.section\s+\." + name + r"\s*\{(.*?)\}", ptx, re.S)
    data, labels = bytearray(), {}
    for kind, values in re.findall(r"\.(b8|b16|b32|b64)\s+([^\n]+)", body[1] if body else ""):
        for value in values.split(","):
            value = value.strip()
            if not re.fullmatch(r"-?\d+", value):
                labels[len(data)] = value
                value = "0"
            data += (int(value) % 2 ** (8 * SIZES[kind])).to_bytes(SIZES[kind], "little")
    return bytes(data), labels


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def fixed(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def leb128(self):
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        end = self.data.index(0, self.at)
        start, self.at = self.at, end + 1
        return self.data[start:end].decode()

    def value(self, form):
        if form == 0x08:  # string
            return self.text()
        if form == 0x0A:  # block1: where it begins, and its length
            size = self.fixed(1)
            self.at += size
            return self.at - size, size
        if form == 0x0F:  # udata
            return self.leb128()
        return self.fixed({0x01: 8, 0x0B: 1, 0x0C: 1, 0x05: 2, 0x06: 4, 0x13: 4}[form])


def abbreviations(data):
    reader, found = Reader(data), {}
    while code := reader.leb128():
        tag, attributes = reader.leb128(), []
        reader.fixed(1)  # whether it has children
        while (pair := (reader.leb128(), reader.leb128())) != (0, 0):
            attributes.append(pair)
        found[code] = (tag, attributes)
    return found


def place(data, labels, location):
    """"register %f3", "parameter scale_param_0", or the first operation of anything else."""
    at, _ = location
    operation = data[at]
    if operation == OP_REGX:
        number = Reader(data, at + 1).leb128()
        return "register " + number.to_bytes((number.bit_length() + 7) // 8, "big").decode()
    if operation == OP_ADDR:
        return "parameter " + labels.get(at + 1, "?")
    return f"operation 0x{operation:02x}"


def variables(ptx):
    known = abbreviations(section(ptx, "debug_abbrev")[0])
    data, labels = section(ptx, "debug_info")
    reader, function = Reader(data, 11), ""  # the header of a unit: length, version, abbreviations, size of an address
    entries = []
    while reader.at < len(data):
        code = reader.leb128()
        if code == 0:
            continue
        tag, attributes = known[code]
        values = {name: reader.value(form) for name, form in attributes}
        if tag == SUBPROGRAM:
            function = values[NAME]
        if tag in (PARAMETER, VARIABLE) and LOCATION in values:
            entries.append((function, values[NAME], values[LINE], place(data, labels, values[LOCATION])))
    return entries


for function, name, line, where in variables(open(sys.argv[1]).read()):
    print(f"{function}: {name} (line {line}) in {where}")
