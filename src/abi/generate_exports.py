#!/usr/bin/env python3
"""Makes the version script and the stubs of the runtime library.

usage: generate_exports.py exports.txt version-script.map stubs.c GLIBC_NODE OBJECT...

A name in exports.txt that some OBJECT defines is exported under its default version node; a name that none defines gets
a stub that stops the program with a message. Names with several nodes (omp_get_thread_num@@OMP_1.0 and @VERSION) get a
one-jump alias for each further node: the linker gives a symbol one version, and a script cannot name a symbol twice.
NODE=FUNCTION: under that node the name is another function of ours. GLIBC_NODE: the version of the C library's first
symbols on this architecture (signals.cpp).
"""
import subprocess
import sys

# Order of inheritance; what both real libraries define, and the nodes of later libgomps.
NODES = [
    "OMP_1.0", "OMP_2.0", "OMP_3.0", "OMP_3.1", "OMP_4.0", "OMP_4.5", "OMP_5.0", "OMP_5.0.1", "OMP_5.0.2", "OMP_5.1",
    "OMP_5.1.1", "OMP_5.2", "OMP_6.0", "GOMP_1.0", "GOMP_2.0", "GOMP_3.0", "GOMP_4.0", "GOMP_4.0.1", "GOMP_4.5", "GOMP_5.0",
    "GOMP_5.0.1", "GOMP_5.1", "GOMP_5.1.1", "GOMP_5.1.2", "GOMP_5.1.3", "GOMP_6.0", "GOMP_6.0.1", "OACC_2.0", "OACC_2.0.1",
    "OACC_2.5", "OACC_2.5.1", "OACC_2.6", "OACC_2.6.1", "GOACC_2.0", "GOACC_2.0.1", "GOACC_2.0.2", "GOMP_PLUGIN_1.0",
    "GOMP_PLUGIN_1.1", "GOMP_PLUGIN_1.2", "GOMP_PLUGIN_1.3", "GOMP_PLUGIN_1.4", "VERSION",
    "EINKORN_1.0",  # the extension, include/ompx_locality.h
]

# A jump that leaves all registers alone; and the passing of the string at 1f, from an entry whose stack may be unaligned.
MACHINE_CODE = r'''
#if defined(__x86_64__)
#define JUMP "jmp"
#define TELL "leaq 1f(%rip), %rdi\nandq $-16, %rsp\ncall einkorn_unsupported_symbol"
#elif defined(__aarch64__)
#define JUMP "hint #34\nb" /* bti c */
#define TELL "hint #34\nadrp x0, 1f\nadd x0, x0, :lo12:1f\nbl einkorn_unsupported_symbol"
#elif defined(__riscv)
#define JUMP "tail"
#define TELL "lla a0, 1f\ncall einkorn_unsupported_symbol"
#endif
'''


def read_exports(path):
    """{name: nodes}, {(name, node): the function that it is there}"""
    exports, others = {}, {}
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if words:
            exports[words[0]] = [word.partition("=")[0] for word in words[1:]]
            others.update({(words[0], word.partition("=")[0]): word.partition("=")[2] for word in words[1:] if "=" in word})
    return exports, others


def defined_names(objects):
    out = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", *objects],
                         check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in out.splitlines() if line.strip() and not line.endswith(":")}


def main():
    exports_path, map_path, stubs_path, glibc, *objects = sys.argv[1:]
    NODES.append(glibc)
    exports, others = read_exports(exports_path)
    defined = defined_names(objects)
    missing = sorted({function for function in others.values() if function not in defined})
    if missing:
        sys.exit(f"generate_exports.py: exports.txt names functions that are not there: {missing}")
    unknown = {n for nodes in exports.values() for n in nodes} - set(NODES)
    if unknown:
        sys.exit(f"generate_exports.py: no place in the order for version nodes {sorted(unknown)}")

    # The linker would take `local: *` of a node for the aliases in that node too: it goes where there are none.
    further = {node for nodes in exports.values() for node in nodes[1:]}
    quiet = next(node for node in NODES if node not in further)
    by_node = {node: [] for node in NODES}
    for name, nodes in exports.items():
        by_node[nodes[0]].append(name)
    with open(map_path, "w", encoding="utf-8") as f:
        for node in NODES:
            f.write(f"{node} {{\n")
            if by_node[node]:
                f.write("  global:\n" + "".join(f"    {n};\n" for n in sorted(by_node[node])))
            if node == quiet:
                f.write("  local: *;\n")
            f.write("};\n")

    with open(stubs_path, "w", encoding="utf-8") as f:
        f.write("/* Made by generate_exports.py from exports.txt: aliases of further version nodes, stubs of what is not\n"
                "   served. A stub passes its own name to einkorn_unsupported_symbol(). */\n")
        f.write("void einkorn_unsupported_symbol(const char *);\n")
        f.write(MACHINE_CODE)
        for name, nodes in sorted(exports.items()):
            if name not in defined:
                f.write(f'__asm__(".text\\n.globl {name}\\n.type {name},@function\\n{name}:\\n'
                        f'.cfi_startproc\\n" TELL "\\n'
                        f'.cfi_endproc\\n.size {name},.-{name}\\n'
                        f'.section .rodata\\n1: .string \\"{name}\\"\\n.text");\n')
            for i, node in enumerate(nodes[1:]):
                alias, function = f"{name}__alias{i}", others.get((name, node), name)
                f.write(f'__asm__(".text\\n.globl {alias}\\n.type {alias},@function\\n{alias}:\\n" JUMP " {function}\\n'
                        f'.size {alias},.-{alias}\\n.symver {alias},{name}@{node}");\n')


main()
