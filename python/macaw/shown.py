"""Short text representations of results for consoles and notebooks, without arrays."""
import html


def html_table(rows, head=()):
    """A table of HTML; every cell is text."""
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{html.escape(str(name))}</th>" for name in head) + "</tr>")
    lines += ["<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"]) + "\n"


def arrays(names, values, most=3):
    """'logits int8 [1, 10], ... and 2 more'."""
    texts = [f"{name} {value.dtype} {list(value.shape)}" for name, value in zip(names[:most], values)]
    if len(values) > most:
        texts.append(f"... and {len(values) - most} more")
    return ", ".join(texts) or "none"
