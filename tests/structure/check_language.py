#!/usr/bin/python3
"""Fails on habits of wording that can be counted without false alarms, in comments, string literals and documents.

Each rule is a pattern with an example that must be found and one that must not; both are tried first. A line that has to
keep such words (a quotation of another program) is named in ALLOWED. In a checkout with history, subjects of the last 50
commits of the branch must have at most 72 characters."""
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".sh", ".cpp", ".hpp", ".h", ".c", ".def", ".in", ".py", ".pyi", ".md", ".toml", ".txt", ".cmake", ".js", ".ts", ".css", ".html",
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
]

# A comment, docstring or paragraph begins with its subject or verb; a question may begin with "What".
FRAGMENT = re.compile(r'^\s*(?://[/!]?<?|#+|/\*+|\*|r?"""|.*\S\s+//[/!]?<?|[^"#]*\S\s+#)\s*(?:What(?! if\b)|Of)\s(?!.*\?)')
FRAGMENT_OF_DOCUMENT = re.compile(r"^\s*(?:[-*] )?What\s(?!.*\?)")
FRAGMENTS = [
    (FRAGMENT, ("/// What an operator gives.", "  // Of the trap too.", '    """What a run left."""', "/** What a page shows. */",
                "int x;  ///< Of a row.", "# What a file says."),
     ("/// Results of an operator.", "// What if it fails?", "// Is it right? What then?", 'f("# What");', "// Two of the ten runs are equal.")),
    (FRAGMENT_OF_DOCUMENT, ("What the units do follows the rules.", "- What it means is a member."),
     ("# What it answers", "What does it cost?", "Of 10 runs two are equal.")),
]


def words_of(path, text):
    """The lines of a file that people read: all of a document; of a source its comments and string literals."""
    if path.suffix in (".md", ".txt", ".ipynb", ".html", ".yml", ".toml", ".css"):
        yield from enumerate(text.splitlines(), 1)
        return
    mark = "#" if path.suffix in (".py", ".pyi", ".cmake", ".sh", "") else "//"
    for number, line in enumerate(text.splitlines(), 1):
        found = re.findall(r'"(?:[^"\\]|\\.)*"', line)
        rest = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        at = rest.find(mark)
        yield number, " ".join(found + ([rest[at:]] if at >= 0 else []))


def check_rules():
    for name, pattern, bad, good in RULES:
        assert pattern.search(bad), f"rule '{name}' does not find its example"
        assert not pattern.search(good), f"rule '{name}' finds its counterexample"


    for pattern, bad, good in FRAGMENTS:
        for text in bad:
            assert pattern.search(text), f"'{text}' is not found as a fragment"
        for text in good:
            assert not pattern.search(text), f"'{text}' is found as a fragment"


def is_script(path):
    """Whether a file without a suffix is a script of a shell."""
    return not path.suffix and path.is_file() and path.read_bytes()[:2] == b"#!"


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
        if not path.is_file() or (path.suffix not in SUFFIXES and not is_script(path)):
            continue
        count += 1
        text = path.read_text(encoding="utf-8", errors="replace")
        fragment = FRAGMENT_OF_DOCUMENT if path.suffix in (".md", ".ipynb", ".html") else FRAGMENT
        for number, line in enumerate(text.splitlines(), 1):
            if fragment.search(line) and not any(name == file and part in line for file, part in ALLOWED):
                wrong.append(f"{name}:{number}: begins with What or Of: {line.strip()[:140]}")
        for number, words in words_of(path, text):
            for rule, pattern, _, _ in RULES:
                if pattern.search(words) and not any(name == file and part in words for file, part in ALLOWED):
                    wrong.append(f"{name}:{number}: {rule}: {words.strip()[:140]}")
    print("\n".join(wrong))
    print(f"{count} files, {len(wrong)} places")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
