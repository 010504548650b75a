"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const byId = id => document.getElementById(id);
const whole = n => Math.round(n).toLocaleString("en-US");
const short = n => n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M"
  : n >= 1e4 ? (n / 1e3).toFixed(1) + " k" : whole(n);
const bytes = n => short(n) + (n >= 1e4 ? "B" : " B");
/** Two numbers with their unit once, where it is the same. */
const between = (a, b) => {
  const [low, high] = [short(a), short(b)], unit = low.replace(/^[\d.,]+/, "");
  return (high.endsWith(unit) && unit ? low.slice(0, -unit.length) : low) + "\u2013" + high;
};
/** A text with its large numbers in groups of three digits. */
const grouped = text => text.replace(/\b\d{5,}\b/g, digits => whole(Number(digits)));
const percent = share => (100 * share).toFixed(1) + " %";

// A colour belongs to a kind of operation, whatever else is in the network.
const kindColours = {CONV: "#3f7fbf", DEPTHWISE: "#2f9e77", POOL: "#b079c4", ELEMENTWISE: "#e08a2e", DMA_START: "#8a94a3",
  RESIZE: "#c75b7a"};
const kindOf = name => name.replace("NPU_OP_", "");
const kindColour = name => kindColours[kindOf(name)] || "#6d6d6d";

// And one to what binds: the second of a unit that moves data is that of the external memory's port.
const boundColours = {"MAC array": ["#e08a2e"], "output unit": ["#2f9e77"], "weight decoder": ["#8a94a3"], "operation before": ["#b59b3b"],
  "command stream": ["#5d7f8c"], "DMA": ["#4a4f9e"], "weights read": ["#7fb0dd", "#3f7fbf"], "feature maps read": ["#e39ab0", "#c75b7a"],
  "feature maps written": ["#cfa6dc", "#b079c4"]};
function boundColour(name) {
  const [unit, port] = name.split(" on "), [first, second] = boundColours[unit] || ["#6d6d6d"];
  return second && /axi1|ext/.test(port) ? second : first;
}

function html(parent, name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  parent.appendChild(node);
  return node;
}
function legend(list, entries) {
  list.replaceChildren();
  for (const [colour, text] of entries) {
    const item = html(list, "li");
    html(item, "i").style.background = colour;
    item.append(text);
  }
}
function figures(list, entries) {
  for (const [value, name] of entries) {
    const box = html(list, "div");
    html(box, "dt", name);
    html(box, "dd", value.replace(/(\d) (?=[kMG%m])/g, "$1\u00a0"));
  }
}

/** Sortable by the buttons in its head. A column: name, key(row), show(row); text: left; bar(row): [share, colour]. At most
 * `limit` rows are shown until the button below the table is pressed. */
function sortable(table, columns, rows, first, pick, limit = Infinity) {
  let by = first, down = !columns[first].text, filter = () => true;
  const nodes = new Map();
  const more = html(table.parentNode, "button", undefined, "show-all");
  more.addEventListener("click", () => { limit = Infinity; draw(); });
  const head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
  columns.forEach((column, i) => {
    const cell = html(head, "th", undefined, column.text ? "text" : "");
    cell.scope = "col";
    html(cell, "button", column.name).addEventListener("click", () => { down = i === by ? !down : !column.text; by = i; draw(); });
  });
  function node(row) {
    if (nodes.has(row)) return nodes.get(row);
    const line = document.createElement("tr");
    for (const column of columns) {
      const cell = html(line, "td", undefined, column.text ? "text" + (column.pick ? " name" : "") + (column.wrap ? " wrap" : "") : "");
      if (column.bar) {
        const [share, colour] = column.bar(row), bar = html(html(cell, "span", undefined, "track"), "span", undefined, "bar");
        bar.style.width = (100 * share).toFixed(1) + "%";
        bar.style.background = colour;
      }
      const text = column.show(row);
      if (column.pick) {
        const button = html(cell, "button", text);
        button.title = text;
        button.addEventListener("click", () => pick(row));
      } else if (column.code) html(cell, "code", text);
      else if (column.mark) html(cell, "span", text, column.mark(row));
      else if (column.wrap) cell.append(...text.split(/(?<=[_./-])/).flatMap(part => [part, document.createElement("wbr")]));
      else cell.append(text);
    }
    nodes.set(row, line);
    return line;
  }
  function draw() {
    [...head.children].forEach((cell, i) => i === by ? cell.setAttribute("aria-sort", down ? "descending" : "ascending")
      : cell.removeAttribute("aria-sort"));
    const key = columns[by].key, shown = rows.filter(filter);
    shown.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
    body.replaceChildren(...shown.slice(0, limit).map(node));
    more.hidden = shown.length <= limit;
    more.textContent = `Show all ${whole(shown.length)}`;
    return shown.length;
  }
  draw();
  return {node, filter: test => { filter = test; return draw(); }};
}

const tip = byId("tip");
function showTip(text, event) {
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
}
