"""A grain file as docs/grain-file.md describes it: header, blocks, codecs, records. The codecs' code is taken from that page."""
import ctypes
import ctypes.util
import json
import re
import struct
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "grain-file.md"
FILE_HEADER, BLOCK_HEADER = struct.Struct("<8sIIQQQ24x"), struct.Struct("<4sHHIIIIQQQ")
ANCHOR, MODULE = struct.Struct("<QQQQ"), struct.Struct("<QQQ32sII")
SITE, THREAD = struct.Struct("<IHHQQII"), struct.Struct("<IIIIQ")
SOURCE_LINE, SOURCE_TEXT = struct.Struct("<IIQQIIII"), struct.Struct("<IIII")
(META, ANCHORS, MODULES, SITES, THREADS, EVENTS, END), TEXTS, GRAPHS, LINES = range(1, 8), 22, 24, 27
CONSTRUCTS = ("unknown parallel task taskloop taskwait taskgroup taskyield barrier barrier_workshare "
              "barrier_parallel loop sections single masked critical lock nest_lock ordered atomic reduction scope "
              "teams target cancel codelet codelet_graph stretch allocation variable").split()
UNDEFERRED, FINAL, UNTIED, MERGEABLE, INCLUDED, INLINED, HAS_DEPEND, DETACH, OF_CLANG, NOWAIT = (1 << i for i in range(10))


def code_of_page():
    """unpack, expand and FURTHER, as they are printed there."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(compile(block, str(PAGE), "exec"), names)
    return names


CODE = code_of_page()
FURTHER = CODE["FURTHER"]


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)  # 0x1edc6f41, reflected
        table.append(value)
    return table


CRC = crc32c_table()


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value = value >> 8 ^ CRC[(value ^ byte) & 255]
    return value ^ 0xffffffff


ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd"))
ZSTD.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t


def unzstd(data):
    size = ZSTD.ZSTD_getFrameContentSize(data, ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(size or 1)
    got = ZSTD.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, "a zstd frame that does not say its size, or is damaged"
    return out.raw[:size]


class Site:
    def __init__(self, construct, flags, function, return_address):
        self.construct, self.flags = CONSTRUCTS[construct], flags
        self.function, self.return_address = function, return_address


NO_SITE = Site(0, 0, 0, 0)


class CodeletGraph:
    """Who follows each node; the classes are (site, first node)."""

    def __init__(self, nodes):
        self.nodes, self.follow, self.classes = nodes, [], []

    def site_of(self, node):
        return [site for site, first in self.classes if first <= node][-1]

    def order(self):
        """Each node after all that it waits for: first those that wait for nobody, ascending, then as they become ready."""
        left = [0] * self.nodes
        for follow in self.follow:
            for node in follow:
                left[node] += 1
        order = [n for n in range(self.nodes) if not left[n]]
        for node in order:
            for after in self.follow[node]:
                left[after] -= 1
                if not left[after]:
                    order.append(after)
        return order


NO_GRAPH = CodeletGraph(0)  # of a run whose graph is not described: its codelets are only counted


class Stream:
    """One thread. Its records are (ticks, kind, payload, further words)."""

    def __init__(self, index, os_tid, is_initial, begin):
        self.index, self.os_tid, self.is_initial, self.begin = index, os_tid, bool(is_initial), begin
        self.records = []
        self.blocks = self.created = 0


class GrainFile:
    def __init__(self, path):
        data = Path(path).read_bytes()
        magic, self.version, at, self.nominal_rate, self.session, self.process = FILE_HEADER.unpack_from(data)
        assert magic == b"EINKORN\n" and self.version in (4, 5, 6, 7, 8, 9, 10, 11)
        self.meta, self.end, self.anchors, self.modules, self.sites, self.streams = None, None, [], [], {0: NO_SITE}, {}
        self.graphs, self.blocks = {}, 0
        self.lines, self.access_lines = {}, {}  # by site, by address: (file, line, function, module, frames)
        self.texts = {}  # by file and line
        while at < len(data):
            assert self.end is None, "a block behind the end"
            at = self.block(data, at)
        assert self.end is not None, "no end block"
        assert self.end.get("blocks", self.blocks) == self.blocks, "a block is missing"
        first, last = self.anchors[0], self.anchors[-1]
        self.begin, self.rate = first[0], (10**9, self.nominal_rate)  # ns in so many ticks
        passed, doubt = last[1] - first[1], first[3] + last[3] + 100
        if doubt < passed * 1e-5 and abs((last[0] - first[0]) / passed * 1e9 / self.nominal_rate - 1) < 1e-3:
            self.rate = (passed, last[0] - first[0])
        self.finish = self.ns(max(last[0], *(s.records[-1][0] for s in self.streams.values() if s.records)))

    def ns(self, ticks):
        """Since the recording began, in whole ns."""
        return max(0, (ticks - self.begin) * self.rate[0] // self.rate[1])

    def block(self, data, at):
        (magic, kind, codec, stored, raw, checksum, thread, sequence, first_tick,
         first_serial) = BLOCK_HEADER.unpack_from(data, at)
        self.blocks += 1
        payload = data[at + BLOCK_HEADER.size:at + BLOCK_HEADER.size + stored]
        header = data[at:at + 16] + bytes(4) + data[at + 20:at + BLOCK_HEADER.size]
        assert magic == b"1GRN" and crc32c(header + payload) == checksum, f"damaged block at {at}"
        if kind == EVENTS:
            words = self.words(codec, payload, raw)
            stream = self.streams[thread]
            assert first_serial == stream.created, f"a task of thread {thread} is lost"
            assert sequence == stream.blocks, f"a block of thread {thread} is lost"
            stream.blocks += 1
            fresh = list(records(words, first_tick))
            stream.records += fresh
            stream.created += sum(kind in (9, 10, 42) for _, kind, _, _ in fresh)
        else:
            self.other(kind, unzstd(payload) if codec == 1 else payload)
        return at + (BLOCK_HEADER.size + stored + 7) // 8 * 8

    @staticmethod
    def words(codec, payload, raw):
        if codec == 4:
            return CODE["expand"](payload)
        if codec in (1, 3):
            payload = unzstd(payload)
        if codec in (2, 3):
            return CODE["unpack"](payload, raw // 8)
        return list(struct.unpack(f"<{raw // 8}Q", payload))

    def other(self, kind, data):
        at = 0
        if kind == META:
            self.meta = json.loads(data)
        elif kind == END:
            self.end = json.loads(data)
        elif kind == ANCHORS:
            self.anchors += ANCHOR.iter_unpack(data)
        elif kind == THREADS:
            index, os_tid, is_initial, _, begin = THREAD.unpack_from(data)
            self.streams[index] = Stream(index, os_tid, is_initial, begin)
        while at < len(data) and kind == GRAPHS:
            number, nodes, first, count, arcs, classes, name, _ = struct.unpack_from("<8I", data, at)
            graph = self.graphs.setdefault(number, CodeletGraph(nodes))
            assert len(graph.follow) == first
            at += 32
            graph.classes = [struct.unpack_from("<2I", data, at + 8 * i) for i in range(classes)]
            at += 8 * classes + (name + 3) // 4 * 4
            begins = struct.unpack_from(f"<{count + 1}I", data, at)
            at += 4 * (count + 1)
            graph.follow += [struct.unpack_from(f"<{e - b}I", data, at + 4 * b) for b, e in zip(begins, begins[1:])]
            at += 4 * arcs
        def text(size):
            nonlocal at
            at += size
            return data[at - size:at].decode()

        while at < len(data) and kind == LINES:
            site, line, address, _, *sizes = SOURCE_LINE.unpack_from(data, at)
            at += SOURCE_LINE.size
            file, function, module, frames = (text(size) for size in sizes)
            assert (site in self.sites) != bool(address), "neither a site nor an access"
            where = self.lines if site else self.access_lines
            where[site or address] = file, line, function, module, frames.split("\0")[:-1]
        while at < len(data) and kind == TEXTS:
            first, lines, *sizes = SOURCE_TEXT.unpack_from(data, at)
            at += SOURCE_TEXT.size
            file, rows = (text(size) for size in sizes)
            assert rows.count("\n") == lines
            self.texts |= {(file, first + i): row for i, row in enumerate(rows.split("\n")[:-1])}
        while at < len(data) and kind in (MODULES, SITES):
            if kind == MODULES:
                base, begin, end, _, _, size = MODULE.unpack_from(data, at)
                at += MODULE.size
                self.modules.append((base, begin, end, data[at:at + size].decode()))
            else:
                number, construct, flags, function, return_address, size, _ = SITE.unpack_from(data, at)
                at += SITE.size
                self.sites[number] = Site(construct, flags, function, return_address)
            at += size

    def place(self, address):
        """Module and address in it."""
        for base, begin, end, path in reversed(self.modules):
            if begin <= address < end:
                return path, address - base
        return None


def records(words, ticks):
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        kind, payload = word & 63, word >> 32
        if kind > 55:
            return  # its length is unknown
        count = 3 * payload if kind == 33 else (payload & 255).bit_count() if kind == 53 else FURTHER.get(kind, 0)
        further = words[at:at + count]
        at += count
        ticks = further[0] if kind == 1 else ticks + (word >> 6 & (1 << 26) - 1)
        if kind > 1:
            yield ticks, kind, payload, further


def rewrite(data, changes):
    """A recording's bytes with some kinds of blocks changed; change: kind -> (payload -> payload)."""
    out, at = [data[:FILE_HEADER.size]], FILE_HEADER.size
    while at < len(data):
        header = list(BLOCK_HEADER.unpack_from(data, at))
        _, kind, codec, stored = header[:4]
        payload = data[at + BLOCK_HEADER.size:at + BLOCK_HEADER.size + stored]
        at += (BLOCK_HEADER.size + stored + 7) // 8 * 8
        if kind in changes:
            payload = changes[kind](unzstd(payload) if codec == 1 else payload)
            header[2:6] = 0, len(payload), len(payload), 0
            header[5] = crc32c(BLOCK_HEADER.pack(*header) + payload)
        block = BLOCK_HEADER.pack(*header) + payload
        out.append(block + bytes(-len(block) % 8))
    return b"".join(out)
