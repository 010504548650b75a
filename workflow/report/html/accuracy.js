const {layers} = run, classes = run.classification;
const selection = {layer: null, listeners: [], set(layer) { this.layer = layer; for (const f of this.listeners) f(); }};
const colours = {accumulated: "#3f7fbf", alone: "#e08a2e", float: "#8a94a3", quantised: "#2f9e77"};
const decibels = errors => !errors ? "" : errors.exact ? "exact" : errors.sqnr_db === null ? "-" : errors.sqnr_db.toFixed(2);
const sqnr = errors => !errors ? Infinity : errors.sqnr_db === null ? Infinity : errors.sqnr_db;
const shortName = name => name.split(";").pop();
const share = (part, all) => all ? `${(100 * part / all).toFixed(2)} %` : "";
const clipped = layer => layer.codes ? layer.codes.clipped_below + layer.codes.clipped_above : 0;
const own = layer => sqnr(layer.alone || layer.accumulated);
const onNpu = layer => layer.npu.length === 0 ? "" : layer.npu.some(n => n.equal === false) ? "differs"
  : layer.npu.every(n => !n.visible) ? "fused" : "equal";

document.title = "Accuracy of " + run.quantised.split("/").pop();
byId("title").textContent = "Accuracy of " + run.quantised.split("/").pop();
byId("files").textContent = `Float: ${run.float}. Quantised: ${run.quantised}.${run.scales === "fitted" ? " TOSA graphs state no scales: they are fitted to the values of the first sets." : ""}`;
const worst = layers.filter(l => own(l) !== Infinity).sort((a, b) => own(a) - own(b))[0];
const facts = [[whole(run.sets), "sets"], [run.output_sqnr_db === null ? "exact" : run.output_sqnr_db.toFixed(2) + " dB", "lowest SQNR of an output"]];
if (worst) facts.push([own(worst).toFixed(2) + " dB", `lowest alone: operator ${worst.operator}`]);
if (classes) {
  facts.push([percent(classes.agreement), "same class in both networks"]);
  if (classes.float) facts.push([percent(classes.float.top1 / classes.sets), "top-1, float"], [percent(classes.quantised.top1 / classes.sets), "top-1, quantised"]);
}
for (const npu of run.npu) facts.push([npu.sets_different ? `${whole(npu.sets_different)} sets differ` : "equal", "outputs on " + npu.accelerator]);
figures(byId("figures"), facts);

byId("advice-section").hidden = run.advice.length === 0;
for (const a of run.advice) html(byId("advice"), "li", `Operator ${a.operator} (${shortName(a.tensor)}): ${a.what}: ${a.evidence}.`);

// Bars of SQNR, a pair for each layer.
const finite = layers.flatMap(l => [sqnr(l.accumulated), sqnr(l.alone)]).filter(Number.isFinite);
const ceiling = Math.max(10, Math.ceil(Math.max(0, ...finite) / 10) * 10), left = 34;
const barHeight = value => Math.max(0, Math.min(1, value === Infinity ? 1 : value / ceiling));
plot("network", () => 190, (context, width, height) => {
  const step = (width - left) / layers.length, base = height - 16;
  context.fillStyle = theme.soft;
  context.textAlign = "right";
  for (let db = 0; db <= ceiling; db += ceiling > 60 ? 20 : 10) {
    const y = base - (base - 8) * db / ceiling;
    context.fillText(db, left - 6, y);
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(width, y);
    context.stroke();
  }
  context.textAlign = "left";
  layers.forEach((layer, i) => {
    const x = left + i * step, wide = Math.max(1, Math.min(18, step * 0.4));
    for (const [side, place] of [["accumulated", 0], ["alone", 1]]) {
      if (!layer[side]) continue;
      const tall = (base - 8) * barHeight(sqnr(layer[side]));
      context.globalAlpha = layer[side].exact ? 0.3 : 1;
      context.fillStyle = colours[side];
      context.fillRect(x + place * wide, base - tall, wide, tall);
    }
    context.globalAlpha = 1;
    if (selection.layer === layer) { context.strokeStyle = theme.pick; context.lineWidth = 2; context.strokeRect(x - 1, 8, 2 * wide + 2, base - 8); context.lineWidth = 1; }
    if (step > 26) { context.fillStyle = theme.soft; context.fillText(layer.operator, x, height - 7); }
  });
}, x => {
  const layer = layers[Math.floor((x - left) / ((byId("network").clientWidth - left) / layers.length))];
  return x >= left && layer ? {layer, tip: `operator ${layer.operator} (${layer.kind}), ${shortName(layer.tensor)}\nSQNR ${decibels(layer.accumulated)} dB, alone ${decibels(layer.alone)} dB`} : null;
});
legend(byId("network-legend"), [[colours.accumulated, "accumulated: float network against quantised network, dB"],
  [colours.alone, "alone: this operator in float on the quantised operands"], ["transparent", "pale: no error"]]);

plot("distribution", () => 190, (context, width, height) => {
  const layer = selection.layer;
  if (!layer || !layer.bins.length) return;
  const most = Math.max(1, ...layer.bins, ...layer.float_bins), step = (width - 2) / layer.bins.length, base = height - 16;
  // A logarithm shows the tails, where clipping happens.
  const tall = count => count ? (base - 4) * (Math.log10(count) + 1) / (Math.log10(most) + 1) : 0;
  layer.bins.forEach((count, i) => {
    context.fillStyle = colours.quantised;
    context.fillRect(1 + i * step, base - tall(count), Math.max(1, step - 0.5), tall(count));
  });
  context.strokeStyle = theme.ink;
  context.beginPath();
  layer.float_bins.forEach((count, i) => context.lineTo(1 + (i + 0.5) * step, base - tall(count)));
  context.stroke();
  context.fillStyle = theme.soft;
  context.textAlign = "left";
  context.fillText(layer.codes.range[0].toPrecision(4), 1, height - 7);
  context.textAlign = "right";
  context.fillText(layer.codes.range[1].toPrecision(4), width - 1, height - 7);
  context.textAlign = "left";
}, x => {
  const layer = selection.layer;
  if (!layer || !layer.bins.length) return null;
  const i = Math.floor((x - 1) / ((byId("distribution").clientWidth - 2) / layer.bins.length));
  return i in layer.bins ? {tip: `${whole(layer.float_bins[i])} float values, ${whole(layer.bins[i])} quantised`} : null;
});
legend(byId("distribution-legend"), [[colours.quantised, "quantised values, by code"], ["var(--ink)", "float values, at the nearest code"]]);

let channelTable = null;
selection.listeners.push(() => {
  const layer = selection.layer, table = byId("channels");
  byId("distribution-note").textContent = !layer ? "" : `Operator ${layer.operator} (${layer.kind}), ${shortName(layer.tensor)}: `
    + (layer.codes ? `${whole(layer.codes.used)} of ${whole(layer.codes.possible)} codes used, step ${layer.codes.scale.toPrecision(4)}; the scale is logarithmic` : "not quantised");
  table.parentNode.querySelectorAll(".show-all").forEach(button => button.remove());
  byId("channels-tools").replaceChildren();
  table.replaceChildren();
  if (!layer) return;
  const rows = layer.channel_sqnr_db.map((db, channel) => ({channel, db})).filter(r => r.db !== null);
  channelTable = sortable(table, [
    {name: "SQNR dB", key: r => -r.db, show: r => r.db.toFixed(2)},
    {name: "channel", key: r => r.channel, show: r => whole(r.channel)},
  ], rows, 0, undefined, 12, {tools: byId("channels-tools"), file: "channels.csv"});
});

const columns = [
  {name: "operator", key: l => -l.operator, show: l => String(l.operator)},
  {name: "kind", text: true, key: l => l.kind, show: l => l.kind},
  {name: "output", text: true, pick: true, key: l => l.tensor, show: l => shortName(l.tensor)},
  {name: "SQNR dB", key: l => -sqnr(l.accumulated), show: l => decibels(l.accumulated)},
  {name: "alone dB", key: l => -sqnr(l.alone), show: l => decibels(l.alone)},
  {name: "cosine", key: l => l.accumulated.cosine || 0, show: l => l.accumulated.cosine === null ? "" : l.accumulated.cosine.toFixed(5)},
  {name: "bias, steps", key: l => Math.abs(l.accumulated.mean_error_steps || 0), show: l => l.codes ? (l.accumulated.mean_error_steps || 0).toFixed(3) : ""},
  {name: "largest error, steps", key: l => l.accumulated.largest_error_steps || 0, show: l => l.codes ? (l.accumulated.largest_error_steps || 0).toFixed(1) : ""},
  {name: "clipped", key: l => clipped(l) / l.elements, show: l => l.codes ? share(clipped(l), l.elements) : ""},
  {name: "codes used", key: l => l.codes ? l.codes.used : 0, show: l => l.codes ? `${whole(l.codes.used)} of ${whole(l.codes.possible)}` : ""},
  {name: "dead channels", key: l => l.channels.dead, show: l => l.channels.count > 1 ? `${whole(l.channels.dead)} of ${whole(l.channels.count)}` : ""},
  {name: "weight scales", key: l => l.filter ? l.filter.scale_ratio : 0, show: l => l.filter ? l.filter.scales > 1 ? `1 to ${l.filter.scale_ratio.toPrecision(3)}` : `one (ranges 1 to ${l.filter.range_ratio.toPrecision(3)})` : ""},
  {name: "accumulator", key: l => l.accumulator ? l.accumulator.share_of_int32 : 0, show: l => l.accumulator ? `${(100 * l.accumulator.share_of_int32).toPrecision(2)} % of int32` : ""},
];
const cycles = l => l.npu.map(n => n.cycles).find(c => c !== null);
if (layers.some(l => cycles(l) !== undefined)) columns.push({name: "cycles", key: l => cycles(l) || 0, show: l => cycles(l) === undefined ? "" : whole(cycles(l))});
if (run.npu.length) columns.push({name: "NPU", text: true, key: onNpu, show: onNpu, mark: l => onNpu(l) === "differs" ? "more" : ""});
const layerTable = sortable(byId("layers"), columns, layers, 0, layer => { selection.set(layer); byId("distribution").scrollIntoView({block: "nearest"}); }, Infinity,
  {tools: byId("layers-tools"), file: "accuracy.csv"});
selection.listeners.push(() => layers.forEach(layer => layerTable.node(layer).setAttribute("aria-current", String(layer === selection.layer))));

const mostClasses = 40;
byId("confusion-section").hidden = !classes || classes.classes > mostClasses;
byId("flips-section").hidden = !classes || classes.flips.length === 0;
if (classes && classes.classes <= mostClasses) {
  byId("confusion-note").textContent = `Rows: ${classes.confusion_rows === "label" ? "right class" : "class of the float network"}. Columns: class of the quantised network.`;
  const counts = new Map(classes.confusion.map(([r, c, n]) => [r * classes.classes + c, n])), table = byId("confusion");
  const most = Math.max(1, ...classes.confusion.map(c => c[2])), names = [...Array(classes.classes).keys()];
  const head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
  html(head, "td");
  for (const c of names) html(head, "th", String(c)).scope = "col";
  for (const r of names) {
    const line = html(body, "tr");
    html(line, "th", String(r)).scope = "row";
    for (const c of names) {
      const count = counts.get(r * classes.classes + c) || 0, cell = html(line, "td", count ? whole(count) : "");
      if (count) cell.style.background = `color-mix(in srgb, ${r === c ? "var(--less)" : "var(--more)"} ${Math.round(12 + 28 * count / most)}%, transparent)`;
    }
  }
}
/** An input on a canvas, its least value black and its greatest white. */
function drawPicture(canvas, {height, width, channels, pixels}) {
  const bytes = Uint8Array.from(atob(pixels), c => c.charCodeAt(0)), image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = bytes[i * channels + (channels === 3 ? c : 0)];
    image.data[4 * i + 3] = 255;
  }
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d").putImageData(image, 0, 0);
}
const pictured = classes ? classes.flips.filter(f => f.picture) : [];
byId("flip-pictures").hidden = pictured.length === 0;
for (const flip of pictured) {
  const item = html(byId("flip-pictures"), "figure"), canvas = html(item, "canvas");
  const right = flip.label === undefined ? "" : `, right: ${flip.label}`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Input of set ${flip.set}`);
  drawPicture(canvas, flip.picture);
  html(item, "figcaption", `${flip.name || "set " + whole(flip.set)}: ${flip.float} \u2192 ${flip.quantised}${right}`);
}
const flipColumns = [
  {name: "set", key: f => -f.set, show: f => whole(f.set)},
  {name: "file", text: true, wrap: true, key: f => f.name || "", show: f => f.name || ""},
  {name: "float", key: f => f.float, show: f => String(f.float)},
  {name: "quantised", key: f => f.quantised, show: f => String(f.quantised)},
  {name: "right", key: f => f.label === undefined ? -1 : f.label, show: f => f.label === undefined ? "" : String(f.label)},
].filter(c => !classes || (c.name !== "file" || classes.flips.some(f => f.name)) && (c.name !== "right" || classes.flips.some(f => f.label !== undefined)));
if (classes) sortable(byId("flips"), flipColumns, classes.flips, 0, undefined, 50, {tools: byId("flips-tools"), file: "flips.csv"});
const others = [...run.only_float.map(tensor => ({tensor, network: "float"})), ...run.only_quantised.map(tensor => ({tensor, network: "quantised"}))];
byId("others-section").hidden = others.length === 0;
sortable(byId("others"), [
  {name: "tensor", text: true, wrap: true, key: o => o.tensor, show: o => o.tensor},
  {name: "network", text: true, key: o => o.network, show: o => o.network},
], others, 0);
selection.set(worst || layers[0]);
