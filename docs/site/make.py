"""Builds the site: stages docs/ and reference pages made from the sources in build/site-src, then runs mkdocs.

    python docs/site/make.py build/release/tool/cli/posenc

Pages link to each other as they do on disk; links that leave docs/ lead to copies of the files. A broken link fails.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = ROOT / "build" / "site-src"
PAGES = {  # where files outside docs/ stand on the site
    "README.md": "index.md",
    "README.zh.md": "index.zh.md",
    "examples/README.md": "examples.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
LINK = re.compile(r"(?<!`)(\]\()([^)\s#]+)(#[^)\s]*)?\)")


def staged(path):
    """Where a file of the repository stands on the site; other files than pages are copied as text."""
    name = path.as_posix()
    if name in PAGES:
        return PAGES[name]
    if path.parts[0] == "docs":
        return path.relative_to("docs").as_posix()
    copy = f"files/{name}.txt"
    (STAGE / copy).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, STAGE / copy)
    return copy


def stage_page(source, target):
    """A page with its links rewritten; code blocks stay as they are."""

    def rewrite(match):
        link = match[2]
        path = pathlib.Path(os.path.normpath((ROOT / source).parent / link))
        if "://" in link or not path.is_file():
            return match[0]  # mkdocs tells what does not exist
        there = os.path.relpath(staged(path.relative_to(ROOT)), pathlib.Path(target).parent)
        return f"{match[1]}{there}{match[3] or ''})"

    parts = re.split(r"(^```.*?^```$)", (ROOT / source).read_text(), flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [LINK.sub(rewrite, part) for part in parts[::2]]
    (STAGE / target).write_text("".join(parts))


def with_all_pages(config):
    """The configuration, with pages that its list does not name at the end of the list."""
    names = sorted(path.relative_to(STAGE).as_posix() for path in STAGE.rglob("*.md"))
    others = [name for name in names if f": {name}\n" not in config]
    return config + "".join(["  - More:\n"] * bool(others) + [f"      - {name}\n" for name in others])


def check_search(site):
    """Each word of a Chinese page is found: what the search takes for one word holds no mark between two."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    words = [word for entry in index["docs"] if ".zh." in entry["location"]
             for word in re.split(index["config"]["separator"], entry["title"] + " " + entry["text"])]  # fmt: skip
    joined = [word for word in words if "\u200b" in word]
    if joined or "余弦" not in words:
        raise SystemExit(f"expected a search index of Chinese words, got {len(words)}, of which {len(joined)} hold several: {joined[:3]}")


def set_languages(site):
    """The theme has one language; Chinese pages say theirs, for screen readers and fonts."""
    for page in site.rglob("*.zh.html"):
        text, count = re.subn(r'<html lang="en"', '<html lang="zh"', page.read_text())
        if count != 1:
            raise SystemExit(f"expected one <html lang> in {page}, got {count}")
        page.write_text(text)


def main(tool):
    shutil.rmtree(STAGE, ignore_errors=True)
    (STAGE / "reference").mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "images", STAGE / "images")
    shutil.copytree(ROOT / "docs" / "lab", STAGE / "lab", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for page in sorted((ROOT / "docs").glob("*.md")):
        stage_page(f"docs/{page.name}", page.name)
    for source, target in PAGES.items():
        stage_page(source, target)
    for name, text in reference.pages(ROOT, tool).items():
        (STAGE / "reference" / name).write_text(text)
    config = STAGE.parent / "mkdocs.yml"
    config.write_text(with_all_pages((ROOT / "docs/site/mkdocs.yml").read_text()))
    code = subprocess.call([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config])
    if code == 0:
        set_languages(STAGE.parent / "site")
        check_search(STAGE.parent / "site")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
