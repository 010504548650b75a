function summary() {
  document.title = `${run.network} on ${run.accelerator}`;
  byId("title").textContent = document.title;
  byId("subtitle").textContent = `System ${run.system}, ${run.memory_mode}, ${layers.length} layers, ${whole(operations.length)} operations. Cycles ${grouped(run.accuracy)}.`;
  const macs = operations.reduce((sum, o) => sum + o.macs, 0), moved = layers.reduce((sum, l) => sum + l.moved, 0);
  const ms = 1e3 * run.cycles / run.clock_hz;
  const entries = [[whole(run.cycles), "NPU cycles"],
    [ms.toFixed(3) + " ms", `at ${whole(run.clock_hz / 1e6)} MHz, ${(run.clock_hz / run.cycles).toFixed(1)} inferences per second`],
    [short(macs), "multiply-accumulates"],
    [percent(macs / run.cycles / run.macs_per_cycle), `of ${run.macs_per_cycle} MACs per cycle`],
    [bytes(moved), "moved by operations"]];
  entries.splice(1, 0, run.interval ? [between(...run.interval), "90 % prediction interval"]
    : ["no interval", "see the line above for the reason"]);
  figures(byId("figures"), entries);
}

function findings() {
  const rows = run.bounds.map(([bound, cycles]) => [boundColour(bound), `${bound} ${percent(cycles / run.cycles)}`, cycles]);
  const stack = byId("bounds");
  stack.setAttribute("aria-label", rows.map(row => row[1]).join(", "));
  for (const [colour, text, cycles] of rows) {
    const part = html(stack, "i");
    part.style.flexGrow = cycles;
    part.style.background = colour;
    part.title = text;
  }
  legend(byId("bounds-legend"), rows.filter(row => row[2] >= run.cycles / 2000));
  for (const text of run.findings) html(byId("findings"), "li", grouped(text));
  if (run.host.length) {
    byId("host").hidden = false;
    byId("host").textContent = `On the CPU${run.inference ? "" : ", without time here"}: ${run.host.join(", ")}.`;
  }
}

const partColours = {NPU: "#e08a2e", CPU: "#3f7fbf", "copy in": "#2f9e77", "copy out": "#2f9e77", cache: "#b59b3b", runtime: "#8a94a3", driver: "#5d7f8c"};

/** The parts of a whole inference in order, those of the CPU and the NPU's. */
function wholeInference() {
  const all = run.inference;
  byId("whole-section").hidden = !all || all.rows.length < 2;
  if (byId("whole-section").hidden) return;
  const kind = row => row.kind === "npu" ? "NPU" : row.kind === "cpu" ? "CPU" : row.kind.replace("_", " ");
  const colour = row => partColours[kind(row)] || "#6d6d6d";
  const ms = n => n.toFixed(n < 1 ? 4 : 3);
  byId("whole-total").textContent = all.cpu
    ? `Predicted: ${ms(all.ms)} ms, ${ms(all.low_ms)} to ${ms(all.high_ms)} ms, on ${all.cpu}. Basis: ${all.basis}.` : `At least ${ms(all.ms)} ms.`;
  const shares = new Map();
  for (const row of all.rows.filter(row => row.ms)) {
    const part = html(byId("whole-parts"), "i");
    part.style.flexGrow = row.ms;
    part.style.background = colour(row);
    part.title = `${kind(row)} ${percent(row.ms / all.ms)}: ${row.name}`;
    const share = shares.get(kind(row)) || [colour(row), 0];
    shares.set(kind(row), [share[0], share[1] + row.ms]);
  }
  const entries = [...shares].map(([name, [shade, sum]]) => [shade, `${name} ${percent(sum / all.ms)}`]);
  byId("whole-parts").setAttribute("aria-label", entries.map(entry => entry[1]).join(", "));
  legend(byId("whole-legend"), entries);
  for (const note of all.notes) html(byId("whole-notes"), "li", note);
  for (const saving of all.savings)
    html(byId("whole-notes"), "li", `${saving.change}: would save at most ${ms(saving.ms)} ms (${percent(saving.ms / all.ms)})`);
  const most = Math.max(...all.rows.map(row => row.ms || 0));
  sortable(byId("whole-table"), [
    {name: "share", key: row => row.ms || 0, show: row => row.ms === null ? "" : percent(row.ms / all.ms), bar: row => [(row.ms || 0) / most, colour(row)]},
    {name: "part", text: true, key: kind, show: kind},
    {name: "what", text: true, key: row => row.name, show: row => row.name},
    {name: "ms", key: row => row.ms || 0, show: row => row.ms === null ? "unknown" : ms(row.ms)},
    {name: "from", key: row => row.low_ms || 0, show: row => row.ms === null ? "" : ms(row.low_ms)},
    {name: "to", key: row => row.high_ms || 0, show: row => row.ms === null ? "" : ms(row.high_ms)},
    {name: "source", text: true, key: row => row.source, show: row => row.source},
  ], all.rows, 0, undefined, 20);
}

/** What was tried, each with the options that it adds to the call of all. */
function advice() {
  byId("advice").hidden = !run.advice.length;
  if (!run.advice.length) return;
  const words = run.advice.map(a => a.command.split(" ")), most = Math.max(...run.advice.map(a => a.gain));
  let shared = words.length > 1 ? 0 : words[0].findIndex(word => word === "-C" || word === "--memory-mode");
  while (words.length > 1 && shared < words[0].length && words.every(w => w[shared] === words[0][shared])) ++shared;
  if (words[0][shared - 1] === "-C") --shared;
  byId("advice-call").textContent = words[0].slice(0, shared).join(" ");
  sortable(byId("advice-table"), [
    {name: "saves", key: a => a.gain, show: a => percent(a.share), bar: a => [a.gain / most, "var(--less)"]},
    {name: "change", text: true, key: a => a.change, show: a => a.change},
    {name: "cycles saved", key: a => a.gain, show: a => whole(a.gain)},
    {name: "options", text: true, code: true, key: a => a.command, show: a => a.command.split(" ").slice(shared).join(" ")},
  ], run.advice, 0);
}

function tables() {
  const number = (name, key) => ({name, key, show: o => whole(key(o))});
  const most = Math.max(1, ...layers.map(l => l.exclusive));
  const layerTable = sortable(byId("layers"), [
    number("#", l => l.index),
    {name: "layer", text: true, pick: true, key: l => l.name, show: l => l.name},
    {name: "share", key: l => l.exclusive, show: l => percent(l.exclusive / run.cycles), bar: l => [l.exclusive / most, colour(l.main)]},
    number("cycles", l => l.exclusive),
    {name: "bound by", text: true, key: l => l.bound, show: l => l.bound},
    {name: "shape", text: true, key: l => (l.shape || []).join("x"), show: l => (l.shape || []).join("x")},
    number("in progress", l => l.inclusive),
    number("MACs", l => l.macs),
    {name: "of peak", key: l => l.macs / l.inclusive || 0, show: l => l.macs ? percent(l.macs / l.inclusive / run.macs_per_cycle) : ""},
    number(run.sides[0] + " bytes", l => l.read[0] + l.written[0]),
    number(run.sides[1] + " bytes", l => l.read[1] + l.written[1]),
    number(run.sides[0] + " alive", l => l.alive[0]),
    number("commands", l => l.operations.length),
  ], layers, 2, layer => selection.set(layer));
  const search = byId("search");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = layerTable.filter(l => words.every(w => `${l.name} ${l.kind} ${l.bound}`.toLowerCase().includes(w)));
    byId("found").textContent = words.length ? `${found} of ${layers.length} layers` : "";
  });
  sortable(byId("operations"), [
    number("command", o => o.command),
    {name: "operation", text: true, key: o => o.name, show: o => kindOf(o.name)},
    {name: "layer", text: true, pick: true, key: o => layers[o.layer].name, show: o => layers[o.layer].name},
    number("start", o => o.start),
    number("cycles", o => o.end - o.start),
    number("exclusive", o => o.exclusive),
    number("MACs", o => o.macs),
    {name: "bound by", text: true, key: o => o.bound, show: o => o.bound},
  ], operations, 5, o => selection.set(layers[o.layer]), 100);
  const inclusive = operations.reduce((sum, o) => sum + o.end - o.start, 0);
  byId("overlap").textContent = `Operations overlap: their cycles add up to ${whole(inclusive)}, of a run of ${whole(run.cycles)}. Exclusive cycles belong ` +
    "to the oldest operation in progress, a DMA job's only while no other operation is, and the time before an operation to it.";
  sortable(byId("counters"), [
    {name: "event", text: true, key: e => e[0], show: e => e[0]},
    {name: "count", key: e => e[1], show: e => whole(e[1])},
  ], Object.entries(run.pmu), 1);
  byId("clear").addEventListener("click", () => selection.set(selection.layer));
  let marked = null;
  selection.listeners.push(layer => {
    if (marked) marked.removeAttribute("aria-current");
    marked = layer && layerTable.node(layer);
    if (marked) {
      marked.setAttribute("aria-current", "true");
      marked.parentNode && marked.scrollIntoView({block: "nearest"});
    }
    byId("clear").disabled = byId("zoom-layer").disabled = !layer;
  });
}

summary();
findings();
wholeInference();
overSteps();
advice();
timeline();
roofline();
memoryMap();
if (window.dagre && layers.length) graphView();
else byId("graph-section").hidden = true;
for (const p of plots) p.now();  // before there are long tables to lay out
tables();
