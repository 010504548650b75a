"""Writes the pages that mkdocs makes the site of: pages.py MACAW FOLDER."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TITLES = {"accelerators": "Accelerators", "commands": "Commands", "events": "Counter events", "params": "Timing parameters",
          "systems": "Systems"}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cell(value):
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return str("" if value is None else value).replace("|", "\\|").replace("\n", " ")


def table(rows):
    """Records as a Markdown table, a column for each key."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    lines = [keys, ["---"] * len(keys), *([cell(row.get(key, "")) for key in keys] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def options(macaw):
    """Every subcommand's --help."""
    text = ["# Every option\n"]
    for name in re.findall(r"^  (\w+)  ", run(macaw, "--help"), re.M):
        text.append(f"## macaw {name}\n```\n{run(macaw, name, '--help').strip()}\n```\n")
    return "\n".join(text)


def linked(text, page):
    """Pages that are named by their path, as links to them; links as they are in the site, where docs/ is the root."""
    up = "../" * (len(page.parts) - 1)
    if up == "":
        text = re.sub(r"\]\((?:docs/|\.\./)", "](", text).replace("](README.md)", "](documents.md)")

    def link(found):
        name, target = found[2], found[2]
        if name == "README.md":
            target = "documents.md" if found[1] else "index.md"
        return f"[{name}]({up}{target})" if (ROOT / "docs" / name).exists() else found[0]
    return re.sub(r"`(docs/)?((?:hardware/|how-to/)?[\w-]+\.md)`", link, text)



def main(macaw, folder):
    shutil.rmtree(folder, ignore_errors=True)
    pages = {page.relative_to(ROOT / "docs"): page for page in (ROOT / "docs").rglob("*.md")}
    pages[pathlib.Path("documents.md")] = pages.pop(pathlib.Path("README.md"))
    pages |= {pathlib.Path("index.md"): ROOT / "README.md"}
    pages |= {pathlib.Path(name): ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")}
    texts = {name: linked(page.read_text(), name) for name, page in pages.items()}
    texts[pathlib.Path("options.md")] = options(macaw)
    for what, title in TITLES.items():
        texts[pathlib.Path(f"{what}.md")] = f"# {title}\n\n" + table(json.loads(run(macaw, "list", what, "--json")))
    texts[pathlib.Path("cpp.md")] = ("# C++ interface\n\nThe public headers, page by page: <a href=\"api/index.html\">"
                                     "classes, functions and files</a>.\n")
    shutil.copytree(ROOT / "docs/images", folder / "images", ignore=shutil.ignore_patterns("*.py"))
    shutil.copy(ROOT / "CITATION.cff", folder)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
