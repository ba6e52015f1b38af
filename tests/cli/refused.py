"""Programs that cannot be run, or not under us: status 126 or 127, one message that says what to do, and nothing runs."""
import os
import shutil
import struct
import subprocess

from harness import CliTest, HELLO, MACHINE, main

# Leaves a file `ran` when it is started.
LEAVES_A_TRACE = r"""
#include <stdio.h>
int main(void) {
  fclose(fopen("ran", "w"));
  return 0;
}
"""


class Refused(CliTest):
    def refuse(self, program, status, *fragments, **how):
        """Both verbs refuse it, and nothing was run or written."""
        before = sorted(os.listdir(self.folder))
        for verb in ["run", "record"]:
            with self.subTest(verb=verb):
                self.assert_refused(self.einkorn(verb, "--", program, "argument", **how), status, *fragments)
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def script(self, text, name="script"):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path


class NotThere(Refused):
    def test_missing_program(self):
        self.refuse("./missing", 127, "./missing", "no such file")
        self.refuse(self.folder / "no" / "such", 127, "no such file")

    def test_missing_in_path(self):
        self.refuse("einkorn-no-such-program", 127, "'einkorn-no-such-program'", "PATH")

    def test_empty_name(self):
        self.refuse("", 127, "no such program")

    def test_a_program_in_this_folder_is_not_in_path(self):
        self.compile(LEAVES_A_TRACE)
        self.refuse("app", 127, "'app'", "./")

    def test_missing_interpreter_of_a_script(self):
        self.refuse(self.script("#!/no/such/interpreter\n"), 127, "interpreter", "/no/such/interpreter")

    def test_missing_dynamic_linker(self):
        app = self.compile(LEAVES_A_TRACE, "-Wl,--dynamic-linker=/no/ld-linux.so.9")
        self.refuse(app, 127, "/no/ld-linux.so.9")


class NewerCompiler(Refused):
    """A program, or a library of one, that asks for a version of libgomp's interface that is not there yet."""

    def newer_libgomp(self):
        """A libgomp.so.1 with the node GOMP_99.0, as some compiler to come may bring it."""
        (self.folder / "nodes.map").write_text("GOMP_99.0 { global: GOMP_to_come; };\n")
        return self.compile("void GOMP_to_come(void) {}", "-fno-openmp", "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1",
                            "-Wl,--version-script=nodes.map", name="libgomp.so.1")

    def test_program(self):
        library = self.newer_libgomp()
        app = self.compile(LEAVES_A_TRACE.replace("fclose", "extern void GOMP_to_come(void); GOMP_to_come(); fclose"),
                           "-fno-openmp", str(library))
        self.refuse(app, 126, app, "GOMP_99.0", "libgomp.so.1", "newer")

    def test_library_of_a_program(self):
        library = self.newer_libgomp()
        self.compile("extern void GOMP_to_come(void); void task(void) { GOMP_to_come(); }", "-fno-openmp", "-shared", "-fPIC",
                     "-Wl,-soname,libtask.so", str(library), name="libtask.so")
        app = self.compile(LEAVES_A_TRACE.replace("fclose", "extern void task(void); task(); fclose"), "-fno-openmp",
                           "-L.", "-ltask", f"-Wl,-rpath,{self.folder}", "-Wl,--allow-shlib-undefined")
        self.refuse(app, 126, self.folder / "libtask.so", "GOMP_99.0", "newer")

    def test_other_libraries(self):
        """Only OpenMP libraries are ours to judge."""
        (self.folder / "nodes.map").write_text("OTHER_99.0 { global: other; };\n")
        library = self.compile("void other(void) {}", "-fno-openmp", "-shared", "-fPIC", "-Wl,-soname,libother.so",
                               "-Wl,--version-script=nodes.map", name="libother.so")
        app = self.compile(LEAVES_A_TRACE.replace("fclose", "extern void other(void); other(); fclose"), str(library),
                           f"-Wl,-rpath,{self.folder}")
        done = self.einkorn("run", "--", app)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / "ran").exists())


class NotExecutable(Refused):
    def test_without_the_x_bit(self):
        app = self.compile(LEAVES_A_TRACE)
        app.chmod(0o644)
        self.refuse(app, 126, "not executable", "chmod +x")

    def test_without_the_x_bit_in_path(self):
        app = self.compile(LEAVES_A_TRACE, name="einkorn-test-app")
        app.chmod(0o644)
        self.refuse("einkorn-test-app", 126, "chmod +x", env={"PATH": f"{self.folder}:/usr/bin:/bin"})

    def test_directory(self):
        self.refuse(self.folder, 126, "is a directory")

    def test_device_and_pipe(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo, 0o777)
        self.refuse(fifo, 126, "pipe")
        self.refuse("/dev/null", 126, "device")

    def test_text_and_empty_file(self):
        self.refuse(self.script("echo hello\n"), 126, "neither a program nor a script", "sh ")
        self.refuse(self.script("", name="empty"), 126, "neither a program nor a script")

    def test_script_without_interpreter(self):
        self.refuse(self.script("#!\n"), 126, "names no interpreter")

    def test_scripts_in_a_circle(self):
        path = self.folder / "script"
        self.refuse(self.script(f"#!{path}\n"), 126, "script")

    def test_object_file_and_shared_library(self):
        (self.folder / "part.c").write_text("int part(void) { return 1; }\n")
        for options, name, what in [(["-c"], "part.o", "object file"), (["-shared", "-fPIC"], "libpart.so", "shared library")]:
            out = self.folder / name
            subprocess.run(["gcc", *options, str(self.folder / "part.c"), "-o", str(out)], check=True)
            out.chmod(0o755)
            self.refuse(out, 126, what)

    def test_damaged_program(self):
        app = self.compile(LEAVES_A_TRACE)
        whole = app.read_bytes()
        for size, name in [(40, "header"), (200, "segments")]:
            with self.subTest(cut=name):
                app.write_bytes(whole[:size])
                self.refuse(app, 126, "damaged")


class OfAnotherKind(Refused):
    def patch(self, path, offset, layout, value):
        content = bytearray(path.read_bytes())
        struct.pack_into(layout, content, offset, value)
        path.write_bytes(content)
        return path

    def test_other_machines(self):
        kinds = {62: "64-bit x86", 183: "64-bit ARM", 243: "RISC-V", 21: "64-bit POWER", 9999: "another machine"}  # e_machine
        for machine in kinds.keys() - {MACHINE}:
            with self.subTest(machine=kinds[machine]):
                app = self.patch(self.compile(LEAVES_A_TRACE), 18, "<H", machine)
                self.refuse(app, 126, f"a program for {kinds[machine]}", f"runs {kinds[MACHINE]} programs. Build it for ")

    def test_32_bit(self):
        app = self.patch(self.compile(LEAVES_A_TRACE), 4, "B", 1)  # EI_CLASS: 32 bit
        self.patch(app, 18, "<H", 3)  # EM_386
        self.refuse(app, 126, "32-bit x86")

    def test_static_libgomp(self):
        for options in [["-static"], ["-static-pie", "-fPIE"]]:
            with self.subTest(options=options):
                app = self.compile(HELLO, *options)
                self.refuse(app, 126, "linked statically", "OpenMP library inside", "-static")

    def test_stripped_static_program(self):
        self.refuse(self.compile(LEAVES_A_TRACE, "-static", "-s"), 126, "linked statically")

    def test_libgomp_inside_a_dynamic_program(self):
        archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], check=True, capture_output=True, text=True).stdout
        text = self.folder / "app.c"
        text.write_text(HELLO)
        app = self.folder / "app"
        subprocess.run(["gcc", "-fopenmp", "-c", str(text), "-o", str(self.folder / "app.o")], check=True)
        subprocess.run(["gcc", str(self.folder / "app.o"), archive.strip(), "-ldl", "-o", str(app)], check=True)
        (self.folder / "app.o").unlink()
        self.refuse(app, 126, "OpenMP library linked into it")

    def test_musl(self):
        text = self.folder / "app.c"
        text.write_text(LEAVES_A_TRACE)
        app = self.folder / "app"
        subprocess.run(["musl-gcc", str(text), "-o", str(app)], check=True)
        self.refuse(app, 126, "musl", "glibc")

    def test_script_of_a_program_of_another_kind(self):
        app = self.compile(HELLO, "-static", name="interpreter")
        self.refuse(self.script(f"#!{app} -x\n"), 126, "script", "linked statically")
        self.refuse(self.script("#!/usr/bin/env interpreter\n"), 126, "script", "linked statically",
                    env={"PATH": f"{self.folder}:/usr/bin:/bin"})


class WithPrivileges(Refused):
    def test_setuid_and_setgid(self):
        app = self.compile(LEAVES_A_TRACE)
        app.chmod(0o4755)
        self.refuse(app, 126, "setuid", "copy")
        app.chmod(0o2755)
        self.refuse(app, 126, "setgid", "copy")

    def test_file_capabilities(self):
        app = self.compile(LEAVES_A_TRACE)
        # VFS_CAP_REVISION_2, effective; permitted: CAP_NET_BIND_SERVICE. Setting it takes root, which the tests are run as.
        os.setxattr(app, "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))
        self.refuse(app, 126, "capabilities", "copy")

    def test_no_permission_to_look(self):
        shut = self.folder / "shut"
        shut.mkdir()
        shutil.copy(self.compile(LEAVES_A_TRACE), shut / "app")
        shut.chmod(0o700)
        self.assert_refused(self.einkorn("run", "--", "shut/app", unprivileged=True), 126, "Permission denied")


class NotRefused(CliTest):
    """Programs that look odd and are fine."""

    def run_it(self, *words, **how):
        done = self.einkorn("run", "--", *words, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_scripts(self):
        app = self.compile(HELLO)
        for first_line in ["#!/bin/sh", "#! /usr/bin/env sh", "#!/usr/bin/env -S A=1 sh -e"]:
            with self.subTest(first_line=first_line):
                script = self.folder / "script"
                script.write_text(f"{first_line}\n{app}\n")
                script.chmod(0o755)
                self.assertEqual(self.run_it(script), "3 threads\n")

    def test_not_readable_but_executable(self):
        app = self.compile(HELLO)
        app.chmod(0o711)
        self.assertEqual(self.run_it(app, unprivileged=True), "3 threads\n")

    def test_program_found_in_path(self):
        self.compile(HELLO, name="einkorn-test-app")
        self.assertEqual(self.run_it("einkorn-test-app", env={"PATH": f"{self.folder}:/usr/bin:/bin"}), "3 threads\n")

    def test_no_pie_and_stripped(self):
        self.assertEqual(self.run_it(self.compile(HELLO, "-no-pie", "-s")), "3 threads\n")

    def test_static_child_of_a_fit_program(self):
        # It keeps its own runtime: nothing can be done about it, and other processes of its tree may be fine.
        app = self.compile(HELLO, "-static")
        self.assertEqual(self.run_it("sh", "-c", str(app)), "3 threads\n")


if __name__ == "__main__":
    main()
