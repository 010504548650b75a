#!/usr/bin/python3
"""Holds every #include against the table of rooms in docs/ARCHITECTURE.md and prints the arrows between rooms.

Fails on an include that the table does not allow, on an arrow in the table that no include needs, on a circle, on more
than MOST_ARROWS arrows, and on anything that joins reference/ with sim/."""
import collections
import fnmatch
import pathlib
import re
import sys

MOST_ARROWS = 41
ROW = re.compile(r"^\| `([^`]+)` \|[^|]*\|([^|]*)\|$")
INCLUDE = re.compile(r'\s*#\s*include\s+(["<])([^">]+)[">]')


def rooms_of(table):
    """The table's rows: room -> rooms it may include."""
    rows = [ROW.match(line) for line in table.read_text().splitlines()]
    return {row[1]: set(re.findall(r"`([^`]+)`", row[2])) for row in rows if row}


def room_of(path, rooms):
    """The room with the longest name that the path lies in; None for what is outside all of them."""
    if path.startswith("macaw/"):
        path = "include/" + path
    inside = [room for room in rooms if fnmatch.fnmatch(path, room + "/*")]
    return max(inside, key=len, default=None)


def circle(arrows):
    """The rooms of a circle of arrows, or None."""
    state = {}

    def visit(room, way):
        state[room] = "open"
        for there in sorted(arrows.get(room, ())):
            if state.get(there) == "open":
                return way + [room, there]
            if there not in state:
                found = visit(there, way + [room])
                if found:
                    return found
        state[room] = "done"
        return None

    for room in sorted(arrows):
        if room not in state:
            found = visit(room, [])
            if found:
                return found
    return None


def main(root, most=MOST_ARROWS):
    root = pathlib.Path(root)
    allowed = rooms_of(root / "docs/ARCHITECTURE.md")
    wrong, arrows, count = [], collections.defaultdict(set), 0
    tops = sorted({room.split("/")[0] for room in allowed})
    for path in (p for top in tops for p in sorted((root / top).rglob("*")) if p.suffix in (".cpp", ".hpp", ".h", ".def", ".in")):
        count += 1
        name = str(path.relative_to(root))
        here = room_of(name, allowed)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            there = room_of(target, allowed)
            if here is None:
                wrong.append(f"{name}: no room of docs/ARCHITECTURE.md holds it")
                break
            if there and there != here and there != "include/macaw":
                arrows[here].add(there)
                if there not in allowed[here]:
                    wrong.append(f"{name}:{number}: {here} must not include {there} ({target})")
                if {here.split("/")[0], there.split("/")[0]} == {"reference", "sim"}:
                    wrong.append(f"{name}:{number}: reference/ and sim/ never include each other ({target})")
            elif quote == '"' and not there and "_generated.h" not in target:
                wrong.append(f'{name}:{number}: write the path from the project root: "{target}"')
            elif "_generated.h" in target and here not in ("base", "reference/tosa/import", "sim/artifact") and name != "workflow/trace/forms/etdump.cpp":
                wrong.append(f"{name}:{number}: generated headers belong to the importers, and to the writer of a flatbuffer ({target})")
    for room, there in sorted(arrows.items()):
        print(f"{room} -> {', '.join(sorted(there))}")
    for room, there in allowed.items():
        wrong += [f"docs/ARCHITECTURE.md: {room} does not include {unused}" for unused in sorted(there - arrows[room] - {"include/macaw"})]
    number = sum(len(there) for there in arrows.values())
    found = circle(arrows)
    print(f"{count} files, {len(allowed)} rooms, {number} arrows, {'a circle' if found else 'no circle'}")
    if number > most:
        wrong.append(f"{number} arrows between rooms, more than {most}")
    if found:
        wrong.append("circle: " + " -> ".join(found))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
