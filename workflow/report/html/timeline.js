/** Operations in as many rows as keep them apart. */
function inRows(list) {
  const ends = [], rows = [];
  for (const o of [...list].sort((a, b) => a.start - b.start)) {
    let row = ends.findIndex(end => end <= o.start);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = o.end;
    (rows[row] = rows[row] || []).push(o);
  }
  return rows;
}
/** Index of the first of sorted numbers that is above `cycle`. */
function firstAbove(ends, cycle) {
  let low = 0, high = ends.length;
  while (low < high) { const middle = (low + high) >> 1; if (ends[middle] <= cycle) low = middle + 1; else high = middle; }
  return low;
}
/** Index of the first of sorted `items` that ends after `cycle`. */
function firstAfter(items, cycle) {
  let low = 0, high = items.length;
  while (low < high) { const middle = (low + high) >> 1; if (items[middle].end <= cycle) low = middle + 1; else high = middle; }
  return low;
}

/** "mac_array" is "MAC array". */
const unitName = unit => unit.replace(/_/g, " ").replace(/^(dma|ifm|ofm|mac)\b/, letters => letters.toUpperCase()).replace(/^[a-z]/, c => c.toUpperCase());

function timeline() {
  const rowHeight = 22, curveHeight = 54, axisHeight = 20;
  const rows = [];
  const dma = operations.filter(o => o.name === "NPU_OP_DMA_START");
  inRows(operations.filter(o => o.name !== "NPU_OP_DMA_START")).forEach((items, i) => rows.push({name: i ? "" : "Operations", items, labels: true}));
  const blocks = operations.flatMap(o => o.blocks.map(([start, cycles, bound]) => ({start, end: start + cycles, name: o.name,
    operation: o.index, bound: run.names[bound], isBlock: true})));
  inRows(blocks).forEach((items, i) => rows.push({name: i ? "" : "Blocks", items}));
  inRows(dma).forEach((items, i) => rows.push({name: i ? "" : "DMA jobs", items}));
  const unitRow = unit => {
    const items = run.activity.filter(a => a.unit === unit).flatMap(a => a.spans)
      .map(s => ({...s, name: s.operation < 0 ? "" : operations[s.operation].name, unit}));
    return {name: unitName(unit), items};
  };
  for (const unit of new Set(run.activity.map(a => a.unit))) rows.push(unitRow(unit));
  const macSpans = run.activity.filter(a => a.unit === "mac_array").flatMap(a => a.spans);
  const curves = [];
  if (macSpans.length) curves.push({name: "MAC array", items: macSpans, value: s => s.busy, scale: 1, top: "100 % busy"});
  run.sides.forEach((side, i) => {
    const items = operations.filter(o => o.end > o.start).map(o => ({start: o.start, end: o.end, busy: run.operations.bytes[i][o.index]}));
    if (items.some(s => s.busy)) curves.push({name: side, items, value: s => s.busy, scale: null});
  });
  for (const c of curves) {  // in the order of their starts, with the latest end so far
    c.items = [...c.items].sort((a, b) => a.start - b.start);
    let latest = 0;
    c.reach = Float64Array.from(c.items, s => latest = Math.max(latest, s.end));
  }
  const left = width => width < 600 ? 96 : 128;
  const height = () => rows.length * rowHeight + curves.length * curveHeight + axisHeight;

  function bars(context, row, y, width) {
    const l = left(width), {from, to} = viewport, pixels = (width - l) / (to - from);
    for (let i = firstAfter(row.items, from), drawn = -1; i < row.items.length && row.items[i].start < to; ++i) {
      const o = row.items[i], a = Math.max(l + (o.start - from) * pixels, l), b = Math.min(l + (o.end - from) * pixels, width);
      if (b - a < 0.5 && Math.floor(b * 2) === drawn) continue;  // hidden behind the one before
      drawn = Math.floor(b * 2);
      const layer = o.layer !== undefined ? o.layer : o.operation >= 0 ? operations[o.operation].layer : -1;
      context.fillStyle = o.name ? kindColour(o.name) : theme.soft;
      // Joined spans are as dark as the unit was busy.
      context.globalAlpha = (isFaded(layer) ? 0.18 : 1) * (o.busy === undefined || !o.end ? 1 : 0.25 + 0.75 * o.busy / Math.max(1, o.end - o.start));
      context.fillRect(a, y + 3, Math.max(b - a, 0.6), rowHeight - 6);
      context.globalAlpha = 1;
      if (selection.layer && selection.layer.index === layer) {
        context.fillStyle = theme.pick;
        context.fillRect(a, y + rowHeight - 4, Math.max(b - a, 1), 2.5);
      }
      if (row.labels && (o.end - o.start) * pixels > 48) {
        context.fillStyle = inkOn(kindColour(o.name));
        context.fillText(fitted(context, shortName(layers[layer]), b - a - 8), a + 4, y + rowHeight / 2);
      }
    }
  }
  /** Values of spans in bins of two pixels. */
  function curve(context, c, y, width) {
    const {from, to} = viewport, l = left(width), bins = Math.max(1, Math.floor((width - l) / 2)), step = (to - from) / bins, sums = new Float64Array(bins);
    for (let at = firstAbove(c.reach, from); at < c.items.length && c.items[at].start < to; ++at) {
      const s = c.items[at];
      if (s.end <= from) continue;
      const rate = c.value(s) / (s.end - s.start);
      const first = Math.max(0, Math.floor((s.start - from) / step)), last = Math.min(bins - 1, Math.floor((s.end - from) / step));
      for (let i = first; i <= last; ++i)
        sums[i] += rate * Math.max(0, Math.min(s.end, from + (i + 1) * step) - Math.max(s.start, from + i * step)) / step;
    }
    const most = c.scale || Math.max(...sums, 1e-9);
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.55;
    for (let i = 0; i < bins; ++i) {
      const h = Math.min(1, sums[i] / most) * (curveHeight - 16);
      context.fillRect(l + 2 * i, y + curveHeight - 3 - h, 2, h);
    }
    context.globalAlpha = 1;
    context.fillStyle = theme.soft;
    context.fillText(c.top || most.toFixed(2) + " bytes per cycle", l + 4, y + 6);
  }
  function draw(context, width) {
    let y = 0;
    const line = tall => { context.fillStyle = theme.line; context.fillRect(left(width), y + tall - 1, width - left(width), 1); };
    const name = (text, tall) => {
      context.fillStyle = theme.soft;
      context.textAlign = "right";
      context.fillText(fitted(context, text, left(width) - 10), left(width) - 8, y + tall / 2);
      context.textAlign = "left";
    };
    for (const row of rows) { name(row.name, rowHeight); bars(context, row, y, width); line(rowHeight); y += rowHeight; }
    for (const c of curves) { name(c.name, curveHeight); curve(context, c, y, width); line(curveHeight); y += curveHeight; }
    name("cycles", axisHeight);
    cycleAxis(context, left(width), width, y);
  }
  function at(px, py) {
    const row = rows[Math.floor(py / rowHeight)], width = self.width;
    if (!row || px < left(width)) return null;
    const {from, to} = viewport, cycle = from + (px - left(width)) / (width - left(width)) * (to - from), slack = 2 * (to - from) / width;
    for (let i = firstAfter(row.items, cycle - slack); i < row.items.length && row.items[i].start <= cycle + slack; ++i) {
      const o = row.items[i];
      if (o.unit) return {tip: `${row.name}: cycles ${whole(o.start)} to ${whole(o.end)}, ${whole(o.busy)} busy` +
        (o.operation >= 0 ? "\n" + describe(operations[o.operation]) : ""), layer: o.operation >= 0 ? layers[operations[o.operation].layer] : null};
      if (o.isBlock) return {tip: `block, cycles ${whole(o.start)} to ${whole(o.end)}, bound by ${o.bound}\n` + describe(operations[o.operation]),
        layer: layers[operations[o.operation].layer]};
      return {tip: describe(o), layer: layers[o.layer]};
    }
    return null;
  }
  const self = plot("timeline", height, draw, at);
  followViewport(self, left);
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => button.dataset.zoom === "all" ? viewport.all() : viewport.zoom(Number(button.dataset.zoom)));
  byId("zoom-layer").addEventListener("click", () => viewport.to_layer(selection.layer));
  const kinds = new Set(operations.map(o => o.name));
  legend(byId("kinds"), [...kinds].map(name => [kindColour(name), kindOf(name)]));
  const joined = Math.max(0, ...run.activity.map(a => a.resolution));
  byId("resolution").textContent = joined ? `Gaps shorter than ${whole(joined)} cycles are merged; lighter means less busy.`
    : run.activity.length ? "Every interval is drawn." : "The report has no activity of units.";
}
