function summary() {
  document.title = `${run.network} on ${run.accelerator}`;
  byId("title").textContent = document.title;
  byId("subtitle").textContent = `System ${run.system}, ${run.memory_mode}, timing adapter ${run.timing_adapter ? "on" : "off"}, ${layers.length} layers, ${whole(operations.length)} operations.`;
  figures(byId("figures"), run.strip);
  byId("copy-strip").addEventListener("click", event => copyText([`${document.title}, system ${run.system}, ${run.memory_mode}`,
    ...run.strip.map(([value, name]) => `${name}: ${value}`)].join("\n") + "\n", event.target));
  if (layers.filter(l => !l.source).length * 2 > layers.length) byId("unnamed").hidden = false;
}

const confidences = {exact: "registers of the platform", vendor: "the vendor's estimate, not measured", fitted: "fitted to measurements", assumed: "assumed, not measured"};
function definitions(list, entries) {
  for (const [name, value] of entries) {
    html(list, "dt", name);
    html(list, "dd", value);
  }
}
/** How sure the prediction is, and where the run is from. */
function origin() {
  const from = run.origin, known = value => value || "not recorded in this report";
  definitions(byId("sure"), [
    ["prediction", `${grouped(run.accuracy)}.`],
    ["error where it was measured", run.error_bar ? `${percent(run.error_bar[0])} on average, ${percent(run.error_bar[1])} at worst, of ${run.error_bar[2]} networks in this configuration`
      : "nothing was measured in this configuration"],
    ["system", from.system_confidence ? `${run.system}: ${confidences[from.system_confidence] || from.system_confidence}` : `${run.system}: ${known()}`],
    ["compared with", from.system_checked_against || (from.version ? "no measurement of this system" : known())],
    ["timing adapter", run.timing_adapter ? "on: memories as slow as the system says" : "off: ideal memories"],
    ["counters without a model", run.unmodelled.length ? `${run.unmodelled.length}; their counts are not shown` : "none"],
  ]);
  definitions(byId("origin"), [
    ["Macaw", known(from.version) + (from.timing_model ? `, timing model ${from.timing_model}` : "")],
    ["command", known(from.command)],
    ["compiled network", from.artifact_bytes ? `${run.network}, ${whole(from.artifact_bytes)} bytes, CRC-32 ${from.artifact_crc32.toString(16).toUpperCase().padStart(8, "0")}` : run.network],
    ["accelerator", `${run.accelerator}, ${run.macs_per_cycle} MACs per cycle`],
    ["memory mode", run.memory_mode],
    ["system's values from", known(from.system_source)],
  ]);
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
  for (const text of [...run.findings, ...run.compute]) html(byId("findings"), "li", grouped(text));
  if (run.host.length) {
    byId("host").hidden = false;
    byId("host").textContent = `On the CPU${run.inference ? "" : ", not included in the time"}: ${run.host.join(", ")}.`;
  }
}

// Parts of an inference have colours that neither kinds of operations nor limits have.
const partColours = {NPU: "#4f5bd5", CPU: "#00a7c4", "copy in": "#f7b267", "copy out": "#f7b267", cache: "#c4b5fd", runtime: "#b8c0cc", driver: "#7c8796"};

/** The parts of a whole inference in order, those of the CPU and the NPU's. */
function wholeInference() {
  const all = run.inference;
  byId("whole-section").hidden = !all || all.rows.length < 2;
  if (byId("whole-section").hidden) return;
  const kind = row => row.kind === "npu" ? "NPU" : row.kind === "cpu" ? "CPU" : row.kind.replace("_", " ");
  const colour = row => partColours[kind(row)] || "#6d6d6d";
  const ms = n => n.toFixed(n < 1 ? 4 : 3);
  const where = all.cpu && ` on ${all.cpu}. Basis: ${all.basis}`;
  byId("whole-total").textContent = all.lower_bound ? `Predicted: at least ${ms(all.ms)} ms${where}.`
    : `Predicted: ${ms(all.ms)} ms, ${ms(all.low_ms)} to ${ms(all.high_ms)} ms,${where}.`;
  const shares = new Map();
  for (const row of all.rows.filter(row => row.ms)) {
    const part = html(byId("whole-parts"), "i");
    part.style.flexGrow = 1000 * row.ms / all.ms;  // a sum below 1 would leave a part of the bar empty
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
    {name: "source", text: true, wrap: true, key: row => row.source, show: row => row.source},
  ], all.rows, 0, undefined, 20);
}

/** Changes that were simulated again, each with the options that it adds to the call of all. */
function advice() {
  const tried = run.advice || [];
  byId("advice-verdict").textContent = run.memory_verdict ? run.memory_verdict[0].toUpperCase() + run.memory_verdict.slice(1) + "."
    : "Nothing was simulated again: run macaw sim with --advise to see what other memories, a free output unit or a faster weight decoder would save.";
  byId("advice-table").parentNode.hidden = byId("advice-how").hidden = !tried.length;
  if (!tried.length) return;
  const words = tried.map(a => a.command.split(" ")), most = Math.max(...tried.map(a => a.gain));
  let shared = words.length > 1 ? 0 : words[0].findIndex(word => word === "-C" || word === "--memory-mode");
  while (words.length > 1 && shared < words[0].length && words.every(w => w[shared] === words[0][shared])) ++shared;
  if (words[0][shared - 1] === "-C") --shared;
  byId("advice-call").textContent = words[0].slice(0, shared).join(" ");
  sortable(byId("advice-table"), [
    {name: "saves", title: "share of the predicted cycles", key: a => a.gain, show: a => percent(a.share), bar: a => [a.gain / most, "var(--less)"]},
    {name: "limit of", text: true, title: "compute: the most that a change of the network can save there", key: a => a.kind, show: a => a.kind},
    {name: "change", text: true, key: a => a.change, show: a => a.change},
    {name: "cycles saved", key: a => a.gain, show: a => whole(a.gain)},
    {name: "options", text: true, code: true, key: a => a.command, show: a => a.command.split(" ").slice(shared).join(" ")},
  ], tried, 0);
}

const sizes = value => (value || []).join("x");
/** The selected layer, in full. */
function layerCard(layer) {
  byId("selected").hidden = !layer;
  if (!layer) return;
  byId("selected-name").textContent = layer.name;
  byId("selected-facts").replaceChildren();
  const o = layer.main;
  definitions(byId("selected-facts"), [
    ["longest operation", `${layer.label || kindOf(o.name)} (command ${o.command})`],
    ["cycles", `${whole(layer.exclusive)} exclusive (${percent(layer.exclusive / run.cycles)}), ${whole(layer.inclusive)} active, from ${whole(layer.start)} to ${whole(layer.end)}`],
    ["bound by", layer.bound],
    ["MAC lanes used", layer.lanes === undefined ? "no multiply-accumulates" : `${percent(layer.lanes)} while the array is active`],
    ["why", (layer.why || []).join("; ") || "nothing stands out"],
    ["output unit", layer.output || "not used or unknown"],
    ["what would change it", (layer.change || []).join("; ") || "no change of the network is known"],
    ["block", layer.block ? `${sizes(layer.block)} of the result, micro-block ${sizes(layer.ublock)}` : "not used or unknown"],
    ["weights", layer.weights ? `${whole(layer.weights[0])} bytes encoded, ${whole(layer.weights[1])} weights, ratio ${layer.weight_ratio.toFixed(2)}, ` +
      `${percent(zeroShare(layer))} zeros, ${layer.decoded_per_cycle.toFixed(2)} decoded per cycle` : "not used or unknown"],
  ]);
}

/** Scrolls a table to a row and leaves the page where it is. */
function showInside(row, box) {
  const top = row.offsetTop - box.querySelector("th").offsetHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight;
}
function tables() {
  const number = (name, key, title, more) => ({name, key, title, show: o => whole(key(o)), ...more});
  const share = (name, key, has, title, more) => ({name, key: o => has(o) ? key(o) : -1, title, show: o => has(o) ? percent(key(o)) : "", ...more});
  const most = Math.max(1, ...layers.map(l => l.exclusive)), off = {off: true};
  const layerTable = sortable(byId("layers"), [
    number("#", l => l.index, "place in the network, by the first command"),
    {name: "layer", text: true, pick: true, key: l => l.name, show: l => l.name, tip: describeLayer, title: "operator of the source network, else the operation by its registers"},
    {name: "share", key: l => l.exclusive, show: l => percent(l.exclusive / run.cycles), bar: l => [l.exclusive / most, colour(l.main)], title: "exclusive cycles over those of the run"},
    number("cycles", l => l.exclusive, "exclusive cycles: each cycle is charged to one layer, so the column sums to the run"),
    {name: "bound by", text: true, key: l => l.bound, show: l => l.bound, title: "unit or port that most of the exclusive cycles are bound by"},
    {name: "operation", text: true, off: true, key: l => l.label || "", show: l => l.label || "", title: "longest operation by its registers: taps/stride, IFM -> OFM (height x width x channels)"},
    {name: "shape", text: true, key: l => sizes(l.shape), show: l => sizes(l.shape), title: "height x width x channels of the result"},
    number("MACs", l => l.macs, "multiply-accumulates"),
    share("of peak", l => l.macs / l.inclusive / run.macs_per_cycle, l => l.macs, "multiply-accumulates over active cycles and the array's MACs per cycle"),
    share("lanes", l => l.lanes, l => l.lanes !== undefined, "share of the multipliers that do useful work while the MAC array is active", {tip: l => (l.why || []).join("\n")}),
    {name: "weights", key: weightBytes, show: l => l.weights ? whole(weightBytes(l)) : "", title: "bytes of the encoded weight streams; a stream that is read several times counts once"},
    {name: "ratio", key: l => l.weight_ratio || 0, show: l => l.weights ? l.weight_ratio.toFixed(2) : "", title: "weights of a byte each over encoded bytes"},
    share("zeros", zeroShare, l => l.weights, "share of the weights that are 0", off),
    {name: "decoded/cycle", off: true, key: l => l.decoded_per_cycle || 0, show: l => l.weights ? l.decoded_per_cycle.toFixed(2) : "", title: "weights per cycle that the weight decoder is busy"},
    {name: "block", text: true, off: true, key: l => sizes(l.block), show: l => sizes(l.block), title: "OFM block of the longest operation, height x width x channels"},
    {name: "cycles/element", off: true, key: l => l.output_cycles || 0, show: l => l.output_cycles === undefined ? "" : String(l.output_cycles), title: "cycles of the output unit for an OFM element"},
    number("active", l => l.inclusive, "cycles from start to end, in which other layers may be active too", off),
    number(run.sides[0] + " bytes", l => l.read[0] + l.written[0], "bytes read and written over the port", off),
    number(run.sides[1] + " bytes", l => l.read[1] + l.written[1], "bytes read and written over the port", off),
    number(run.sides[0] + " live", l => l.alive[0], "most bytes that the memory held meanwhile", off),
    number(run.sides[1] + " live", l => l.alive[1], "most bytes that the memory held meanwhile", off),
    number("commands", l => l.operations.length, "operations of the command stream", off),
  ], layers, 2, layer => selection.set(layer), 200, {tools: byId("layer-tools"), key: "layers", file: "layers.csv"});
  const search = byId("search");
  const find = () => {
    const words = searchWords(search.value);
    const found = layerTable.filter(l => matchesWords(words, `${l.name} ${l.kind} ${l.bound} ${l.label || ""}`));
    byId("found").textContent = words.length ? `${found} of ${layers.length} layers` : "";
    view.set("search", search.value);
  };
  search.addEventListener("input", find);
  search.value = view.get("search") || "";
  if (search.value) find();
  addEventListener("keydown", event => {
    if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    search.focus();
  });
  sortable(byId("operations"), [
    number("command", o => o.command),
    {name: "operation", text: true, key: o => o.name, show: o => kindOf(o.name)},
    {name: "layer", text: true, pick: true, key: o => layers[o.layer].name, show: o => layers[o.layer].name},
    number("start", o => o.start, "cycle of the first fetch"),
    number("active", o => o.end - o.start, "cycles from start to end"),
    number("exclusive", o => o.exclusive, "cycles charged to this operation alone"),
    number("MACs", o => o.macs, "multiply-accumulates"),
    {name: "bound by", text: true, key: o => o.bound, show: o => o.bound, title: "unit or port that was busy longest"},
  ], operations, 5, o => selection.set(layers[o.layer]), 100, {tools: byId("operation-tools"), key: "operations", file: "operations.csv"});
  const inclusive = operations.reduce((sum, o) => sum + o.end - o.start, 0);
  byId("overlap").textContent = `Operations overlap: their active cycles add up to ${whole(inclusive)}, of a run of ${whole(run.cycles)}. Exclusive cycles are charged ` +
    "to the oldest active operation, to a DMA job only while no other operation is active; the time before an operation is charged to it.";
  sortable(byId("counters"), [
    {name: "event", text: true, key: e => e[0], show: e => e[0]},
    {name: "count", title: "cycles, transactions or data-bus beats, by the event", key: e => e[1] === null ? -1 : e[1], show: e => e[1] === null ? "not modelled" : whole(e[1])},
  ], [...Object.entries(run.pmu), ...run.unmodelled.map(event => [event, null])], 1, undefined, Infinity, {tools: byId("counter-tools"), file: "counters.csv"});
  byId("clear").addEventListener("click", () => selection.set(selection.layer));
  let marked = null;
  selection.listeners.push(layer => {
    if (marked) marked.removeAttribute("aria-current");
    marked = layer && layerTable.node(layer);
    if (marked) {
      marked.setAttribute("aria-current", "true");
      if (marked.parentNode) showInside(marked, byId("layers").parentNode);
    }
    layerCard(layer);
    byId("clear").disabled = byId("zoom-layer").disabled = !layer;
  });
}

summary();
origin();
findings();
wholeInference();
overSteps();
advice();
timeline();
roofline();
memoryMap();
if (window.dagre && layers.length) graphView();
else byId("graph-section").hidden = true;
for (const p of plots) p.fit();  // before there are long tables to lay out
tables();
if (view.get("layer") !== undefined && layers[view.get("layer")]) selection.set(layers[view.get("layer")]);
