"""hwloc's XML as a machine: nodes without memory, version 1, and damaged files, which end no program."""
import os
import random
import re
import subprocess

from harness import BUILD, CliTest, environment, main

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
PLACES = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  printf("%d:", omp_get_num_places());
  for (int i = 0; i < omp_get_num_places(); i++) {
    int ids[64];
    omp_get_place_proc_ids(i, ids);
    printf(" %d+%d", ids[0], omp_get_place_num_procs(i));
  }
  puts("");
  return 0;
}
"""


def sets(cpus, v1=False):
    mask = hex(sum(1 << c for c in cpus))
    return f'cpuset="{mask}" complete_cpuset="{mask}" ' + ('online_cpuset="%s" allowed_cpuset="%s" ' % (mask, mask) if v1 else "") + \
        'nodeset="0x1" complete_nodeset="0x1"'


def core(i, v1=False):
    return f'<object type="Core" os_index="{i}" {sets([i], v1)} gp_index="{20 + i}">' \
           f'<object type="PU" os_index="{i}" {sets([i], v1)} gp_index="{40 + i}"/></object>'


def two_sockets(memories):
    """Version 2: sockets of four cores; memories: which of them have memory; "machine": all share one."""
    numa = '<object type="NUMANode" os_index="0" %s gp_index="9" local_memory="17179869184"/>'
    inside = numa % sets(range(8)) if memories == "machine" else ""
    for k in range(2):
        cpus = range(4 * k, 4 * k + 4)
        memory = numa % sets(cpus) if memories == "first" and k == 0 else ""
        inside += f'<object type="Package" os_index="{k}" {sets(cpus)} gp_index="{2 + k}">{memory}{"".join(map(core, cpus))}</object>'
    return f'{HEAD}<topology version="2.0"><object type="Machine" os_index="0" {sets(range(8))} allowed_cpuset="0xff" allowed_nodeset="0x1" ' \
           f'gp_index="1">{inside}</object></topology>\n'


def two_kinds():
    """Version 2: six CPUs, of which the last four are slower."""
    def kind(cpus, efficiency, name, mhz):
        return f'<cpukind cpuset="{hex(sum(1 << c for c in cpus))}" forced_efficiency="{efficiency}"><info name="CoreType" value="{name}"/>' \
               f'<info name="FrequencyMaxMHz" value="{mhz}"/></cpukind>'
    numa = f'<object type="NUMANode" os_index="0" {sets(range(6))} gp_index="9" local_memory="17179869184"/>'
    return f'{HEAD}<topology version="2.0"><object type="Machine" os_index="0" {sets(range(6))} allowed_cpuset="0x3f" allowed_nodeset="0x1" ' \
           f'gp_index="1"><object type="Package" os_index="0" {sets(range(6))} gp_index="2">{numa}{"".join(map(core, range(6)))}</object></object>' \
           f'{kind(range(2), 1, "IntelCore", 5200)}{kind(range(2, 6), 0, "IntelAtom", 3900)}</topology>\n'


def version_1():
    cores = "".join(core(i, True) for i in range(4))
    return HEAD.replace("hwloc2", "hwloc") + f'<topology><object type="Machine" os_index="0" {sets(range(4), True)} allowed_nodeset="0x1">' \
        f'<object type="NUMANode" os_index="0" {sets(range(4), True)} local_memory="1048576"><page_type size="4096" count="9"/>' \
        f'<object type="Socket" os_index="0" {sets(range(4), True)}><object type="Cache" cache_size="65536" depth="2" cache_linesize="64" ' \
        f'cache_associativity="8" cache_type="0" {sets(range(4), True)}>{cores}</object></object></object></object></topology>\n'


def damaged(text, rng):
    """One to four changes of the kinds that cut files, bad disks and editors make."""
    for _ in range(rng.randint(1, 4)):
        tags, attributes = list(re.finditer(r"<[^>]*>", text)), list(re.finditer(r' [a-z_]+="[^"]*"', text))
        kind = rng.randrange(7)
        if kind == 0 and attributes:  # an attribute is missing
            at = rng.choice(attributes)
            text = text[:at.start()] + text[at.end():]
        elif kind == 1 and attributes:  # another value
            at = rng.choice(attributes)
            value = rng.choice(["", "0", "-1", "0x0", "0xf...f", "4294967295", "99999999999999999999", "PU", "Machine", "x" * 300])
            text = text[:at.start()] + at.group().split('"')[0] + f'"{value}"' + text[at.end():]
        elif kind == 2 and tags:  # a tag is missing
            at = rng.choice(tags)
            text = text[:at.start()] + text[at.end():]
        elif kind == 3 and len(tags) > 1:  # a tag is somewhere else, too
            at, other = rng.choice(tags), rng.choice(tags)
            text = text[:at.start()] + other.group() + text[at.start():]
        elif kind == 4:
            text = text[:rng.randrange(len(text) + 1)]
        elif text:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice("\0\"<>&=0fF\x7f /") + text[at + 1:]
    return text


class Xml(CliTest):
    def setUp(self):
        super().setUp()
        self.app = self.compile(PLACES)

    def places(self, xml, kind):
        (self.folder / "m.xml").write_text(xml)
        done = self.einkorn("run", "--machine", "./m.xml", "--", self.app, env={"OMP_PLACES": kind})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def shown(self, xml):
        (self.folder / "m.xml").write_text(xml)
        done = self.einkorn("machine", "--machine", "./m.xml")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_node_without_memory_and_no_l3(self):
        xml = two_sockets("first")
        self.assertEqual(self.places(xml, "ll_caches"), "2: 0+4 4+4")
        self.assertEqual(self.places(xml, "sockets"), "2: 0+4 4+4")
        self.assertEqual(self.places(xml, "numa_domains"), "1: 0+8")
        text = self.shown(xml)
        self.assertIn("node 0, 16 GiB: 4 cores, CPUs 0-3\nsocket 1\n  no memory of its own; node 0 is the nearest: 4 cores, CPUs 4-7\n", text)
        self.assertEqual(self.places(two_sockets("machine"), "ll_caches"), "1: 0+8")

    def test_version_1(self):
        self.assertEqual(self.places(version_1(), "ll_caches"), "1: 0+4")
        self.assertEqual(self.places(version_1(), "cores"), "4: 0+1 1+1 2+1 3+1")

    def test_kinds_of_cores(self):
        text = " ".join(self.shown(two_kinds()).split())
        self.assertIn("of 2 kinds, the slowest first: CPUs 2-5 (IntelAtom, up to 3900 MHz); CPUs 0,1 (IntelCore, up to 5200 MHz)", text)
        alike = self.shown(two_kinds().replace("IntelAtom", "Intel\x7f"))
        self.assertIn("Intel?", alike)
        self.assertNotIn("kinds", self.shown(two_sockets("first")))

    def test_an_object_without_sets_ends_nothing(self):
        # hwloc 2.9 follows a null pointer there.
        xml = re.sub(r'(<object type="Package" os_index="0") cpuset="[^"]*" complete_cpuset="[^"]*"', r"\1", two_sockets("first"))
        (self.folder / "m.xml").write_text(xml)
        self.assert_survives()

    def assert_survives(self):
        tool = self.einkorn("machine", "--machine", "./m.xml")
        self.assertIn(tool.returncode, [0, 125], tool.stderr)
        self.assertEqual(tool.stderr.count("einkorn: "), tool.returncode != 0, tool.stderr)
        done = subprocess.run([self.app], capture_output=True, text=True, timeout=60, cwd=self.folder, env=environment(
            {"EINKORN_MACHINE": "./m.xml", "LD_LIBRARY_PATH": str(BUILD / "lib")}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("EINKORN_MACHINE is ignored" in done.stderr, tool.returncode != 0, done.stderr)

    def test_damaged_files_end_nothing(self):
        rng = random.Random(int(os.environ.get("SEED", "1")))
        for i in range(int(os.environ.get("FILES", "150"))):
            xml = damaged(rng.choice([two_sockets("first"), two_sockets("machine"), version_1(), two_kinds()]), rng)
            (self.folder / "m.xml").write_text(xml)
            with self.subTest(i=i, xml=xml):
                self.assert_survives()


if __name__ == "__main__":
    main()
