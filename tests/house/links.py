"""Every relative link in the repository's pages leads to a file that is there, and to a heading that it has."""
import pathlib
import re
import sys


def anchors(page):
    """The anchors of a page's headings, as they are made where the pages are read."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken_links(root):
    pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("programs/*.md")]
    assert len(pages) > 5, f"only {len(pages)} pages under {root}"
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield f"{page.relative_to(root)}: {target} is not there"
            elif anchor and anchor not in anchors(file):
                yield f"{page.relative_to(root)}: {target}: no such heading"


if __name__ == "__main__":
    broken = list(broken_links(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(broken))
    sys.exit(1 if broken else 0)
