"""einkorn view: the page from a local server, parts of it, source files; who may have them, and how it ends."""
import http.client
import json
import re
import signal
import subprocess
import unittest
from urllib.parse import urlsplit

from harness import EINKORN, TASKS, CliTest


class ViewTest(CliTest):
    def start(self, *options):
        """A server on a recording of 100 tasks; its address, split."""
        self.app = self.compile(TASKS, "-g")
        recording = self.folder / "app.grain"
        subprocess.run([EINKORN, "record", "-o", recording, "--", self.app], check=True, capture_output=True, timeout=60)
        server = subprocess.Popen([EINKORN, "view", *options, recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        self.server = server
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$")
        return urlsplit(address)

    def end(self, server):
        server.kill()
        server.communicate()

    def get(self, at, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=60)
        connection.request("GET", path, headers=headers)
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

    def test_only_for_whom_it_is_meant(self):
        at = self.start("--no-source")
        self.assertEqual(self.get(at, "/")[0], 404)
        self.assertEqual(self.get(at, "/" + "0" * 32 + "/")[0], 404)
        self.assertEqual(self.get(at, at.path + "../../etc/passwd")[0], 404)
        self.assertEqual(self.get(at, at.path, Host="example.org")[0], 403)
        self.assertEqual(self.get(at, at.path, Host=f"localhost:{at.port}")[0], 200)
        self.assertEqual(self.get(at, f"{at.path}source?index=1")[0], 403)

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
