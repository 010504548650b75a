function roofline() {
  // The port and direction whose roof is lowest for the layer's bytes.
  const points = layers.filter(l => l.macs && l.moved).map(layer => {
    let worst = {cycles: 0};
    run.sides.forEach((side, i) => [["read", layer.read[i]], ["write", layer.written[i]]].forEach(([way, bytes]) => {
      const cycles = bytes / run.bytes_per_cycle[i];
      if (cycles > worst.cycles) worst = {cycles, bytes, side: i, text: `${side} ${way}`};
    }));
    return {layer, worst, x: layer.macs / worst.bytes, y: layer.macs / layer.inclusive};
  });
  const left = 46, bottom = 34, sideColours = ["#2f9e77", "#c75b7a"];
  const ridges = run.bytes_per_cycle.map(b => run.macs_per_cycle / b);
  const span = values => [Math.floor(Math.log10(Math.min(...values) / 1.2)), Math.ceil(Math.log10(Math.max(...values) * 1.2))];
  const [x0, x1] = span([...ridges, ...points.map(p => p.x)]), [y0, y1] = span([run.macs_per_cycle, ...points.map(p => p.y)]);
  const height = width => Math.min(400, Math.max(260, width * 0.6));
  let marks = [];
  function draw(context, width, tall) {
    const px = v => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - 12);
    const py = v => tall - bottom - (Math.log10(v) - y0) / (y1 - y0) * (tall - bottom - 12);
    context.strokeStyle = theme.line;
    context.fillStyle = theme.soft;
    context.lineWidth = 1;
    const line = (a, b, c, d) => { context.beginPath(); context.moveTo(a, b); context.lineTo(c, d); context.stroke(); };
    for (let e = x0; e <= x1; ++e) {
      line(px(10 ** e), 12, px(10 ** e), tall - bottom);
      context.textAlign = e === x1 ? "right" : "center";
      context.fillText(String(+(10 ** e).toPrecision(1)), e === x1 ? width - 8 : px(10 ** e), tall - bottom + 10);
    }
    for (let e = y0; e <= y1; ++e) {
      line(left, py(10 ** e), width - 12, py(10 ** e));
      context.textAlign = "right";
      context.fillText(String(+(10 ** e).toPrecision(1)), left - 6, py(10 ** e));
    }
    context.textAlign = "center";
    context.fillText("MACs per byte", (width + left) / 2, tall - 7);
    context.textAlign = "left";
    context.fillText("MACs per cycle", left + 5, 20);
    run.bytes_per_cycle.forEach((bandwidth, i) => {
      const lowest = Math.max(10 ** x0, 10 ** y0 / bandwidth);
      context.strokeStyle = sideColours[i];
      context.lineWidth = 1.8;
      context.beginPath();
      context.moveTo(px(lowest), py(lowest * bandwidth));
      context.lineTo(px(ridges[i]), py(run.macs_per_cycle));
      context.lineTo(px(10 ** x1), py(run.macs_per_cycle));
      context.stroke();
    });
    marks = points.map(p => ({p, x: px(p.x), y: py(p.y), r: 3 + 22 * Math.sqrt(p.layer.exclusive / run.cycles)}));
    for (const m of marks) {
      context.beginPath();
      context.arc(m.x, m.y, m.r, 0, 2 * Math.PI);
      context.fillStyle = colour(m.p.layer.main);
      context.globalAlpha = isFaded(m.p.layer.index) ? 0.12 : 0.6;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = selection.layer === m.p.layer ? theme.pick : sideColours[m.p.worst.side];
      context.lineWidth = selection.layer === m.p.layer ? 3 : 1;
      context.stroke();
    }
  }
  plot("roofline", height, draw, (x, y) => {
    const hits = marks.filter(m => Math.hypot(m.x - x, m.y - y) <= Math.max(m.r, 5)).sort((a, b) => a.r - b.r);
    if (!hits.length) return null;
    const {layer, worst} = hits[0].p;
    return {tip: `${describeLayer(layer)}\nbelow the roof of ${worst.text}: ${whole(worst.bytes)} bytes take ${whole(worst.cycles)} cycles at least`, layer};
  });
  legend(byId("roofs"), run.sides.map((side, i) => [sideColours[i], `${side}: ${run.bytes_per_cycle[i].toFixed(2)} bytes per cycle each way`])
    .concat([[theme.soft, `${run.macs_per_cycle} MACs per cycle`]]));
}

function memoryMap() {
  const left = 62, rowHeight = 140, gap = 26;
  const m = run.lifetimes;
  const blocks = m.region.map((region, i) => ({region, first: m.first[i], last: m.last[i], start: m.start[i], end: m.end[i],
    o: operations[m.operation[i]], written: m.written[i]}));
  const regions = [...new Set(m.region)].sort((a, b) => a - b);
  const tops = regions.map(region => blocks.reduce((top, b) => b.region === region ? Math.max(top, b.last + 1) : top, 1));
  let marks = [];
  function draw(context, width) {
    marks = [];
    regions.forEach((region, i) => {
      const top = tops[i], base = i * (rowHeight + gap) + 20;
      context.fillStyle = theme.soft;
      context.textAlign = "left";
      context.fillText(`region ${region}, ${run.sides[run.region_side[region]]}: ${whole(top)} bytes`, 0, base - 10);
      context.textAlign = "right";
      context.fillText("0", left - 6, base + rowHeight - 6);
      context.fillText(short(top), left - 6, base + 6);
      context.textAlign = "left";
      context.strokeStyle = theme.line;
      context.strokeRect(left, base, width - left - 1, rowHeight);
      for (const b of blocks) {
        if (b.region !== region) continue;
        const x = left + b.start / run.cycles * (width - left), y = base + rowHeight - (b.last + 1) / top * rowHeight;
        const w = Math.max((b.end - b.start) / run.cycles * (width - left), 0.6), h = Math.max((b.last - b.first + 1) / top * rowHeight, 0.6);
        context.fillStyle = colour(b.o);
        context.globalAlpha = (b.written ? 0.8 : 0.28) * (isFaded(b.o.layer) ? 0.25 : 1);
        context.fillRect(x, y, w, h);
        context.globalAlpha = 1;
        if (w > 2 && h > 2) { context.strokeStyle = theme.paper; context.lineWidth = 0.5; context.strokeRect(x, y, w, h); }
        if (selection.layer && selection.layer.index === b.o.layer) { context.strokeStyle = theme.pick; context.lineWidth = 1.5; context.strokeRect(x, y, w, h); }
        if (w > 60 && h > 14) {
          context.fillStyle = b.written ? "#fff" : theme.ink;
          context.fillText(fitted(context, shortName(layers[b.o.layer]), w - 8), x + 4, y + h / 2);
        }
        marks.push({b, x, y, w, h});
      }
    });
  }
  plot("memory", () => Math.max(40, regions.length * (rowHeight + gap)), draw, (x, y) => {
    const hit = marks.find(k => x >= k.x - 1 && x <= k.x + k.w + 1 && y >= k.y && y <= k.y + k.h);
    if (!hit) return null;
    const {b} = hit, layer = layers[b.o.layer];
    return {tip: `${b.written ? "written by" : "not written, first read by"} ${layer.name}\nregion ${b.region}, bytes ${whole(b.first)} to ${whole(b.last)} ` +
      `(${whole(b.last - b.first + 1)})\ncycles ${whole(b.start)} to ${whole(b.end)}`, layer};
  });
  byId("memory-text").textContent = grouped(run.memory_text);
}
