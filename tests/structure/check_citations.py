#!/usr/bin/python3
"""Resolves every citation of a hardware rule, such as `u85 6.8` or `timing 2.1, 6.2`, to a rule of docs/hardware.

Rules are the numbered headings, and the numbered rows of tables, of DOCUMENT.md; inside a page a number alone in
parentheses cites, too. Fails on a citation of a rule that does not exist, on a number that a page has twice, on a page
without rules, and on the names of documents that the repository does not hold."""
import pathlib
import re
import subprocess
import sys

DOCUMENTS = ("u55_u65", "u85", "timing")
NUMBER = r"\d+(?:\.\d+)*"
HEADING = re.compile(rf"^#+ ({NUMBER}) ")
ROW = re.compile(r"^\| (\d+\.\d+) \|")
CITATION = re.compile(rf"\b({'|'.join(DOCUMENTS)}) ({NUMBER}(?:(?:, | and | to )(?:{NUMBER})\b(?!-))*)")
WITHIN = re.compile(rf"\(({NUMBER}\.\d+(?:, {NUMBER})*)\)")
SUFFIXES = (".cpp", ".hpp", ".h", ".def", ".in", ".md", ".py", ".pyi", ".txt", ".toml", ".cmake")


def rules_of(page):
    """The rule numbers of a page, in order."""
    found = [HEADING.match(line) or ROW.match(line) for line in page.read_text(encoding="utf-8").splitlines()]
    return [match[1] for match in found if match]


def main(root):
    root = pathlib.Path(root)
    wrong, rules, cited = [], {}, 0
    for name in DOCUMENTS:
        numbers = rules_of(root / f"docs/hardware/{name}.md")
        rules[name] = set(numbers)
        if not numbers:
            wrong.append(f"docs/hardware/{name}.md: no numbered rules")
        wrong += [f"docs/hardware/{name}.md: two rules {number}" for number in sorted(rules[name]) if numbers.count(number) > 1]
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout.splitlines()
    names = listed or [str(path.relative_to(root)) for path in root.rglob("*") if "build" not in path.relative_to(root).parts[:1]]
    files = [name for name in names if name.endswith(SUFFIXES) and name != "tests/structure/check_citations.py"]
    citing = set()
    pages = {f"docs/hardware/{name}.md": name for name in DOCUMENTS}
    for name in files:
        if not (root / name).is_file():
            continue
        lines = (root / name).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            found = [(match[1], match[2]) for match in CITATION.finditer(line)]
            if name in pages:
                found += [(pages[name], match[1]) for match in WITHIN.finditer(line)]
            for document, numbers in found:
                for rule in re.findall(NUMBER, numbers):
                    cited += 1
                    citing.add(name)
                    if rule not in rules[document]:
                        wrong.append(f"{name}:{number}: docs/hardware/{document}.md has no rule {rule}")
    print(f"{cited} citations in {len(citing)} of {len(files)} files, {sum(map(len, rules.values()))} rules")
    if not cited:
        wrong.append("nothing cites a rule")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
