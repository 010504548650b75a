const {runs, layers} = run;
const first = runs[0], last = runs.length - 1;
const signed = n => (n > 0 ? "+" : n < 0 ? "\u2212" : "") + whole(Math.abs(n));
const change = (then, now) => then ? (now < then ? "\u2212" : "+") + percent(Math.abs(now - then) / then) : "";
const mark = n => n > 0 ? "more" : n < 0 ? "less" : "";

document.title = runs.map(r => r.label).join(" and ");
byId("title").textContent = document.title;
sortable(byId("runs"), [
  {name: "run", text: true, key: r => r.index, show: r => r.label},
  {name: "network", text: true, key: r => r.network, show: r => r.network},
  {name: "accelerator", text: true, key: r => r.accelerator, show: r => r.accelerator},
  {name: "system", text: true, key: r => r.system, show: r => `${r.system}, ${r.memory_mode}`},
  {name: "cycles", key: r => r.cycles, show: r => whole(r.cycles)},
  {name: "change", key: r => r.cycles - first.cycles, show: r => r === first ? "" : `${signed(r.cycles - first.cycles)} (${change(first.cycles, r.cycles)})`,
    mark: r => mark(r.cycles - first.cycles)},
  {name: "ms", key: r => r.milliseconds, show: r => r.milliseconds.toFixed(3)},
  {name: "MACs", key: r => r.macs, show: r => whole(r.macs)},
  {name: "bytes", key: r => r.bytes, show: r => whole(r.bytes)},
], runs, 0);

const difference = l => (l.cycles[last] || 0) - (l.cycles[0] || 0);
const most = Math.max(1, ...layers.map(l => Math.abs(difference(l))));
const layerTable = sortable(byId("layers"), [
  {name: "layer", text: true, key: l => l.index, show: l => l.name},
  ...runs.map((r, i) => ({name: r.label, key: l => l.cycles[i] === null ? -1 : l.cycles[i], show: l => l.cycles[i] === null ? "not there" : whole(l.cycles[i])})),
  {name: "change", key: l => Math.abs(difference(l)), show: l => `${signed(difference(l))} ${l.cycles[0] ? `(${change(l.cycles[0], l.cycles[last] || 0)})` : ""}`,
    bar: l => [Math.abs(difference(l)) / most, difference(l) > 0 ? "var(--more)" : "var(--less)"], mark: l => mark(difference(l))},
  {name: "bound by", text: true, key: l => l.bounds.join(), show: l => [...new Set(l.bounds.filter(Boolean))].join(" \u2192 ")},
], layers, runs.length + 1);
function filter() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = layerTable.filter(l => words.every(w => l.name.toLowerCase().includes(w)) && (!byId("moved").checked || difference(l) !== 0));
  byId("found").textContent = `${found} of ${layers.length} layers`;
}
byId("search").addEventListener("input", filter);
byId("moved").addEventListener("change", filter);
filter();
