#!/usr/bin/env python3
"""The picture of codelets: graph.py TOOL [--update]. Which codelets there are, of which kind and line, and what they wait for; that
nothing is drawn over something else; and that docs/codelets.svg is what the tool draws (--update writes it)."""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

FOLDER = pathlib.Path(__file__).parent
PICTURE = FOLDER.parent.parent / "docs" / "codelets.svg"
SVG = "{http://www.w3.org/2000/svg}"

# Jumps of all kinds: which sync point may come next is by how control goes.
JUMPS = """void jumps(int n, int *x) {
#pragma omp parallel
  {
    int i = 0;
    for (;;) {
      if (i == n) break;
#pragma omp barrier
      switch (i++) {
      case 0: continue;
      case 1: x[1] = 0;
#pragma omp barrier
        break;
      default: goto again;
      }
#pragma omp single
      *x += 1;
    }
    do {
#pragma omp barrier
      *x += i;
    } while (++i < n);
  again:
    if (*x > 3) {
#pragma omp for
      for (int k = 0; k < n; k++) x[k] = 0;
    }
#pragma omp masked
    *x = 1;
  }
}
"""
# name: ([(kind, line)], {(from, to, kind)}): nodes by their number in the text, c for codelets and s for sync points.
EXPECTED = {
    "jumps_2": "i c s c s c s c s c s c s",
    "frontier_4": "i c s c s c s c s",
    "rounds_27": "i c s c s",
    "fib_4": "c i i s c s",
    "two_16": "c i c s",
}
# (codelet, sync point that may be next), the last one the end.
NEXT = {
    "jumps_2": {(1, 1), (1, 4), (2, 1), (2, 2), (2, 4), (2, 5), (2, 6), (3, 3), (4, 1), (4, 4), (5, 4), (5, 5), (5, 6), (6, 6)},
    "frontier_4": {(1, 1), (1, 4), (2, 2), (3, 3), (3, 1), (3, 4), (4, 1), (4, 4)},
    "rounds_27": {(1, 1), (1, 2), (2, 1), (2, 2)},
    "fib_4": {(1, 1), (1, 2), (2, 2)},
    "two_16": {(1, 1), (2, 2)},
}


def boxes(node):
    """(left, top, right, bottom) of its shape, and of each text's estimated extent."""
    shape = next(part for part in node if part.tag in (SVG + "rect", SVG + "polygon"))
    if shape.tag == SVG + "rect":
        x, y, w, h = (float(shape.get(key)) for key in ("x", "y", "width", "height"))
        box = (x, y, x + w, y + h)
    else:
        points = [tuple(map(float, p.split(","))) for p in shape.get("points").split()]
        box = (min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points), max(p[1] for p in points))
    texts = []
    for text in node.iter(SVG + "text"):
        half = 6.6 * len(text.text) / 2
        texts.append((float(text.get("x")) - half, float(text.get("y")) - 10, float(text.get("x")) + half, float(text.get("y")) + 3))
    return box, texts


def inside(small, large):
    return small[0] >= large[0] and small[1] >= large[1] and small[2] <= large[2] and small[3] <= large[3]


def apart(a, b):
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def check_drawing(picture, wrong):
    whole = (0, 0, float(picture.get("width")), float(picture.get("height")))
    if picture.get("viewBox") != f"0 0 {whole[2]:.0f} {whole[3]:.0f}":
        wrong.append("its view box is not its size")
    drawn = []
    for procedure in picture.iter(SVG + "g"):
        if procedure.get("class") != "procedure":
            continue
        dx, dy = map(float, re.findall(r"[-\d.]+", procedure.get("transform")))
        for node in procedure:
            if not node.get("class", "").startswith("node"):
                continue
            box, texts = boxes(node)
            wrong += [f"{procedure.get('data-name')}: a text is wider than its box" for text in texts if not inside(text, box)]
            box = (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)
            if not inside(box, whole):
                wrong.append(f"{procedure.get('data-name')}: a box is outside of the picture")
            wrong += [f"{procedure.get('data-name')}: two boxes overlap" for other in drawn if not apart(box, other)]
            drawn.append(box)
    if not drawn:
        wrong.append("nothing is drawn")


def check_graph(procedure, wrong):
    name = procedure.get("data-name")
    nodes = [part for part in procedure if part.get("class", "").startswith("node")]
    kinds = [node.get("class").split()[1][0] for node in nodes]
    if " ".join(kinds) != EXPECTED[name]:
        wrong.append(f"{name}: {' '.join(kinds)}")
    arcs = [(int(a.get("data-from")), int(a.get("data-to")), a.get("class").split()[1]) for a in procedure if a.get("class", "").startswith("arc")]
    codelets = [n for n, kind in enumerate(kinds) if kind == "c"]
    # What a codelet comes to next: what stands behind one in the text, tasks left out.
    tasks = {n for n, node in enumerate(nodes) if node.find(SVG + "text").text.startswith("task: ")}
    syncs = [min(n for n in range(c + 1, len(nodes)) if n not in tasks) for c in codelets]
    found = {(codelets.index(a) + 1, syncs.index(b) + 1) for a, b, _ in arcs if a in codelets and b in syncs}
    if found != NEXT[name]:
        wrong.append(f"{name}: after codelets {sorted(found)}, not {sorted(NEXT[name])}")
    region = kinds[0] == "i"
    for a, b, kind in arcs:
        wanted = "each"
        if region and kinds[b] == "s":
            wanted = "gather"
        if region and a not in codelets:
            wanted = "spread"
        if kind != wanted:
            wrong.append(f"{name}: {a} to {b} is {kind}, not {wanted}")


def main():
    tool, update, wrong, seen = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv, [], set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "jumps.c").write_text(JUMPS)

        def draw(source, cwd):
            done = subprocess.run([tool, source, "-o", folder / "out.c", "--graph", folder / "graph.svg", "--", "-fopenmp", "-std=gnu11"],
                                  cwd=cwd, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{source}: exit status {done.returncode}: {done.stderr}")
            return (folder / "graph.svg").read_text()

        for source, cwd in [("jumps.c", folder), ("sync.c", FOLDER / "golden"), ("procedures.c", FOLDER / "golden"), ("left.c", FOLDER / "golden")]:
            text = draw(source, cwd)
            picture = ET.fromstring(text)
            if source != "left.c":
                check_drawing(picture, wrong)
            elif sum("stays OpenMP's" in (t.text or "") for t in picture.iter(SVG + "text")) != text.count("more left\"") or "more left\"" not in text:
                wrong.append("left.c: what is left is not named")
            for procedure in picture.iter(SVG + "g"):
                if procedure.get("data-name") in EXPECTED:
                    seen.add(procedure.get("data-name"))
                    check_graph(procedure, wrong)
            if source == "sync.c" and update:
                PICTURE.write_text(text)
            elif source == "sync.c" and PICTURE.read_text() != text:
                wrong.append("docs/codelets.svg is not what the tool draws: graph.py --update")
    wrong += [f"{name} is not drawn" for name in EXPECTED if name not in seen]
    print("\n".join(wrong) or "all as it should be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
