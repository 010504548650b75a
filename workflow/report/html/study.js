const {runs} = run;
runs.forEach((r, i) => { r.index = i; });
const done = runs.filter(r => r.cycles !== null);
const networks = [...new Set(runs.map(r => r.network))];
for (const r of runs) r.settings = {network: r.network, accelerator: r.accelerator, system: r.system, "memory mode": r.memory_mode, ...r.params, ...(r.inputs && {inputs: r.inputs})};
const configuration = r => [r.accelerator, r.system, r.memory_mode, ...Object.entries(r.params).map(([name, value]) => `${name} ${value}`), ...(r.inputs ? [r.inputs] : [])].join(", ");
/** The clock of a run: that of its system, or the one that the study sets. */
const mhz = r => r.cycles / r.ms / 1e3;
const selection = {layer: null, listeners: [], set(r) { this.layer = r; for (const listener of this.listeners) listener(r); }};
let shown = [];  // runs of the network that came to their end, the fastest first

/** Whether an accelerator has one system in this study: its own, which then changes with it. */
const systemsOf = new Map();
for (const r of runs) systemsOf.set(r.accelerator, (systemsOf.get(r.accelerator) || new Set()).add(r.system));
const hasOneSystem = r => systemsOf.get(r.accelerator).size === 1;

/** The Pareto front of runs in `cost` and milliseconds, sorted by cost. */
function paretoFront(list, cost) {
  const front = [];
  for (const r of [...list].sort((a, b) => cost(a) - cost(b) || a.ms - b.ms)) if (!front.length || r.ms < front[front.length - 1].ms) front.push(r);
  return front;
}
/** Runs that differ from one in a single setting, the greatest saving first. Another network counts as one where it does as many
 * multiply-accumulates: the same one, compiled otherwise. */
function changesOf(base) {
  const mine = base.settings, found = [];
  for (const r of done) {
    if (r === base || r.macs !== base.macs) continue;
    const theirs = r.settings, differ = [];
    const along = r.accelerator !== base.accelerator && hasOneSystem(r) && hasOneSystem(base) ? "system" : null;
    for (const name in mine) if (mine[name] !== theirs[name] && name !== along) differ.push(name);
    for (const name in theirs) if (!(name in mine)) differ.push(name);
    if (differ.length === 1) found.push({run: r, name: differ[0], to: theirs[differ[0]], was: mine[differ[0]], saved: base.ms - r.ms});
  }
  return found.sort((a, b) => b.saved - a.saved || a.run.index - b.run.index);
}
function sentence(base, {run: r, name, to, was, saved}) {
  const verb = saved > 0 ? "saves" : saved < 0 ? "costs" : "changes nothing:";
  const memory = r.reach[0] - base.reach[0];
  const room = memory ? `, with ${sizeText(Math.abs(memory))} ${memory > 0 ? "more" : "less"} on AXI0 or SRAM` : "";
  const on = r.system === base.system || name === "system" ? "" : ` (on ${r.system})`;
  const clock = Math.abs(mhz(r) - mhz(base)) > 0.5 ? `, with a clock of ${whole(mhz(r))} instead of ${whole(mhz(base))} MHz` : "";
  return `${name} ${to}${on} instead of ${was} ${verb} ${percent(Math.abs(saved) / base.ms)} (${Math.abs(saved).toFixed(3)} ms)${clock}${room}`;
}

const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#6a3d9a", "#8a94a3", "#d55e00", "#56b4e9"];
const accelerators = [...new Set(runs.map(r => r.accelerator))];
for (const r of runs) r.colour = palette[accelerators.indexOf(r.accelerator) % palette.length];

function scatter(id, name, cost, show) {
  const left = 58, bottom = 34;
  let marks = [];
  function draw(context, width, tall) {
    const list = shown.filter(r => cost(r) > 0), isMany = list.length > 1000;
    marks = [];
    context.fillStyle = theme.soft;
    context.textAlign = "left";
    context.fillText("milliseconds", 4, 8);
    context.textAlign = "center";
    const none = shown.length - list.length;
    context.fillText(none && list.length ? `${name} (${whole(none)} runs without a value not shown)` : name, (width + left) / 2, tall - 8);
    if (!list.length) { context.fillText("none in these runs", width / 2, tall / 2); return; }
    const span = values => { const a = Math.min(...values), b = Math.max(...values), spare = (b / a) ** 0.06 * 1.02; return [a / spare, b * spare]; };
    const [x0, x1] = span(list.map(cost)), [y0, y1] = span(list.map(r => r.ms));
    const px = v => left + Math.log(v / x0) / Math.log(x1 / x0) * (width - left - 10);
    const py = v => tall - bottom - Math.log(v / y0) / Math.log(y1 / y0) * (tall - bottom - 18);
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    for (const x of logTicks(x0, x1, width < 500 ? 5 : 8)) {
      context.beginPath();
      context.moveTo(px(x), 18); context.lineTo(px(x), tall - bottom);
      context.stroke();
      context.textAlign = "center";
      const half = context.measureText(show(x)).width / 2;
      context.fillText(show(x), Math.min(px(x), width - half), tall - bottom + 10);
    }
    for (const y of logTicks(y0, y1)) {
      context.beginPath();
      context.moveTo(left, py(y)); context.lineTo(width - 10, py(y));
      context.stroke();
      context.textAlign = "right";
      context.fillText(String(y), left - 5, py(y));
    }
    context.strokeStyle = theme.pick;
    context.lineWidth = 1.8;
    context.beginPath();
    for (const r of paretoFront(list, cost)) context.lineTo(px(cost(r)), py(r.ms));
    context.stroke();
    for (const r of list) {
      const mark = {r, x: px(cost(r)), y: py(r.ms)}, picked = selection.layer === r;
      context.fillStyle = r.colour;
      context.globalAlpha = 0.75;
      if (isMany && !picked) context.fillRect(mark.x - 2, mark.y - 2, 4, 4);  // an arc takes ten times as long
      else {
        context.beginPath();
        context.arc(mark.x, mark.y, picked ? 7 : 4, 0, 2 * Math.PI);
        context.fill();
      }
      context.globalAlpha = 1;
      if (picked) { context.strokeStyle = theme.ink; context.lineWidth = 2; context.stroke(); }
      marks.push(mark);
    }
    context.textAlign = "left";
  }
  plot(id, width => Math.min(300, Math.max(220, width * 0.7)), draw, (x, y) => {
    let best = null, least = 10;
    for (const m of marks) { const d = Math.hypot(m.x - x, m.y - y); if (d < least) [best, least] = [m.r, d]; }
    return best && {tip: describe(best), layer: best};
  });
}
function describe(r) {
  return `${configuration(r)}\n${r.ms.toFixed(3)} ms, ${whole(r.cycles)} cycles\n${whole(r.reach[0])} bytes on AXI0 or SRAM, ${whole(r.reach[1])} on AXI1 or EXT`;
}

/** The settings that are not the same in all runs shown. */
function differing(r) {
  const names = Object.keys(r.settings).filter(name => name !== "network" && shown.some(other => other.settings[name] !== r.settings[name]));
  return names.map(name => typeof r.settings[name] === "number" ? `${name.split(".").pop()} ${r.settings[name]}` : String(r.settings[name]).replace("ethos-", "")).join(", ") || r.accelerator;
}

function heatMap() {
  const rowHeight = 16, scaleHeight = 34;
  let names = [], most = 1, cell = 1, top = 0;
  const left = width => Math.min(320, width * 0.34);
  /** Pixels of a column, and those above the rows for its name. */
  const cellOf = width => (width - left(width)) / Math.max(1, shown.length);
  const topOf = width => cellOf(width) < 12 ? 24 : cellOf(width) < 90 ? 236 : 24;
  const stops = [[253, 244, 222], [250, 190, 105], [226, 110, 48], [150, 28, 20]];
  function heat(share) {
    const at = share * (stops.length - 1), low = Math.min(stops.length - 2, Math.floor(at));
    return "#" + stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * (at - low)).toString(16).padStart(2, "0")).join("");
  }
  /** Names of columns, where there is room for them, and values in cells that hold them. */
  function headings(context, width, l) {
    if (cell < 12) {
      context.fillStyle = theme.soft;
      context.fillText(`${whole(shown.length)} runs, the fastest first; the tip names each`, l, top - 12);
      return;
    }
    shown.forEach((r, i) => {
      context.save();
      context.translate(l + (i + 0.5) * cell, top - 4);
      if (cell < 90) context.rotate(-Math.PI / 2);
      context.textAlign = cell < 90 ? "left" : "center";
      context.fillStyle = theme.soft;
      context.fillText(fitted(context, differing(r), cell < 90 ? 228 : cell - 4), 0, cell < 90 ? 0 : -6);
      context.restore();
    });
  }
  function scale(context, width, l, y) {
    context.fillStyle = theme.soft;
    context.fillText("cycles", l, y + 6);
    const from = l + 46, marks = 60, wide = Math.min(4, (width - from - 4) / marks);
    for (let i = 0; i < marks; ++i) { context.fillStyle = heat(i / (marks - 1)); context.fillRect(from + i * wide, y, wide + 0.5, 12); }
    context.fillStyle = theme.soft;
    for (const share of [0, 0.25, 1]) {
      context.textAlign = share === 1 ? "right" : share ? "center" : "left";
      context.fillText(short(share * most), from + share * marks * wide, y + 20);
    }
    context.textAlign = "left";
  }
  function draw(context, width) {
    const l = left(width);
    cell = cellOf(width);
    top = topOf(width);
    names.forEach((name, row) => {
      context.fillStyle = theme.soft;
      context.fillText(fitted(context, name, l - 8), 0, top + row * rowHeight + rowHeight / 2);
      let from = 0;  // columns that share a pixel are drawn as the darkest of them
      while (from < shown.length) {
        let to = from + 1, darkest = shown[from].layers[row] || 0;
        while (to < shown.length && (to - from) * cell < 1) darkest = Math.max(darkest, shown[to++].layers[row] || 0);
        context.fillStyle = heat(darkest / most);
        const x = Math.round(l + from * cell), end = Math.round(l + to * cell);  // part of a pixel would let the page shine through
        context.fillRect(x, top + row * rowHeight, Math.max(end - x - (cell > 6 ? 1 : 0), 1), rowHeight - 1);
        if (cell >= 52 && shown[from].layers[row] !== null && shown[from].layers[row] !== undefined) {
          context.fillStyle = inkOn(heat(darkest / most));
          context.textAlign = "right";
          context.fillText(short(shown[from].layers[row]), end - 5, top + row * rowHeight + rowHeight / 2);
          context.textAlign = "left";
        }
        from = to;
      }
    });
    headings(context, width, l);
    scale(context, width, l, top + names.length * rowHeight + 10);
    const picked = shown.indexOf(selection.layer);
    if (picked >= 0) {
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(l + picked * cell, top, Math.max(cell, 2), names.length * rowHeight);
    }
  }
  const self = plot("map", width => names.length * rowHeight + topOf(width) + scaleHeight + 10, draw, (x, y) => {
    const r = shown[Math.floor((x - left(self.width)) / cell)], row = Math.floor((y - top) / rowHeight);
    if (!r || x < left(self.width) || names[row] === undefined) return null;
    return {tip: `${names[row]}: ${r.layers[row] === null ? "not there" : `${whole(r.layers[row])} cycles`}\n${describe(r)}`, layer: r};
  });
  return network => {
    names = run.layers[network] || [];
    most = Math.max(1, ...shown.map(r => Math.max(0, ...r.layers)));
  };
}

scatter("macs", "MACs per cycle", r => r.macs_per_cycle, short);
scatter("sram", "bytes on AXI0 or SRAM", r => r.reach[0], short);
scatter("bandwidth", "MB/s on AXI1 or EXT", r => r.bytes[1] / r.ms / 1e3, v => v < 100 ? v.toPrecision(3) : whole(Math.round(v)));
const showNetwork = heatMap();
legend(byId("kinds"), [...accelerators.map((name, i) => [palette[i % palette.length], name]), ["var(--pick)", "Pareto front: no other run is better in both"]]);

selection.listeners.push(base => {
  byId("changes").replaceChildren();
  if (!base) { byId("from").textContent = "No run of this network completed."; return; }
  const all = changesOf(base), better = all.filter(c => c.saved > 0);
  byId("from").textContent = `From ${base.network}, ${configuration(base)} (${base.ms.toFixed(3)} ms), one setting changed, as simulated by runs of this study` +
    (all.length ? better.length ? ":" : ": none saves time." : ": no run differs in one setting.");
  for (const change of better.slice(0, 12)) html(byId("changes"), "li", sentence(base, change));
});

const table = sortable(byId("runs"), [
  {name: "network", text: true, key: r => r.network, show: r => r.network},
  {name: "accelerator", text: true, pick: true, key: r => r.accelerator, show: r => r.accelerator},
  {name: "system", text: true, key: r => r.system, show: r => r.system},
  {name: "memory mode", text: true, key: r => r.memory_mode, show: r => r.memory_mode},
  {name: "parameters", text: true, key: r => JSON.stringify(r.params), show: r => Object.entries(r.params).map(([name, value]) => `${name} ${value}`).join(", ")},
  {name: "ms", key: r => r.ms === null ? Infinity : r.ms, show: r => r.ms === null ? r.error : r.ms.toFixed(3)},
  {name: "MHz", title: "clock of the NPU", key: r => r.cycles === null ? 0 : mhz(r), show: r => r.cycles === null ? "" : whole(mhz(r))},
  {name: "cycles", key: r => r.cycles || 0, show: r => r.cycles === null ? "" : whole(r.cycles)},
  {name: "MACs per cycle", key: r => r.macs_per_cycle || 0, show: r => r.macs_per_cycle === null ? "" : whole(r.macs_per_cycle)},
  {name: "AXI0 or SRAM bytes", key: r => r.reach[0] || 0, show: r => r.reach[0] === null ? "" : whole(r.reach[0])},
  {name: "AXI1 or EXT bytes", key: r => r.reach[1] || 0, show: r => r.reach[1] === null ? "" : whole(r.reach[1])},
], runs, 5, r => { if (r.cycles !== null) { choose(r.network); selection.set(r); } }, 200, {tools: byId("run-tools"), key: "runs", file: "runs.csv"});
byId("search").addEventListener("input", () => {
  const words = searchWords(byId("search").value);
  const found = table.filter(r => matchesWords(words, `${r.network} ${configuration(r)} ${r.error}`));
  byId("found").textContent = words.length ? `${found} of ${runs.length} runs` : "";
});

/** Shows a network, compared with its run of fewest MACs that no other beats. */
function choose(network) {
  byId("network").value = network;
  shown = done.filter(r => r.network === network).sort((a, b) => a.ms - b.ms || a.index - b.index);
  showNetwork(network);
  selection.set(paretoFront(shown, r => r.macs_per_cycle)[0] || null);
}
for (const network of networks) html(byId("network"), "option", network).value = network;
byId("network").addEventListener("change", () => choose(byId("network").value));
const failed = runs.length - done.length;
document.title = networks.length === 1 ? `Study of ${networks[0]}` : `Study of ${networks.length} networks`;
byId("title").textContent = document.title;
byId("subtitle").textContent = `${whole(runs.length)} runs${failed ? `, ${whole(failed)} of them failed` : ""}.`;
choose(networks.find(n => done.some(r => r.network === n)) || networks[0]);
for (const p of plots) p.now();
