/** Sortable by the buttons in its head. A column: name, key(row), show(row); title: what it is, with its unit; text: left; pick: its cell
 * selects the row; bar(row): [share, colour]; off: hidden until it is chosen. At most `limit` rows are shown until the button below the
 * table is pressed. `options`: tools, an element for the buttons of columns and export; key, under which the address keeps order and
 * columns; file, the name of an exported file. */
function sortable(table, columns, rows, first, pick, limit = Infinity, options = {}) {
  const kept = name => options.key && view.get(options.key + name), keep = (name, value) => options.key && view.set(options.key + name, value);
  let by = first, down = !columns[first].text, filter = () => true;
  const sorted = kept("Sort") && columns.findIndex(c => c.name === kept("Sort").replace(/^-/, ""));
  if (sorted >= 0) [by, down] = [sorted, kept("Sort").startsWith("-")];
  const chosen = kept("Columns") && new Set(kept("Columns").split(","));
  const isOff = columns.map(c => chosen ? !chosen.has(c.name) : !!c.off);
  const nodes = new Map();
  const more = html(table.parentNode, "button", undefined, "show-all");
  more.addEventListener("click", () => { limit = Infinity; draw(); });
  const head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
  columns.forEach((column, i) => {
    const cell = html(head, "th", undefined, (column.text ? "text" : "") + (column.pick ? " stick" : ""));
    cell.scope = "col";
    cell.hidden = isOff[i];
    const button = html(cell, "button", column.name);
    if (column.title) button.title = column.title;
    button.addEventListener("click", () => {
      down = i === by ? !down : !column.text;
      by = i;
      keep("Sort", (down ? "-" : "") + column.name);
      draw();
    });
  });
  function node(row) {
    if (nodes.has(row)) return nodes.get(row);
    const line = document.createElement("tr");
    columns.forEach((column, i) => {
      const cell = html(line, "td", undefined, column.text ? "text" + (column.pick ? " name stick" : "") + (column.wrap ? " wrap" : "") : "");
      cell.hidden = isOff[i];
      if (column.bar) {
        const [share, colour] = column.bar(row), bar = html(html(cell, "span", undefined, "track"), "span", undefined, "bar");
        bar.style.width = (100 * share).toFixed(1) + "%";
        bar.style.background = colour;
      }
      const text = column.show(row);
      if (column.tip) cell.title = column.tip(row);
      if (column.pick) {
        const button = html(cell, "button", text);
        button.title = column.tip ? column.tip(row) : text;
        button.addEventListener("click", () => pick(row));
      } else if (column.code) html(cell, "code", text);
      else if (column.mark) html(cell, "span", text, column.mark(row));
      else if (column.wrap) cell.append(...text.split(/(?<=[_./-])/).flatMap(part => [part, document.createElement("wbr")]));
      else cell.append(text);
    });
    nodes.set(row, line);
    return line;
  }
  const shown = () => sortedRows(rows.filter(filter), columns[by].key, down);
  function draw() {
    [...head.children].forEach((cell, i) => i === by ? cell.setAttribute("aria-sort", down ? "descending" : "ascending")
      : cell.removeAttribute("aria-sort"));
    const list = shown();
    body.replaceChildren(...list.slice(0, limit).map(node));
    more.hidden = list.length <= limit;
    more.textContent = `Show all ${whole(list.length)}`;
    return list.length;
  }
  function showColumns() {
    columns.forEach((_, i) => {
      head.children[i].hidden = isOff[i];
      for (const line of nodes.values()) line.children[i].hidden = isOff[i];
    });
    keep("Columns", columns.filter((_, i) => !isOff[i]).map(c => c.name).join(","));
  }
  if (options.tools) tableTools(options.tools, columns, isOff, showColumns, separator => delimited(columns.filter((_, i) => !isOff[i]), shown(), separator), options.file);
  draw();
  return {node, filter: test => { filter = test; return draw(); }};
}

/** Buttons to choose columns, to copy a table and to save it. text(separator): the table as it is shown, all its rows. */
function tableTools(tools, columns, isOff, changed, text, file) {
  const choice = html(tools, "details", undefined, "columns");
  html(choice, "summary", "Columns");
  const list = html(choice, "div");
  columns.forEach((column, i) => {
    const label = html(list, "label");
    const box = html(label, "input");
    box.type = "checkbox";
    box.checked = !isOff[i];
    box.disabled = !!column.pick;
    label.append(" " + column.name);
    if (column.title) label.title = column.title;
    box.addEventListener("change", () => { isOff[i] = !box.checked; changed(); });
  });
  const copy = html(tools, "button", "Copy table");
  copy.title = "The rows and columns shown, separated by tabs, for a spreadsheet";
  copy.addEventListener("click", () => copyText(text("\t"), copy));
  const save = html(tools, "button", "Save CSV");
  save.title = "The rows and columns shown, as a file of comma-separated values";
  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text(",")], {type: "text/csv"}));
    link.download = file;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
/** Puts a text on the clipboard, and says so on the button for a moment. */
function copyText(text, button) {
  const name = button.textContent, done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = name; }, 1200); };
  const byHand = () => {  // pages opened as files may not be let near the clipboard
    const area = html(document.body, "textarea");
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}
