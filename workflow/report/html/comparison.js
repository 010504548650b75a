const {runs, layers} = run;
const first = runs[0], last = runs.length - 1;
const signed = n => (n > 0 ? "+" : n < 0 ? "\u2212" : "") + whole(Math.abs(n));
const change = (then, now) => then && now !== then ? (now < then ? "\u2212" : "+") + percent(Math.abs(now - then) / then) : "";
/** "+120 (+0.3 %)"; the share only where there is one. */
const amount = (then, now) => { const share = change(then, now); return signed(now - then) + (share && ` (${share})`); };
const difference = l => (l.cycles[last] || 0) - (l.cycles[0] || 0);
/** "2.45\u00d7 faster"; empty where that is not known. */
const speed = r => !r.speed_up || r.speed_up === 1 ? "" :
  `${Math.max(r.speed_up, 1 / r.speed_up).toFixed(2)}\u00d7 ${r.speed_up > 1 ? "faster" : "slower"}`;
const paired = layers.filter(l => l.paired), alone = layers.filter(l => !l.paired);
const mark = n => n > 0 ? "more" : n < 0 ? "less" : "";

const final = runs[last];
document.title = `${runs.map(r => r.label).join(" vs ")}: ${speed(final) || "as fast"}`;
byId("title").textContent = document.title;
figures(byId("figures"), [
  [speed(final) || "as fast", `${final.label}, ${change(first.cycles, final.cycles) || "no change"} of cycles`],
  [`${short(first.cycles)} \u2192 ${short(final.cycles)}`, "NPU cycles"],
  [`${first.milliseconds.toFixed(2)} \u2192 ${final.milliseconds.toFixed(2)}`, "milliseconds"],
  [`${short(first.macs)} \u2192 ${short(final.macs)}`, "multiply-accumulates"],
  [`${bytes(first.bytes)} \u2192 ${bytes(final.bytes)}`, "memory traffic"],
  [`${paired.filter(difference).length} of ${paired.length}`, "layers changed"],
  [whole(alone.length), "layers without a counterpart"],
]);
sortable(byId("runs"), [
  {name: "run", text: true, key: r => r.index, show: r => r.label},
  {name: "network", text: true, wrap: true, key: r => r.network, show: r => r.network},
  {name: "accelerator", text: true, key: r => r.accelerator, show: r => r.accelerator},
  {name: "system", text: true, key: r => r.system, show: r => `${r.system}, ${r.memory_mode}`},
  {name: "cycles", key: r => r.cycles, show: r => whole(r.cycles)},
  {name: "change", key: r => r.cycles - first.cycles, show: r => r === first ? "" : amount(first.cycles, r.cycles),
    mark: r => mark(r.cycles - first.cycles)},
  {name: "speed-up", key: r => r.speed_up || 0, show: r => r === first ? "" : speed(r)},
  {name: "ms", key: r => r.milliseconds, show: r => r.milliseconds.toFixed(3)},
  {name: "MACs", key: r => r.macs, show: r => whole(r.macs)},
  {name: "bytes", key: r => r.bytes, show: r => whole(r.bytes)},
], runs, 0);

// The parts of the predicted time of each whole inference. A part that a run does not have takes no time.
const inference = run.inference;
byId("whole-section").hidden = !inference;
if (inference) {
  const ms = n => n.toFixed(3), isUnknown = (p, i) => p.exists[i] && p.ms[i] === null;
  const difference = p => isUnknown(p, 0) || isUnknown(p, last) ? null : (p.ms[last] || 0) - (p.ms[0] || 0);
  const by = n => n === null ? "unknown" : (n < 0 ? "\u2212" : "+") + ms(Math.abs(n));
  const total = t => t.lower_bound ? `at least ${ms(t.ms)} ms` : `${ms(t.ms)} ms (${ms(t.low_ms)} to ${ms(t.high_ms)} ms)`;
  byId("whole-totals").textContent = "Predicted: " + inference.totals.map((t, i) => `${runs[i].label} ${total(t)}`).join(", ") + ".";
  const most = Math.max(1e-9, ...inference.parts.map(p => Math.abs(difference(p) || 0)));
  const kinds = {npu: "NPU", cpu: "CPU"};
  sortable(byId("whole"), [
    {name: "part", text: true, key: p => p.kind, show: p => kinds[p.kind] || p.kind.replace("_", " ")},
    {name: "what", text: true, wrap: true, key: p => p.name, show: p => p.name},
    {name: "change", title: "milliseconds of the last run less those of the first", key: p => difference(p) === null ? Infinity : Math.abs(difference(p)), show: p => by(difference(p)),
      bar: p => [Math.abs(difference(p) || 0) / most, difference(p) > 0 ? "var(--more)" : "var(--less)"], mark: p => mark(difference(p) || 0)},
    ...runs.map((r, i) => ({name: r.label, title: `milliseconds in ${r.label}`, key: p => p.ms[i] === null ? -1 : p.ms[i],
      show: p => !p.exists[i] ? "no counterpart" : isUnknown(p, i) ? "unknown" : ms(p.ms[i])})),
  ], inference.parts, 2, undefined, 20, {tools: byId("whole-tools"), file: "inference.csv"});
}

// A bar for each run, as long as it took; what binds has its own colour.
const bounds = new Map();
for (const r of runs) for (const [name, cycles] of r.time) bounds.set(name, (bounds.get(name) || 0) + cycles);
const byTime = [...bounds.keys()].sort((a, b) => bounds.get(b) - bounds.get(a));
const longest = Math.max(1, ...runs.map(r => r.milliseconds));
for (const r of runs) {
  html(byId("bounds"), "div", r.label, "note");
  const stack = html(byId("bounds"), "div", undefined, "stack");
  stack.style.width = percent(r.milliseconds / longest).replace(" ", "");
  stack.setAttribute("role", "img");
  stack.setAttribute("aria-label", r.time.map(([name, cycles]) => `${name} ${percent(cycles / r.cycles)}`).join(", "));
  for (const [name, cycles] of r.time) {
    const part = html(stack, "i");
    part.style.flexGrow = cycles;
    part.style.background = boundColour(name);
    part.title = `${name} ${percent(cycles / r.cycles)}`;
  }
}
legend(byId("bounds-legend"), byTime.filter(name => runs.some(r => r.time.some(([n, cycles]) => n === name && cycles >= r.cycles / 200)))
  .map(name => [boundColour(name), name]));

const most = Math.max(1, ...layers.map(l => Math.abs(difference(l))));
const cells = runs.map((r, i) => ({name: r.label, title: `exclusive cycles in ${r.label}`, key: l => l.cycles[i] === null ? -1 : l.cycles[i],
  show: l => l.cycles[i] === null ? "no counterpart" : whole(l.cycles[i])}));
const boundColumn = {name: "bound by", text: true, key: l => l.bounds.join(), show: l => [...new Set(l.bounds.filter(Boolean))].join(" \u2192 ")};
const layerTable = sortable(byId("layers"), [
  {name: "layer", text: true, wrap: true, key: l => l.index, show: l => l.name},
  {name: "change", title: "exclusive cycles of the last run less those of the first", key: l => Math.abs(difference(l)), show: l => amount(l.cycles[0], l.cycles[last]),
    bar: l => [Math.abs(difference(l)) / most, difference(l) > 0 ? "var(--more)" : "var(--less)"], mark: l => mark(difference(l))},
  ...cells,
  boundColumn,
], paired, 1, undefined, Infinity, {tools: byId("layer-tools"), key: "layers", file: "layers.csv"});
byId("alone-section").hidden = !alone.length;
sortable(byId("alone"), [
  {name: "layer", text: true, wrap: true, key: l => l.index, show: l => l.name},
  ...cells,
  {name: "MACs", key: l => Math.max(...l.macs.map(n => n || 0)), show: l => whole(Math.max(...l.macs.map(n => n || 0)))},
  boundColumn,
], alone, 1, undefined, Infinity, {tools: byId("alone-tools"), file: "unmatched.csv"});

// Small multiples: the layers of most cycles, a bar for each run, on one scale.
byId("multiples-section").hidden = runs.length < 3;
if (runs.length >= 3) {
  const reach = l => Math.max(...l.cycles.map(n => n || 0)), shown = [...layers].sort((a, b) => reach(b) - reach(a)).slice(0, 12), top = Math.max(1, reach(shown[0] || {cycles: [0]}));
  for (const l of shown) {
    const figure = html(byId("multiples"), "figure");
    html(figure, "figcaption", l.name).title = l.name;
    runs.forEach((r, i) => {
      const line = html(figure, "div", undefined, "multiple");
      html(line, "span", r.label);
      const bar = html(html(line, "span", undefined, "track"), "span", undefined, "bar");
      bar.style.width = (100 * (l.cycles[i] || 0) / top).toFixed(1) + "%";
      bar.style.background = "var(--accent)";
      html(line, "span", l.cycles[i] === null ? "no counterpart" : whole(l.cycles[i]));
    });
  }
}
function filter() {
  const words = searchWords(byId("search").value);
  const found = layerTable.filter(l => matchesWords(words, l.name) && (!byId("moved").checked || difference(l) !== 0));
  byId("found").textContent = `${found} of ${paired.length} layers`;
}
byId("search").addEventListener("input", filter);
byId("moved").addEventListener("change", filter);
filter();
