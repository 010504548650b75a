#!/usr/bin/python3
"""Fails on habits of wording that can be counted without false alarms, in comments, string literals and documents.

Each rule is a pattern with an example that must be found and one that must not; both are tried first. A line that has to
keep such words (a quotation of another program) is named in ALLOWED. In a checkout with history, subjects of the last 50
commits of the branch must have at most 72 characters."""
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".def", ".in", ".py", ".pyi", ".md", ".toml", ".txt", ".cmake", ".js", ".ts", ".css", ".html",
            ".ipynb", ".yml"}
SUBJECT_LENGTH, SUBJECTS = 72, 50
# A file and a part of a line in it.
ALLOWED = {
    ("tests/structure/check_language.py", ""): "the patterns themselves",
}
RULES = [
    ("is no, are no", re.compile(r"(?<![Tt]here )\b(is|are|was|were) no (?!(longer|more|less|one)\b)(?=[a-z])"), "a tensor is no constant",
     "a tensor is not a constant, it is no longer used, and there is no other"),
    ("nobody", re.compile(r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]homever|[Ww]homsoever)\b"), "nobody reads it", "no operation reads it"),
    ("who, whom", re.compile(r"(?<!those )(?<!people )(?<!users )(?<!user )(?<!engineers )(?<!engineer )(?<!vendors )\b([Ww]ho|[Ww]hom)\b"), "a process who waits", "a process that waits, for users who ask"),
    ("Of ... (no verb)", re.compile(r"^///? Of (?:a|an|the|what|which|all|each|several|those|these|one|both|two)\b(?![^.]*\b(?:is|are|was|were|has|have|counts?|do|does)\b)"),
     "// Of the trap too.", "// Of the ten runs two are equal."),
]


def words_of(path, text):
    """The lines of a file that people read: all of a document; of a source its comments and string literals."""
    if path.suffix in (".md", ".txt", ".ipynb", ".html", ".yml", ".toml", ".css"):
        yield from enumerate(text.splitlines(), 1)
        return
    mark = "#" if path.suffix in (".py", ".pyi", ".cmake") else "//"
    for number, line in enumerate(text.splitlines(), 1):
        found = re.findall(r'"(?:[^"\\]|\\.)*"', line)
        rest = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        at = rest.find(mark)
        yield number, " ".join(found + ([rest[at:]] if at >= 0 else []))


def check_rules():
    for name, pattern, bad, good in RULES:
        assert pattern.search(bad), f"rule '{name}' does not find its example"
        assert not pattern.search(good), f"rule '{name}' finds its counterexample"


def long_subjects(root):
    log = subprocess.run(["git", "-C", root, "log", f"-{SUBJECTS}", "--no-merges", "--format=%h %s"], capture_output=True, text=True, check=False)
    for line in log.stdout.splitlines():
        commit, subject = line.split(" ", 1)
        if len(subject) > SUBJECT_LENGTH:
            yield f"commit {commit}: the subject has {len(subject)} characters, at most {SUBJECT_LENGTH} are allowed"


def main(root):
    check_rules()
    root = pathlib.Path(root)
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout.splitlines()
    names = listed or [str(p.relative_to(root)) for p in root.rglob("*") if "build" not in p.relative_to(root).parts[:1]]
    wrong, count = list(long_subjects(root)), 0
    for name in names:
        path = root / name
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        count += 1
        for number, words in words_of(path, path.read_text(encoding="utf-8", errors="replace")):
            for rule, pattern, _, _ in RULES:
                if pattern.search(words) and not any(name == file and part in words for file, part in ALLOWED):
                    wrong.append(f"{name}:{number}: {rule}: {words.strip()[:140]}")
    print("\n".join(wrong))
    print(f"{count} files, {len(wrong)} places")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
