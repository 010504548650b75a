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
  const left = 46, bottom = 34, dashes = [[], [6, 4]];  // of the roofs: colours are those of kinds
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
      context.strokeStyle = theme.ink;
      context.setLineDash(dashes[i]);
      context.lineWidth = 1.6;
      context.beginPath();
      context.moveTo(px(lowest), py(lowest * bandwidth));
      context.lineTo(px(ridges[i]), py(run.macs_per_cycle));
      context.lineTo(px(10 ** x1), py(run.macs_per_cycle));
      context.stroke();
      context.setLineDash([]);
    });
    marks = points.map(p => ({p, x: px(p.x), y: py(p.y), r: 3 + 22 * Math.sqrt(p.layer.exclusive / run.cycles)}));
    for (const m of marks) {
      context.beginPath();
      context.arc(m.x, m.y, m.r, 0, 2 * Math.PI);
      context.fillStyle = colour(m.p.layer.main);
      context.globalAlpha = isFaded(m.p.layer.index) ? 0.12 : 0.6;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = selection.layer === m.p.layer ? theme.pick : theme.soft;
      context.lineWidth = selection.layer === m.p.layer ? 3 : 1;
      context.stroke();
    }
  }
  plot("roofline", height, draw, (x, y) => {
    const hits = marks.filter(m => Math.hypot(m.x - x, m.y - y) <= Math.max(m.r, 5)).sort((a, b) => a.r - b.r);
    if (!hits.length) return null;
    const {layer, worst} = hits[0].p;
    return {tip: `${describeLayer(layer)}\nlimited by ${worst.text}s: ${whole(worst.bytes)} bytes need at least ${whole(worst.cycles)} cycles`, layer};
  });
  legend(byId("roofs"), run.sides.map((side, i) => [null, `${i ? "dashed" : "solid"}: ${side}, ${run.bytes_per_cycle[i].toFixed(2)} bytes per cycle each way`])
    .concat([[null, `flat: ${run.macs_per_cycle} MACs per cycle`]]));
}
