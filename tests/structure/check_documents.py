#!/usr/bin/python3
"""Checks that what the documents name is there: links, and in backquotes files, classes, functions, subcommands, options and
ctest cases. Usage: check_documents.py ROOT"""
import fnmatch
import pathlib
import re
import subprocess
import sys

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "docs/hardware/*.md", "docs/how-to/*.md", "models/*.md",
         "tests/tools/mutants/*.md")
TYPES = ("cpp", "hpp", "h", "def", "py", "md", "toml", "fbs", "txt", "map", "js", "cmake", "cc", "ipynb", "yml")
# Files and names of other projects, and of users.
OUTSIDE = {
    # Vela
    "npu_serialisation.py", "scaling.py", "softmax.py", "lstm.py", "ethos_u_scaling.cpp", "ethos_u55.cpp", "ethos_u65.cpp",
    "ethos_u85.cpp", "ethos_u55_register_cs_generator.cpp", "ethos_u85_register_cs_generator.cpp",
    "ethos_u55_weight_encoder.cpp", "ethos_u85_weight_encoder.cpp", "compiler/compiler.cpp", "OPTIONS.md",
    # Arm's drivers, evaluation kit and platforms
    "ethosu_driver.h", "pmu_ethosu.h", "include/pmu_ethosu.h", "_u65.h", "_u85.h", "docs/sections/timing_adapters.md",
    "docs/paper/raw_data_report/amendments/h3r/base_vs_equalized.csv",
    # ExecuTorch, DRAMSys, the ML SDK
    "EthosUBackend_Cortex_A.cpp", "custom_operator_ethosu.hpp", "runner_utils.py", "BlockingReadDelay", "BlockingWriteDelay",
    "docs/source/file_format.rst",
    # Named by users
    "study.toml",
}
MOST_LINES_OF_TOUR = 700
CASE = re.compile(r"add_test\(NAME ([\w.]+)|macaw_test\((\w+)|macaw_fuzz_target\((\w+) ")


class Sources:
    def __init__(self, root):
        listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False).stdout.split("\n")
        self.files = [name for name in listed if name] or \
                     [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and "build" not in path.parts]
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePath(name).parents} - {"."}
        self.names = {pathlib.PurePath(name).name for name in self.files}
        self.tops = {name.split("/")[0] for name in self.files if "/" in name}
        text = {name: (root / name).read_text(encoding="utf-8", errors="replace") for name in self.files
                if name.endswith((".cpp", ".hpp", ".h", ".def", ".py", ".pyi", ".js", ".fbs", ".in", ".c", ".cc", "CMakeLists.txt", ".cmake"))
                or name in ("dev", "CMakePresets.json")}
        self.words = set(re.findall(r"\w+", "\n".join(text.values())))
        self.options = set(re.findall(r'--[a-z][\w-]*', "\n".join(t for n, t in text.items() if n.startswith(("app/", "tests/tools/dev/")))))
        self.subcommands = self.commands_of(text, "app/")
        self.maintainers = self.commands_of(text, "tests/tools/dev/")
        self.dev = set(re.findall(r"^  (\w+)[ \[]", text["dev"][text["dev"].index("cat <<'TXT'"):], re.M))
        self.cases = self.cases_of(text)

    @staticmethod
    def commands_of(text, folder):
        return {name for file, code in text.items() if file.startswith(folder)
                for name in re.findall(r'add_subcommand\(\s*"([\w-]+)"', code)}

    @staticmethod
    def cases_of(text):
        cases = set()
        for file, code in text.items():
            if not file.endswith("CMakeLists.txt"):
                continue
            group = pathlib.PurePath(file).parent.name
            for case, test, target in CASE.findall(code):
                cases.add(case or (f"{group}.{test}" if test else f"fuzz.{target}"))
            for names in re.findall(r"foreach\(name IN ITEMS ([\w ]+)\)", code):
                cases.update(f"{group}.{name}" for name in names.split())
        return cases | {case.split(".")[0] for case in cases}


def has_file(sources, path):
    """Whether a path, with * for any text, is that of a file or folder, from the root or, without folders, anywhere."""
    path = re.sub(r"<[\w -]+>", "*", path).rstrip("/")
    if "{" in path:
        before, rest = path.split("{", 1)
        inner, after = rest.split("}", 1)
        return all(has_file(sources, before + one + after) for one in inner.split(","))
    if "/" not in path:
        return path in sources.names or bool(fnmatch.filter(sources.names, path)) or path in sources.folders
    candidates = [path, "include/" + path]
    return any(one in sources.folders or one in sources.files or fnmatch.filter(sources.files, one) or
               fnmatch.filter(sources.folders, one) for one in candidates)


def faults_of(span, sources):
    """Missing names that one text in backquotes refers to."""
    if span in OUTSIDE:
        return
    words = span.split()
    if words and words[0] in ("macaw", "build/release/macaw", "macaw-dev", "./dev"):
        known = sources.dev | {"help"} if words[0] == "./dev" else (sources.maintainers if words[0] == "macaw-dev" else sources.subcommands) | {"help"}
        if len(words) > 1 and re.fullmatch(r"[a-z][\w-]*", words[1]) and words[1] not in known:
            yield f"there is no command '{words[0]} {words[1]}'"
        if words[0] != "./dev":
            yield from (f"there is no option {option}" for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", span)
                        if option not in sources.options)
        return
    case = re.fullmatch(r"([a-z_]+)\.([a-z0-9_]+)", span)
    if case and case[1] in sources.cases and case[2] not in (*TYPES, "json", "xml"):
        if span not in sources.cases:
            yield f"there is no test {span}"
        return
    if re.fullmatch(r"[\w.*<>{},-]+(/[\w.*<>{},-]*)*", span):
        path = span.split(":")[0]
        first = path.split("/")[0]
        is_path = "/" in path and (first in sources.tops or first == "macaw") or \
            "/" not in path and re.fullmatch(rf"[\w*<>-]+\.({'|'.join(TYPES)})", path)
        if is_path:
            if not has_file(sources, path):
                yield f"there is no {path}"
            return
    name = re.fullmatch(r"(?:[\w~]+(?:::|\.))*(\w+)(?:\(\))?(?:<\w*>)?", span)
    if name and (span.endswith("()") or "::" in span or re.fullmatch(r"(?=\w*[a-z]\w*)[A-Z]\w*[a-z0-9][A-Z]\w*", name[1])):
        yield from (f"there is no {word}" for word in re.findall(r"\w+", span) if word not in sources.words)


def too_long_a_tour(root):
    """The code that docs/READING_ORDER.md asks for has to fit half an hour."""
    tour = root / "docs/READING_ORDER.md"
    files = re.findall(r"^\| `([\w/.]+)` \|", tour.read_text(encoding="utf-8"), re.M) if tour.exists() else []
    lines = sum(len((root / file).read_text(encoding="utf-8").splitlines()) for file in files if (root / file).exists())
    if lines > MOST_LINES_OF_TOUR:
        yield f"docs/READING_ORDER.md: {lines} lines of code, more than {MOST_LINES_OF_TOUR}"


def main(root):
    root = pathlib.Path(root)
    sources, wrong, count = Sources(root), list(too_long_a_tour(root)), 0
    for page in sorted(page for pattern in PAGES for page in root.glob(pattern)):
        text = page.read_text(encoding="utf-8")
        at = f"{page.relative_to(root)}"
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        wrong += [f"{at}: there is no {target}" for target in re.findall(r"\]\(([^)#\s]+)", prose)
                  if "://" not in target and not (page.parent / target).exists()]
        for span in re.findall(r"`([^`\n]+)`", prose):
            count += 1
            wrong += [f"{at}: `{span}`: {fault}" for fault in faults_of(span, sources)]
    print("\n".join(dict.fromkeys(wrong)) if wrong else f"{count} names in documents are there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
