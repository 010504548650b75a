function summary() {
  document.title = `${run.network} on ${run.accelerator}`;
  byId("title").textContent = document.title;
  byId("subtitle").textContent = `System ${run.system}, ${run.memory_mode}, ${layers.length} layers, ${operations.length} operations. Cycles ${run.accuracy}.`;
  const macs = operations.reduce((sum, o) => sum + o.macs, 0), moved = layers.reduce((sum, l) => sum + l.moved, 0);
  const ms = 1e3 * run.cycles / run.clock_hz;
  const entries = [[whole(run.cycles), "NPU cycles"],
    [ms.toFixed(3) + " ms", `at ${whole(run.clock_hz / 1e6)} MHz`],
    [(run.clock_hz / run.cycles).toFixed(1), "inferences per second"],
    [short(macs), "multiply-accumulates"],
    [percent(macs / run.cycles / run.macs_per_cycle), `of ${run.macs_per_cycle} MACs per cycle`],
    [short(moved) + (moved >= 1e4 ? "B" : " B"), "moved by operations"]];
  entries.splice(1, 0, run.interval ? [`${short(run.interval[0])} \u2013 ${short(run.interval[1])}`, "as measured on hardware"]
    : ["unknown", "interval of measurements"]);
  figures(byId("figures"), entries);
}

function findings() {
  const colours = ["#3f7fbf", "#e08a2e", "#2f9e77", "#c75b7a", "#b079c4", "#8a94a3", "#b59b3b", "#5d7f8c"];
  const rows = run.bounds.map(([bound, cycles], i) => [colours[i % colours.length], `${bound} ${percent(cycles / run.cycles)}`, cycles]);
  const stack = byId("bounds");
  stack.setAttribute("aria-label", rows.map(row => row[1]).join(", "));
  for (const [colour, text, cycles] of rows) {
    const part = html(stack, "i");
    part.style.flexGrow = cycles;
    part.style.background = colour;
    part.title = text;
  }
  legend(byId("bounds-legend"), rows.filter(row => row[2] >= run.cycles / 2000));
  for (const text of run.findings) html(byId("findings"), "li", text);
  for (const {change, gain, share, command} of run.advice) {
    const item = html(byId("findings"), "li", `${change}: ${gain < 0 ? "costs" : "saves"} ${whole(Math.abs(gain))} cycles (${percent(Math.abs(share))}), as run by `);
    html(item, "code", command);
  }
  if (run.host.length) {
    byId("host").hidden = false;
    byId("host").textContent = `On the CPU, without time here: ${run.host.join(", ")}.`;
  }
}

function tables() {
  const number = (name, key) => ({name, key, show: o => whole(key(o))});
  const most = Math.max(1, ...layers.map(l => l.exclusive));
  const layerTable = sortable(byId("layers"), [
    number("#", l => l.index),
    {name: "layer", text: true, pick: true, key: l => l.name, show: l => l.name},
    {name: "share", key: l => l.exclusive, show: l => percent(l.exclusive / run.cycles), bar: l => [l.exclusive / most, colour(l.main)]},
    {name: "kind", text: true, key: l => l.kind, show: l => kindOf(l.kind)},
    {name: "shape", text: true, key: l => (l.shape || []).join("x"), show: l => (l.shape || []).join("x")},
    number("cycles", l => l.exclusive),
    number("in progress", l => l.inclusive),
    number("MACs", l => l.macs),
    {name: "of peak", key: l => l.macs / l.inclusive || 0, show: l => l.macs ? percent(l.macs / l.inclusive / run.macs_per_cycle) : ""},
    number(run.sides[0] + " bytes", l => l.read[0] + l.written[0]),
    number(run.sides[1] + " bytes", l => l.read[1] + l.written[1]),
    number(run.sides[0] + " bytes alive", l => l.alive[0]),
    number("commands", l => l.operations.length),
    {name: "bound by", text: true, key: l => l.bound, show: l => l.bound},
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
timeline();
roofline();
memoryMap();
if (window.dagre && layers.length) graphView();
else byId("graph-section").hidden = true;
for (const p of plots) p.now();  // before there are long tables to lay out
tables();
