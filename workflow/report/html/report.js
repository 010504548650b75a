"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const palette = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f"];
const kinds = [...new Set(run.operations.map(o => o.name))];
const colour = o => palette[kinds.indexOf(o.name) % palette.length];
const whole = n => Math.round(n).toLocaleString("en-US");
const short = n => n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M"
  : n >= 1e4 ? (n / 1e3).toFixed(1) + " k" : whole(n);
const bytesOf = o => o.memory.reduce((sum, m) => sum + m.bytes, 0);
const label = o => (o.source ? o.source + "  " : "") + o.name.replace("NPU_OP_", "");

function svg(parent, name, attributes, tip) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (attributes.text !== undefined) node.textContent = attributes.text;
  if (tip) node.dataset.tip = tip;
  parent.appendChild(node);
  return node;
}
function html(parent, name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  parent.appendChild(node);
  return node;
}
function describe(o) {
  const lines = [label(o), `command ${o.command}, cycles ${whole(o.start)} to ${whole(o.end)} (${whole(o.end - o.start)})`,
    `bound by ${o.bound}`];
  if (o.macs) lines.push(`${whole(o.macs)} MACs, ${(o.macs / (o.end - o.start)).toFixed(1)} per cycle`);
  for (const m of o.memory) lines.push(`${m.write ? "writes" : "reads"} ${m.purpose}: ${whole(m.bytes)} bytes, region ${m.region}`);
  return lines.join("\n");
}

const tip = document.getElementById("tip");
document.addEventListener("mousemove", event => {
  const text = event.target.dataset && event.target.dataset.tip;
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
});

function summary() {
  document.title = `${run.network} on ${run.accelerator}`;
  document.getElementById("title").textContent = document.title;
  document.getElementById("subtitle").textContent =
    `System ${run.system}, ${run.memory_mode}, ${run.operations.length} operations. Cycles: ${run.accuracy}.`;
  const macs = run.operations.reduce((sum, o) => sum + o.macs, 0);
  const moved = run.operations.reduce((sum, o) => sum + bytesOf(o), 0);
  const figures = document.getElementById("figures");
  for (const [value, name] of [
    [whole(run.cycles), "NPU cycles"],
    [(1e3 * run.cycles / run.clock_hz).toFixed(3) + " ms", `at ${whole(run.clock_hz / 1e6)} MHz`],
    [(run.clock_hz / run.cycles).toFixed(1), "inferences per second"],
    [short(macs), "multiply-accumulates"],
    [(100 * macs / run.cycles / run.macs_per_cycle).toFixed(1) + " %", `of ${run.macs_per_cycle} MACs per cycle`],
    [short(moved) + "B", "moved by operations"]]) {
    const box = html(figures, "div", undefined, "figure");
    html(box, "b", value);
    html(box, "span", name);
  }
}

function timeline() {
  const units = [...new Set(run.operations.flatMap(o => Object.keys(o.busy)))].sort();
  const rows = ["operations", ...units];
  const left = 130, width = 1240, rowHeight = 22, height = rows.length * rowHeight + 24;
  const root = document.getElementById("timeline");
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  let from = 0, to = run.cycles;

  function draw() {
    root.replaceChildren();
    const x = cycle => left + (cycle - from) / (to - from) * (width - left);
    rows.forEach((row, i) => {
      svg(root, "text", {x: left - 8, y: i * rowHeight + 15, "text-anchor": "end", text: row});
      svg(root, "line", {x1: left, x2: width, y1: (i + 1) * rowHeight, y2: (i + 1) * rowHeight, class: "axis"});
    });
    const taken = {};
    for (const o of run.operations) {
      const bar = (row, start, end) => {
        const a = Math.max(x(start), left), b = Math.min(x(end), width);
        if (b <= left || a >= width) return;
        svg(root, "rect", {x: a.toFixed(2), y: row * rowHeight + 3, width: Math.max(b - a, 0.4).toFixed(2),
          height: rowHeight - 6, fill: colour(o), class: "mark"}, describe(o));
      };
      bar(0, o.start, o.end);
      units.forEach((unit, i) => {
        const busy = o.busy[unit] || 0;
        if (!busy) return;
        const start = Math.max(o.start, taken[unit] || 0);
        taken[unit] = start + busy;
        bar(i + 1, start, start + busy);
      });
    }
    for (let i = 0; i <= 6; ++i) {
      const cycle = from + (to - from) * i / 6;
      svg(root, "text", {x: x(cycle), y: height - 6, "text-anchor": i === 6 ? "end" : i ? "middle" : "start", text: short(cycle)});
    }
  }
  function zoom(factor, centre) {
    const span = Math.min(run.cycles, Math.max(100, (to - from) * factor));
    const share = (centre - from) / (to - from);
    from = Math.max(0, Math.min(run.cycles - span, centre - share * span));
    to = from + span;
    draw();
  }
  const at = event => {
    const box = root.getBoundingClientRect();
    const px = (event.clientX - box.left) / box.width * width;
    return from + Math.max(0, px - left) / (width - left) * (to - from);
  };
  root.addEventListener("wheel", event => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event)); }, {passive: false});
  let grabbed = null;
  root.addEventListener("mousedown", event => { grabbed = at(event); event.preventDefault(); });
  addEventListener("mouseup", () => { grabbed = null; });
  root.addEventListener("mousemove", event => {
    if (grabbed === null) return;
    const shift = Math.max(-from, Math.min(run.cycles - to, grabbed - at(event)));
    from += shift;
    to += shift;
    draw();
  });
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") { from = 0; to = run.cycles; draw(); }
      else zoom(Number(button.dataset.zoom), (from + to) / 2);
    });
  draw();
  const legend = document.getElementById("kinds");
  kinds.forEach((kind, i) => {
    const item = html(legend, "span");
    html(item, "i").style.background = palette[i % palette.length];
    item.append(kind.replace("NPU_OP_", ""));
  });
}

function roofline() {
  const points = run.operations.filter(o => o.macs && bytesOf(o))
    .map(o => ({o, x: o.macs / bytesOf(o), y: o.macs / (o.end - o.start)}));
  const root = document.getElementById("roofline"), width = 600, height = 380, left = 46, bottom = 34;
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const bandwidth = run.bytes_per_cycle[0] + run.bytes_per_cycle[1];
  const ridge = run.macs_per_cycle / bandwidth;
  const span = (values, spare) => [Math.floor(Math.log10(Math.min(...values) / spare)), Math.ceil(Math.log10(Math.max(...values) * spare))];
  const [x0, x1] = span([ridge, ...points.map(p => p.x)], 1.2);
  const [y0, y1] = span([run.macs_per_cycle, ...points.map(p => p.y)], 1.2);
  const px = v => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - 12);
  const py = v => height - bottom - (Math.log10(v) - y0) / (y1 - y0) * (height - bottom - 12);
  for (let e = x0; e <= x1; ++e) {
    svg(root, "line", {x1: px(10 ** e), x2: px(10 ** e), y1: 12, y2: height - bottom, class: "axis"});
    svg(root, "text", {x: px(10 ** e), y: height - bottom + 15, "text-anchor": "middle", text: String(10 ** e)});
  }
  for (let e = y0; e <= y1; ++e) {
    svg(root, "line", {x1: left, x2: width - 12, y1: py(10 ** e), y2: py(10 ** e), class: "axis"});
    svg(root, "text", {x: left - 6, y: py(10 ** e) + 4, "text-anchor": "end", text: String(10 ** e)});
  }
  svg(root, "text", {x: (width + left) / 2, y: height - 4, "text-anchor": "middle", text: "MACs per byte"});
  svg(root, "text", {x: left + 5, y: 24, text: "MACs per cycle"});
  const lowest = Math.max(10 ** x0, 10 ** y0 / bandwidth);
  svg(root, "polyline", {points: [[px(lowest), py(lowest * bandwidth)], [px(ridge), py(run.macs_per_cycle)],
    [px(10 ** x1), py(run.macs_per_cycle)]].map(p => p.map(v => v.toFixed(1)).join()).join(" "),
    fill: "none", stroke: "var(--accent)", "stroke-width": 1.5});
  for (const p of points) {
    const share = (p.o.end - p.o.start) / run.cycles;
    svg(root, "circle", {cx: px(p.x).toFixed(1), cy: py(p.y).toFixed(1), r: (3 + 22 * Math.sqrt(share)).toFixed(1),
      fill: colour(p.o), "fill-opacity": 0.55, class: "mark"}, describe(p.o));
  }
  document.getElementById("roofs").textContent =
    `Roof: ${run.macs_per_cycle} MACs per cycle, and ${bandwidth.toFixed(2)} bytes per cycle of ${run.sides.join(" and ")} together.`;
}

function memoryMap() {
  const root = document.getElementById("memory"), width = 600, left = 62, rowHeight = 150, gap = 24;
  const rectangles = [];
  const regions = [...new Set(run.operations.flatMap(o => o.memory.map(m => m.region)))].sort((a, b) => a - b);
  for (const region of regions) {
    const open = [];
    for (const o of run.operations) {
      for (const m of o.memory.filter(m => m.region === region && !m.write)) {
        const hits = open.filter(r => r.first <= m.last && m.first <= r.last);
        for (const r of hits) r.end = Math.max(r.end, o.end);
        if (!hits.length) open.push({region, first: m.first, last: m.last, start: o.start, end: o.end, o, what: "only read: " + m.purpose});
      }
      for (const m of o.memory.filter(m => m.region === region && m.write)) {
        for (const r of open.filter(r => m.first <= r.last && r.first <= m.last)) { open.splice(open.indexOf(r), 1); rectangles.push(r); }
        open.push({region, first: m.first, last: m.last, start: o.start, end: o.end, o, what: "written", write: true});
      }
    }
    rectangles.push(...open);
  }
  const height = regions.length * (rowHeight + gap);
  root.setAttribute("viewBox", `0 0 ${width} ${Math.max(height, 40)}`);
  regions.forEach((region, i) => {
    const mine = rectangles.filter(r => r.region === region);
    const top = Math.max(...mine.map(r => r.last)) + 1, base = i * (rowHeight + gap) + 14;
    svg(root, "text", {x: 0, y: base - 3, text: `region ${region}, ${run.sides[run.region_side[region]]}: ${whole(top)} bytes`});
    svg(root, "rect", {x: left, y: base, width: width - left, height: rowHeight, fill: "none", class: "axis"});
    svg(root, "text", {x: left - 6, y: base + rowHeight, "text-anchor": "end", text: "0"});
    svg(root, "text", {x: left - 6, y: base + 10, "text-anchor": "end", text: short(top)});
    for (const r of mine) {
      const x = left + r.start / run.cycles * (width - left), y = base + rowHeight - (r.last + 1) / top * rowHeight;
      svg(root, "rect", {x: x.toFixed(2), y: y.toFixed(2), width: Math.max((r.end - r.start) / run.cycles * (width - left), 0.5).toFixed(2),
        height: Math.max((r.last - r.first + 1) / top * rowHeight, 0.5).toFixed(2), fill: colour(r.o),
        "fill-opacity": r.write ? 0.75 : 0.25, class: "mark"},
        `${label(r.o)}\n${r.what}, bytes ${whole(r.first)} to ${whole(r.last)}\ncycles ${whole(r.start)} to ${whole(r.end)}`);
    }
  });
}

function sortable(table, columns, rows, first) {
  let by = first, down = true;
  function draw() {
    table.replaceChildren();
    const head = html(html(table, "thead"), "tr");
    columns.forEach((column, i) => {
      const cell = html(head, "th", column.name, column.text ? "text" : "");
      if (i === by) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      cell.addEventListener("click", () => { down = i === by ? !down : !column.text; by = i; draw(); });
    });
    const key = columns[by].key;
    const sorted = [...rows].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
    const body = html(table, "tbody");
    for (const row of sorted) {
      const line = html(body, "tr");
      for (const column of columns) {
        const cell = html(line, "td", undefined, column.text ? "text" : "");
        if (column.bar) {
          const bar = html(cell, "span", undefined, "bar");
          bar.style.width = (90 * column.bar(row)).toFixed(1) + "px";
          bar.style.background = colour(row);
        }
        cell.append(column.show(row));
      }
    }
  }
  draw();
}

function tables() {
  const cycles = o => o.end - o.start;
  const number = (name, key) => ({name, key, show: o => whole(key(o))});
  sortable(document.getElementById("operations"), [
    number("command", o => o.command),
    {name: "operation", text: true, key: o => o.name, show: o => o.name.replace("NPU_OP_", "")},
    {name: "source", text: true, key: o => o.source, show: o => o.source},
    number("start", o => o.start),
    {...number("cycles", cycles), bar: o => cycles(o) / Math.max(...run.operations.map(cycles))},
    {name: "share", key: cycles, show: o => (100 * cycles(o) / run.cycles).toFixed(1) + " %"},
    number("MACs", o => o.macs),
    {name: "of peak", key: o => o.macs / cycles(o), show: o => o.macs ? (100 * o.macs / cycles(o) / run.macs_per_cycle).toFixed(1) + " %" : ""},
    number("bytes", bytesOf),
    {name: "bound by", text: true, key: o => o.bound, show: o => o.bound},
  ], run.operations, 4);
  sortable(document.getElementById("counters"), [
    {name: "event", text: true, key: e => e[0], show: e => e[0]},
    {name: "count", key: e => e[1], show: e => whole(e[1])},
  ], Object.entries(run.pmu), 1);
}

summary();
timeline();
roofline();
memoryMap();
tables();
