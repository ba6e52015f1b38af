"""What another user has planted in a shared folder under a name that Einkorn is about to write: it gets nothing. Wants root, which
continuous integration has: in a user namespace everybody is the same user."""
import os
import socket
import subprocess
import unittest

from harness import CliTest, EINKORN, TASKS, main

OTHER = 65534  # nobody


@unittest.skipUnless(os.geteuid() == 0, "no other user to plant files as")
class Planted(CliTest):
    def setUp(self):
        super().setUp()
        self.app = self.compile(TASKS)
        self.einkorn("record", "--no-report", "-o", self.folder / "r.grain", "--", self.app)
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.folder.chmod(0o755)
        self.victim = self.folder / "victim"
        self.victim.write_text("precious\n")

    def plant(self, name, kind):
        path = self.shared / name
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to(self.victim)
        elif kind == "dangling":
            path.symlink_to(self.folder / "made")
        elif kind == "device":
            path.symlink_to("/dev/null")
        elif kind == "socket":
            bound = socket.socket(socket.AF_UNIX)
            self.addCleanup(bound.close)
            bound.bind(str(path))
        else:
            path.write_text("theirs\n")
        if kind not in ("link", "dangling", "device"):
            path.chmod(0o666)
        os.chown(path, OTHER, OTHER, follow_symlinks=False)
        return path

    def reader(self, path):
        """What comes out of a FIFO of that name until its writer ends, without waiting for one."""
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, fd)
        return fd

    def assert_got_nothing(self, path, kind, fd):
        if kind == "fifo":
            self.assertEqual(os.read(fd, 100), b"")
        if kind == "file":
            self.assertEqual((path.read_text(), path.stat().st_uid), ("theirs\n", OTHER))
        self.assertEqual(self.victim.read_text(), "precious\n")
        self.assertFalse((self.folder / "made").exists())

    def test_no_verb_writes_to_it(self):
        verbs = {
            "record": (["record", "--no-report", "-o"], ["--", self.app]),
            "page": (["report", self.folder / "r.grain", "--html"], []),
            "csv": (["export", self.folder / "r.grain", "--to", "csv", "-o"], []),
            "perfetto": (["export", self.folder / "r.grain", "--to", "perfetto", "-o"], []),
            "otf2": (["export", self.folder / "r.grain", "--to", "otf2", "-o"], []),
            # Of a program that is made up: the times of a recording may not be valid on a busy computer.
            "plot": (["simulate", "--program", "flat:10:4", "--machine", "core:4", "--plot"], []),
            "machine": (["machine", "--machine", "core:2", "--picture"], []),
            "tune": (["tune", "-o"], ["--", self.app]),
        }
        for kind in ["fifo", "link", "dangling", "device", "socket", "file"]:
            for verb, (before, after) in verbs.items():
                with self.subTest(verb=verb, kind=kind):
                    name = f"{verb}-{kind}" + (".svg" if verb == "plot" else "")
                    path = self.plant(name, kind)
                    fd = self.reader(path) if kind == "fifo" else -1
                    done = self.einkorn(*before, path, *after, timeout=120)
                    self.assertEqual(done.returncode, 125, done.stderr)
                    self.assertIn("another user" if kind != "file" or verb not in ("record", "otf2") else "another",
                                  done.stderr)
                    self.assert_got_nothing(path, kind, fd)

    def test_what_is_planted_after_the_check_is_passed_by(self):
        """The library alone, as if the tool had looked before."""
        for kind in ["fifo", "link", "device", "file"]:
            with self.subTest(kind=kind):
                path = self.plant(f"late-{kind}.grain", kind)
                fd = self.reader(path) if kind == "fifo" else -1
                done = self.einkorn("run", "--", self.app, env={"EINKORN_RECORD": str(path)})
                self.assertEqual((done.returncode, done.stdout), (0, "4950\n"), done.stderr)
                self.assert_got_nothing(path, kind, fd)
                made = list(self.shared.glob(f"late-{kind}.*.grain"))
                self.assertEqual(len(made), 1, made)
                self.assertEqual(made[0].stat().st_mode & 0o777, 0o600)

    def test_statistics_and_the_log_of_tools(self):
        for variable in ["EINKORN_STATS", "OMP_TOOL_VERBOSE_INIT"]:
            for kind in ["fifo", "link", "file"]:
                with self.subTest(variable=variable, kind=kind):
                    path = self.plant(f"{variable}-{kind}", kind)
                    fd = self.reader(path) if kind == "fifo" else -1
                    done = self.einkorn("run", "--", self.app, env={variable: str(path)})
                    self.assertEqual((done.returncode, done.stdout), (0, "4950\n"))
                    self.assertIn("cannot", done.stderr)
                    self.assert_got_nothing(path, kind, fd)

    def test_own_pipes_and_standard_output_serve(self):
        own = self.shared / "own"
        os.mkfifo(own)
        reader = subprocess.Popen(["cat", own], stdout=subprocess.PIPE)
        self.addCleanup(reader.stdout.close)
        self.addCleanup(reader.kill)
        done = self.einkorn("export", self.folder / "r.grain", "--to", "csv", "-o", own)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"grain,", reader.communicate(timeout=60)[0])
        shell = f"{EINKORN} export '{self.folder}/r.grain' --to csv -o /dev/stdout | head -1"
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60)
        self.assertIn("grain,", done.stdout)
        done = subprocess.run(["bash", "-c", f"{EINKORN} record --no-report -o >(wc -c > '{self.folder}/n') -- '{self.app}'; sleep 0.3; "
                               f"cat '{self.folder}/n'"], capture_output=True, text=True, timeout=60)
        self.assertGreater(int(done.stdout.split()[-1]), 100, done.stderr)

    def test_a_colleagues_file_in_a_folder_of_the_group_is_replaced(self):
        self.shared.chmod(0o2775)
        page = self.plant("page.html", "file")
        done = self.einkorn("report", self.folder / "r.grain", "--html", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((page.stat().st_uid, page.stat().st_mode & 0o022), (0, 0))


if __name__ == "__main__":
    main()
