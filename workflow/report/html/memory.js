// Memory over time: how much is live, what lies where, what is live at the cursor, and what the peak consists of.
const lifetimes = run.lifetimes.region.map((region, i) => {
  const {first, last, start, end, operation, written} = run.lifetimes;
  return {index: i, region, first: first[i], last: last[i], bytes: last[i] - first[i] + 1, start: start[i], end: end[i], o: operations[operation[i]], written: written[i],
    side: run.region_side[region]};
});
const isLive = (life, cycle) => life.start <= cycle && cycle < life.end;
const liveAt = (side, cycle) => lifetimes.filter(l => l.side === side && isLive(l, cycle));
const sumOf = (list, of) => list.reduce((sum, item) => sum + of(item), 0);
const tensorOf = life => (life.written ? "" : "input of ") + layers[life.o.layer].name;

function memoryMap() {
  const left = width => width < 600 ? 62 : 78, curveHeight = 90, rowHeight = 140, gap = 26, axisHeight = 20;
  const sides = [0, 1].filter(side => lifetimes.some(l => l.side === side));
  const curves = sides.map(side => ({side, points: run.memory[side].curve, limit: side === 0 ? run.sram_size : null, ...run.memory[side]}));
  const regions = [...new Set(lifetimes.map(l => l.region))].sort((a, b) => a - b);
  const tops = regions.map(region => Math.max(1, ...lifetimes.filter(l => l.region === region).map(l => l.last + 1)));
  const tall = sides.length * (curveHeight + gap) + regions.length * (rowHeight + gap) + axisHeight;
  let marks = [], cursor = null;

  /** A frame with its caption and the ends of its axis. */
  function frame(context, base, height, width, caption, top) {
    const l = left(width);
    context.fillStyle = theme.soft;
    context.textAlign = "left";
    context.fillText(fitted(context, caption, width), 0, base - 10);
    context.textAlign = "right";
    context.fillText("0", l - 6, base + height - 6);
    context.fillText(sizeText(top), l - 6, base + 6);
    context.textAlign = "left";
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    context.strokeRect(l, base, width - l - 1, height);
  }
  function draw(context, width) {
    marks = [];
    const l = left(width), {from, to} = viewport, x = cycle => Math.min(width, Math.max(l, l + (cycle - from) / (to - from) * (width - l)));
    let base = 20;
    for (const c of curves) {
      const top = Math.max(c.peak, c.limit || 0) * 1.05 || 1, y = bytes => base + curveHeight - bytes / top * curveHeight;
      frame(context, base, curveHeight, width, `${run.sides[c.side]}: live bytes, at most ${sizeText(c.peak)} at cycle ${whole(c.peak_cycle)}`, top);
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.5;
      c.points.forEach(([cycle, live], i) => {
        const end = i + 1 < c.points.length ? c.points[i + 1][0] : run.cycles;
        if (end >= from && cycle <= to) context.fillRect(x(cycle), y(live), Math.max(x(end) - x(cycle), 0.5), base + curveHeight - y(live));
      });
      context.globalAlpha = 1;
      if (c.limit) {
        context.strokeStyle = theme.more;
        context.setLineDash([5, 4]);
        context.beginPath();
        context.moveTo(l, y(c.limit));
        context.lineTo(width, y(c.limit));
        context.stroke();
        context.setLineDash([]);
        context.fillStyle = theme.more;
        context.fillText(`limit ${sizeText(c.limit)}`, l + 4, y(c.limit) + 8);
      }
      base += curveHeight + gap;
    }
    regions.forEach((region, i) => {
      const top = tops[i];
      frame(context, base, rowHeight, width, `region ${region}, ${run.sides[run.region_side[region]]}: addresses to ${whole(top)}`, top);
      for (const b of lifetimes) {
        if (b.region !== region || b.end < from || b.start > to) continue;
        const px = x(b.start), y = base + rowHeight - (b.last + 1) / top * rowHeight, w = Math.max(x(b.end) - px, 0.6), h = Math.max(b.bytes / top * rowHeight, 0.6);
        context.fillStyle = colour(b.o);
        context.globalAlpha = (b.written ? 0.8 : 0.28) * (isFaded(b.o.layer) ? 0.25 : 1);
        context.fillRect(px, y, w, h);
        context.globalAlpha = 1;
        if (w > 2 && h > 2) { context.strokeStyle = theme.paper; context.lineWidth = 0.5; context.strokeRect(px, y, w, h); }
        if (selection.layer && selection.layer.index === b.o.layer) { context.strokeStyle = theme.pick; context.lineWidth = 1.5; context.strokeRect(px, y, w, h); }
        if (w > 60 && h > 14) {
          context.fillStyle = b.written ? inkOn(colour(b.o)) : theme.ink;
          context.fillText(fitted(context, shortName(layers[b.o.layer]), w - 8), px + 4, y + h / 2);
        }
        marks.push({b, x: px, y, w, h});
      }
      base += rowHeight + gap;
    });
    cycleAxis(context, l, width, base - gap + 4);
    if (cursor !== null && cursor >= from && cursor <= to) {
      context.fillStyle = theme.pick;
      context.fillRect(x(cursor), 20, 1, base - gap - 20);
    }
  }
  const self = plot("memory", () => Math.max(40, tall), draw, (x, y) => {
    const hit = marks.find(k => x >= k.x - 1 && x <= k.x + k.w + 1 && y >= k.y && y <= k.y + k.h);
    if (!hit) return null;
    const {b} = hit;
    return {tip: `${b.written ? "written by" : "not written, first read by"} ${layers[b.o.layer].name}\nregion ${b.region}, bytes ${whole(b.first)} to ${whole(b.last)} ` +
      `(${sizeText(b.bytes)})\ncycles ${whole(b.start)} to ${whole(b.end)}`, layer: layers[b.o.layer]};
  });
  followViewport(self, left);
  self.canvas.addEventListener("pointermove", event => {
    const px = event.clientX - self.canvas.getBoundingClientRect().left, l = left(self.width);
    if (px < l) return;
    cursor = viewport.from + (px - l) / (self.width - l) * (viewport.to - viewport.from);
    byId("live").textContent = sides.map(side => {
      const list = liveAt(side, cursor).sort((a, b) => b.bytes - a.bytes);
      return `${run.sides[side]} at cycle ${whole(cursor)}: ${sizeText(sumOf(list, life => life.bytes))} in ${list.length} pieces` +
        (list.length ? ": " + list.slice(0, 6).map(life => `${tensorOf(life)} ${sizeText(life.bytes)}`).join("; ") : "");
    }).join("\n");
    self.redraw();
  });
  byId("memory-text").textContent = grouped(run.memory_text);
  peakTable(sides);
}
/** Contents of each memory at its peak. */
function peakTable(sides) {
  const rows = sides.flatMap(side => liveAt(side, run.memory[side].peak_cycle));
  sortable(byId("peak"), [
    {name: "bytes", title: "bytes at the peak of the memory", key: l => l.bytes, show: l => whole(l.bytes), bar: l => [l.bytes / run.memory[l.side].peak, colour(l.o)]},
    {name: "share", title: "of the memory's peak", key: l => l.bytes / run.memory[l.side].peak, show: l => percent(l.bytes / run.memory[l.side].peak)},
    {name: "written by", text: true, pick: true, key: tensorOf, show: tensorOf},
    {name: "memory", text: true, key: l => l.side, show: l => run.sides[l.side]},
    {name: "region", key: l => l.region, show: l => String(l.region)},
    {name: "first byte", key: l => l.first, show: l => whole(l.first)},
    {name: "from cycle", key: l => l.start, show: l => whole(l.start)},
    {name: "to cycle", key: l => l.end, show: l => whole(l.end)},
  ], rows, 0, life => selection.set(layers[life.o.layer]), 20, {tools: byId("peak-tools"), file: "peak.csv"});
}
