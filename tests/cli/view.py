"""einkorn view: the page from a local server, parts of it, searches, source files, two recordings; who may get them, and how it ends."""
import base64
import contextlib
import http.client
import itertools
import json
import re
import signal
import socket
import subprocess
import time
import unittest
import zlib
from urllib.parse import urlsplit

from harness import EINKORN, TASKS, CliTest

# Five tasks, and a thousand below each.
MANY = r"""
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 5; ++i)
    #pragma omp task
    {
      for (int k = 0; k < 1000; ++k)
        #pragma omp task
        __asm__ volatile("");
      #pragma omp taskwait
    }
  return 0;
}
"""


class ViewTest(CliTest):
    def start(self, *options, recordings=1, program=TASKS):
        """A server for a recording of 100 tasks, or for the given recordings; its address, split."""
        self.app = self.compile(program, "-g")
        files = [self.folder / f"app{i or ''}.grain" for i in range(recordings)]
        for file in files:
            subprocess.run([EINKORN, "record", "-o", file, "--", self.app], check=True, capture_output=True, timeout=60)
        server = subprocess.Popen([EINKORN, "view", *options, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        self.server = server
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$")
        return urlsplit(address)

    def end(self, server):
        server.kill()
        server.communicate()

    def get(self, at, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=60)
        connection.request("GET" if body is None else "POST", path, body, headers={"Content-Type": "text/plain", **headers})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def meta(self, page):
        return json.loads(re.search(r'id="einkorn-meta">(.*?)</script>', page, re.S)[1])

    def test_page_parts_and_source(self):
        at = self.start("--max-grains", "100")
        status, page = self.get(at, at.path)
        self.assertEqual(status, 200)
        meta = self.meta(page)
        self.assertTrue(meta["served"])
        self.assertNotIn("cut", meta["graph"])  # 100 tasks are about 300 nodes
        nodes = meta["graph"]["nodes"]
        status, part = self.get(at, f"{at.path}part?first=10&count=20")
        self.assertEqual(status, 200)
        self.assertEqual(self.meta(part)["graph"]["part"], {"first": 10, "count": 20})
        [kinds] = [c for c in self.meta(part)["columns"] if c["name"] == "node.kind"]
        self.assertEqual(kinds["count"], 20)
        for bad in (f"first={nodes}&count=1", f"first=0&count={nodes + 1}", "first=4294967295&count=4294967295"):
            status, text = self.get(at, f"{at.path}part?{bad}")
            self.assertEqual(status, 404, bad)
            self.assertIn(f"{nodes} nodes", text)
        for bad in ("", "first=1", "first=-1&count=2", "first=1&count=0", "first=1x&count=2", "first=99999999999&count=1"):
            self.assertEqual(self.get(at, f"{at.path}part?{bad}")[0], 400, bad)
        [index] = [i for i, s in enumerate(meta["sources"]) if s["construct"] == "task"]
        status, source = self.get(at, f"{at.path}source?index={index}")
        self.assertEqual(status, 200)
        self.assertIn("#pragma omp task shared(sum)", source)
        self.assertNotIn("<stdio.h>", source)  # escaped
        self.assertIn("&lt;stdio.h&gt;", source)
        self.assertEqual(self.get(at, f"{at.path}source?index=1000")[0], 404)

    def column(self, page, name):
        """Of the page's data: src/report/page/data.h."""
        meta = self.meta(page)
        raw = zlib.decompress(base64.b64decode(re.search(r'id="einkorn-data">(.*?)</script>', page, re.S)[1]))
        [c] = [c for c in meta["columns"] if c["name"] == name]
        codes = [0] * c["count"]
        for b, at in enumerate(c["planes"]):
            for i in range(c["count"]):
                codes[i] |= (raw[at + i] if at >= 0 else -1 - at) << (8 * b)
        if c["delta"]:
            last = 0
            for i, code in enumerate(codes):
                last += (code >> 1) ^ -(code & 1)
                codes[i] = last
        return [(c - 1) % 2**32 for c in codes]

    def test_what_is_not_drawn_is_found(self):
        # 1,000 tasks below one, 1,000 below the next, and so on: more than a page of 100 grains holds.
        at = self.start("--max-grains", "100", program=MANY)
        page = self.get(at, at.path)[1]
        meta = self.meta(page)
        self.assertIn("cut", meta["graph"])
        self.assertIn("connect-src 'self'", page)
        first, members = self.column(page, "node.first"), self.column(page, "node.members")
        self.assertEqual(sum(members), meta["graph"]["nodes"])
        tasks = [i for i, s in enumerate(meta["sources"]) if s["construct"] == "task"]
        self.assertEqual(len(tasks), 2)
        asked = "first=0&count=0&kinds=31&depth=0&remote=0"
        status, text = self.get(at, f"{at.path}find?{asked}&sources={','.join(map(str, tasks))}")
        self.assertEqual(status, 200)
        found = json.loads(text)
        self.assertEqual((found["all"], found["here"]), (5005, 5005))
        # "All nodes" is one page, whatever its first node is said to be; a post may have more sources than an address
        # holds.
        listed = ",".join(map(str, tasks))
        self.assertEqual(self.get(at, f"{at.path}find?{asked.replace('first=0', 'first=7')}&sources={listed}")[1], text)
        self.assertEqual(self.get(at, f"{at.path}find?{asked}", body=",".join([listed] * 5000)), (200, text))
        bits = base64.b64decode(found["nodes"])
        lit = [i for i in range(len(first)) if bits[i >> 3] >> (i & 7) & 1]
        self.assertTrue(any(members[i] > 1 for i in lit))
        # Only the deeper of the two lines.
        self.assertEqual(json.loads(self.get(at, f"{at.path}find?{asked.replace('depth=0', 'depth=1')}&sources={tasks[0]},{tasks[1]}")[1])["all"], 5000)
        # A part around each of the aggregates: it has the node in it, and at most 100 nodes unless its own grain has
        # more.
        for i in [i for i in lit if members[i] > 1][:10]:
            status, where = self.get(at, f"{at.path}where?node={first[i]}")
            self.assertEqual(status, 200)
            begin, count, node = map(int, re.fullmatch(r"part\?first=(\d+)&count=(\d+)&at=(\d+)", where).groups())
            self.assertEqual(node, first[i])
            self.assertTrue(begin <= node < begin + count, where)
            self.assertLessEqual(count, 100)
            self.assertGreater(count, 50, "a part holds what fits")
            part = self.get(at, at.path + where)[1]
            self.assertEqual(self.column(part, "node.first").count(node), 1)
            self.assertEqual(sorted(self.column(part, "node.first")), list(range(begin, begin + count)))
            here = json.loads(self.get(at, f"{at.path}find?first={begin}&count={count}&kinds=31&depth=0&remote=0&sources={tasks[0]},{tasks[1]}")[1])
            self.assertEqual(here["all"], 5005)
            self.assertTrue(0 < here["here"] < 100)
            self.assertFalse(begin <= here["hidden"] < begin + count)
        # By name: the first grain of the last part.
        grain = "".join(f"{self.column(part, f'grain.id{k}')[-1]:08x}" for k in range(4))
        found = json.loads(self.get(at, f"{at.path}find?{asked}&id={grain[:20]}")[1])
        self.assertEqual((found["all"], found["here"]), (1, 1))
        self.assertTrue(begin <= found["hidden"] < begin + count)
        self.assertEqual(json.loads(self.get(at, f"{at.path}find?{asked}&id=0123456789abcdef0123456789abcdef")[1])["all"], 0)
        for bad in ("", asked + "&sources=99", asked + "&sources=x", asked + "&sources=0x1", asked + "&sources=0,", asked + "&sources=0,,1", asked + "&id=" + 33 * "0", asked + "&id=12g", asked.replace("depth=0", "depth=-1")):
            self.assertEqual(self.get(at, f"{at.path}find?{bad}")[0], 400, bad)
        self.assertEqual(self.get(at, f"{at.path}where?node={meta['graph']['nodes']}")[0], 404)
        self.assertEqual(self.get(at, f"{at.path}where?node=x")[0], 400)

    def test_parts_of_many_siblings(self):
        at = self.start("--max-grains", "100", program=MANY.replace("i < 5", "i < 1000").replace("k < 1000", "k < 1"))
        nodes = self.meta(self.get(at, at.path)[1])["graph"]["nodes"]
        for node in (nodes // 3, nodes // 2, nodes - 500):
            begin, count, _ = map(int, re.findall(r"\d+", self.get(at, f"{at.path}where?node={node}")[1]))
            self.assertTrue(begin <= node < begin + count <= nodes)
            self.assertTrue(80 < count <= 100, f"around {node} of {nodes}: {count}")

    def test_large_pages_come_at_once(self):
        # Browsers accept compressed text, and the library would spend 15 s on compressing it.
        at = self.start()
        connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=60)
        for path in ("", "source?index=1"):
            connection.request("GET", at.path + path, headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertIsNone(response.getheader("Content-Encoding"), path)
            self.assertEqual(len(response.read()), int(response.getheader("Content-Length")))
        connection.close()

    def test_two_recordings(self):
        at = self.start(recordings=2)
        status, page = self.get(at, at.path)
        self.assertEqual(status, 200)
        pair = json.loads(re.search(r'id="einkorn-pair">(.*?)</script>', page, re.S)[1])
        self.assertTrue(pair["before"]["file"].endswith("app.grain"))
        self.assertTrue(pair["after"]["file"].endswith("app1.grain"))
        self.assertGreaterEqual(pair["matched"], 100)
        self.assertEqual(self.get(at, f"{at.path}find?first=0&count=0")[0], 404)
        missing = subprocess.run([EINKORN, "view", self.folder / "app.grain", self.folder / "none.grain"], capture_output=True, text=True, timeout=60)
        self.assertEqual(missing.returncode, 125)
        self.assertIn("none.grain", missing.stderr)
        for given in (["--max-grains", "100"], ["--max-grains", "120000"]):
            refused = subprocess.run([EINKORN, "view", *given, self.folder / "app.grain", self.folder / "app1.grain"], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 125)
            self.assertIn("--max-grains", refused.stderr)

    def test_only_for_whom_it_is_meant(self):
        at = self.start("--no-source")
        self.assertEqual(self.get(at, "/")[0], 404)
        self.assertEqual(self.get(at, "/" + "0" * 32 + "/")[0], 404)
        self.assertEqual(self.get(at, at.path + "../../etc/passwd")[0], 404)
        self.assertEqual(self.get(at, at.path, Host="example.org")[0], 403)
        # By any name of this computer itself; browsers omit the number of port 80, and a tunnel begins at another port.
        for host in (f"localhost:{at.port}", "localhost", f"127.0.0.1:{at.port}", "127.0.0.1", "127.0.0.1:8080", "LOCALHOST", "[::1]",
                     f"[::1]:{at.port}"):
            self.assertEqual(self.get(at, at.path, Host=host)[0], 200, host)
        for host in ("127.0.0.1.example.org", "localhost.example.org:80", "", "[::2]", "[::1].example.org", "[", "localhost:x"):
            self.assertEqual(self.get(at, at.path, Host=host)[0], 403, host)
        # Each of several, in whatever order, and none.
        for hosts in (["localhost", "example.org"], ["example.org", "localhost"], []):
            with socket.create_connection(("127.0.0.1", at.port), timeout=60) as connection:
                connection.sendall((f"GET {at.path} HTTP/1.1\r\n" + "".join(f"Host: {h}\r\n" for h in hosts) + "\r\n").encode())
                self.assertIn(b" 403 ", connection.recv(4096).splitlines()[0], hosts)
        self.assertEqual(self.get(at, f"{at.path}source?index=1")[0], 403)

    def resident(self):
        """MiB of the server."""
        with open(f"/proc/{self.server.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

    def test_what_strangers_send_is_not_kept(self):
        at = self.start()
        before = self.resident()
        host = f"Host: 127.0.0.1:{at.port}\r\n".encode()
        chunks = itertools.repeat(b"100000\r\n" + b"a" * (1 << 20) + b"\r\n", 200)
        for begin, more in (
            (b"POST /x HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n", chunks),
            (b"POST /x HTTP/1.1\r\n" + host + b"Content-Length: 209715200\r\n\r\n", itertools.repeat(b"a" * (1 << 20), 200)),
            (b"GET /x HTTP/1.1\r\n" + host, itertools.repeat(b"X: y\r\n" * 100_000, 200)),
            (b"GET /x HTTP/1.1\r\n" + host, itertools.repeat(b"X" * (1 << 20), 200)),
            (b"GET /", itertools.repeat(b"x" * (1 << 20), 200)),
            # Nor more of those who know the address than can be served.
            (f"POST {at.path}find HTTP/1.1\r\n".encode() + host + b"Transfer-Encoding: chunked\r\n\r\n", chunks),
            (f"GET {at.path}find HTTP/1.1\r\n".encode() + host + b"Content-Length: 209715200\r\n\r\n", itertools.repeat(b"a" * (1 << 20), 200)),
        ):
            with socket.create_connection(("127.0.0.1", at.port), timeout=20) as connection:
                with self.assertRaises(OSError, msg=begin):  # it is not listened to for so long
                    connection.sendall(begin)
                    for part in more:
                        connection.sendall(part)
            self.assertLess(self.resident() - before, 64, begin)
        self.assertEqual(self.get(at, at.path)[0], 200)

    def test_slow_ones_keep_nobody_out(self):
        at = self.start()
        host = f"Host: 127.0.0.1:{at.port}\r\n".encode()
        with contextlib.ExitStack() as all_of_them:
            slow = []
            for i in range(100):
                slow.append(all_of_them.enter_context(socket.create_connection(("127.0.0.1", at.port), timeout=20)))
                # Some even know the address.
                slow[-1].sendall((f"GET {at.path} HTTP/1.1\r\n" if i % 2 else "GET / HTTP/1.1\r\n").encode() + host)
            for _ in range(3):
                began = time.monotonic()
                self.assertEqual(self.get(at, at.path)[0], 200)
                self.assertLess(time.monotonic() - began, 9, "who is slow is waited for ten seconds")
                for one in slow:
                    with contextlib.suppress(OSError):
                        one.sendall(b"X: y\r\n")
            began = time.monotonic()
            self.server.send_signal(signal.SIGINT)
            self.assertEqual(self.server.wait(timeout=60), 0)
            self.assertLess(time.monotonic() - began, 9, "its end waits for nobody")

    def test_ends_on_request(self):
        at = self.start()
        taken = subprocess.run([EINKORN, "view", "--port", str(at.port), self.folder / "app.grain"], capture_output=True, text=True, timeout=60)
        self.assertEqual(taken.returncode, 125)
        self.assertIn(f"port {at.port}", taken.stderr)
        self.assertEqual(taken.stdout, "")
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
