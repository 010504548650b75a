/** Layers as nodes, coloured by their own cycles. Laid out when it comes into sight, piece by piece, so that nothing waits for it. */
function graphView() {
  const height = width => Math.min(620, Math.max(360, width * 0.45));
  const most = Math.max(1, ...layers.map(l => l.exclusive));
  const stops = [[253, 244, 222], [250, 190, 105], [226, 110, 48], [150, 28, 20]];
  function heat(layer) {
    const at = Math.sqrt(layer.exclusive / most) * (stops.length - 1), low = Math.min(stops.length - 2, Math.floor(at));
    return stops[low].map((v, i) => Math.round(v + (stops[low + 1][i] - v) * (at - low)));
  }
  const isDark = ([r, g, b]) => 0.3 * r + 0.59 * g + 0.11 * b < 140;
  let graph = null, view = null;  // view: pixels per unit and the point in the corner

  function fit() {
    const scale = Math.min(self.width / (graph.width + 20), self.tall / (graph.height + 20), 1.4);
    view = {scale, x: (graph.width - self.width / scale) / 2, y: (graph.height - self.tall / scale) / 2};
  }
  function line(context, {from, to, inner}) {
    const a = graph.places[from], b = graph.places[to], half = nodeHeight / 2;
    context.moveTo(a.x, a.y + half);
    if (b.column > a.column && !inner.length) {  // up beside the next column
      const lane = b.x - nodeWidth / 2 - columnGap / 2, low = a.y + half + rankGap / 2, high = b.y - half - rankGap / 2;
      for (const [px, py] of [[a.x, low], [lane, low], [lane, high], [b.x, high], [b.x, b.y - half]]) context.lineTo(px, py);
      return;
    }
    let last = {x: a.x, y: a.y + half};
    for (const point of [...inner, {x: b.x, y: b.y - half}]) {
      const middle = (last.y + point.y) / 2;
      context.bezierCurveTo(last.x, middle, point.x, middle, point.x, point.y);
      last = point;
    }
  }
  function node(context, layer, {x, y}) {
    const rgb = heat(layer), left = x - nodeWidth / 2, top = y - nodeHeight / 2, picked = selection.layer === layer;
    context.globalAlpha = isFaded(layer.index) ? 0.35 : 1;
    context.fillStyle = `rgb(${rgb.join(" ")})`;
    context.strokeStyle = picked ? theme.pick : theme.soft;
    context.lineWidth = (picked ? 3 : 0.8) / Math.min(view.scale, 1);
    context.beginPath();
    context.roundRect(left, top, nodeWidth, nodeHeight, 5);
    context.fill();
    context.stroke();
    if (view.scale * nodeHeight > 13) {
      context.fillStyle = isDark(rgb) ? "#fff" : "#1c2430";
      context.font = "600 10px system-ui, sans-serif";
      const share = percent(layer.exclusive / run.cycles), room = nodeWidth - 14 - context.measureText(share).width - 6;
      context.fillText(fitted(context, kindOf(layer.kind), room), left + 7, y - 7);
      context.textAlign = "right";
      context.fillText(share, left + nodeWidth - 7, y - 7);
      context.textAlign = "left";
      context.font = "10px system-ui, sans-serif";
      context.fillText(fitted(context, shortName(layer), nodeWidth - 14), left + 7, y + 8);
    }
    context.globalAlpha = 1;
  }
  function draw(context, width, tall) {
    self.tall = tall;
    if (!graph) return;
    if (!view) fit();
    context.save();
    context.scale(view.scale, view.scale);
    context.translate(-view.x, -view.y);
    const sees = (x, y, margin) => x > view.x - margin && x < view.x + width / view.scale + margin && y > view.y - margin &&
      y < view.y + tall / view.scale + margin;
    for (const mine of [false, true]) {
      context.beginPath();
      for (const l of graph.lines) {
        const a = graph.places[l.from], b = graph.places[l.to], picked = selection.layer && (selection.layer.index === l.from || selection.layer.index === l.to);
        if (!!picked === mine && (sees(a.x, a.y, nodeWidth) || sees(b.x, b.y, nodeWidth) || Math.abs(a.y - b.y) > 200 || a.column !== b.column)) line(context, l);
      }
      context.strokeStyle = mine ? theme.pick : theme.soft;
      context.lineWidth = (mine ? 2 : 1) / Math.min(view.scale * 1.4, 1);
      context.stroke();
    }
    layers.forEach((layer, i) => { if (sees(graph.places[i].x, graph.places[i].y, nodeWidth)) node(context, layer, graph.places[i]); });
    context.restore();
  }
  function at(px, py) {
    if (!graph || !view) return null;
    const x = view.x + px / view.scale, y = view.y + py / view.scale;
    const hit = graph.places.findIndex(p => Math.abs(p.x - x) <= nodeWidth / 2 && Math.abs(p.y - y) <= nodeHeight / 2);
    return hit < 0 ? null : {tip: describeLayer(layers[hit]), layer: layers[hit]};
  }
  const self = plot("graph", height, draw, at), {canvas} = self;

  function zoom(factor, px = self.width / 2, py = self.tall / 2) {
    if (!view) return;
    const scale = Math.min(4, Math.max(0.02, view.scale * factor));
    view = {scale, x: view.x + px / view.scale - px / scale, y: view.y + py / view.scale - py / scale};
    self.redraw();
  }
  const move = (x, y) => { if (view) { view = {...view, x: view.x + x / view.scale, y: view.y + y / view.scale}; self.redraw(); } };
  const all = () => { view = null; self.redraw(); };
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;  // the wheel alone scrolls the page
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 0.8 : 1.25, event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  let grabbed = null;
  canvas.addEventListener("pointerdown", event => { grabbed = [event.clientX, event.clientY]; self.dragged = false; });
  addEventListener("pointerup", () => { grabbed = null; });
  canvas.addEventListener("pointermove", event => {
    if (!grabbed || Math.hypot(event.clientX - grabbed[0], event.clientY - grabbed[1]) < 4 && !self.dragged) return;
    self.dragged = true;
    move(grabbed[0] - event.clientX, grabbed[1] - event.clientY);
    grabbed = [event.clientX, event.clientY];
  });
  canvas.addEventListener("keydown", event => {
    const keys = {"+": () => zoom(1.6), "=": () => zoom(1.6), "-": () => zoom(0.625), "0": all, ArrowLeft: () => move(-80, 0), ArrowRight: () => move(80, 0),
      ArrowUp: () => move(0, -80), ArrowDown: () => move(0, 80), w: () => move(0, -80), s: () => move(0, 80), a: () => move(-80, 0), d: () => move(80, 0)};
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll("[data-graph]"))
    button.addEventListener("click", () => button.dataset.graph === "all" ? all() : zoom(Number(button.dataset.graph)));
  byId("graph-layer").addEventListener("click", () => {
    if (!graph) return;
    const {x, y} = graph.places[selection.layer.index];
    view = {scale: 1.2, x: x - self.width / 2.4, y: y - self.tall / 2.4};
    self.redraw();
  });
  selection.listeners.push(layer => { byId("graph-layer").disabled = !layer; });
  addEventListener("resize", all);
  legend(byId("graph-legend"), [0, 0.25, 0.5, 1].map(share =>
    [`rgb(${heat({exclusive: share * most}).join(" ")})`, percent(share * most / run.cycles)]));

  const waiting = pieces(layers.length, run.edges), laid = [];
  function finish() {
    graph = placePieces(laid, run.edges, self.width / height(self.width));
    byId("graph-state").textContent = "";
    self.now();
  }
  /** Some milliseconds of layout; true: all is done. */
  function work(milliseconds) {
    const until = performance.now() + milliseconds;
    while (waiting.length && performance.now() < until) laid.push(layOutPiece(waiting.shift(), run.edges));
    if (!waiting.length) finish();
    else byId("graph-state").textContent = "Laying out graph\u2026";
    return !waiting.length;
  }
  self.layOut = () => { if (!graph) work(Infinity); };  // for paper
  addEventListener("beforeprint", self.layOut);
  const step = () => { if (!graph && !work(12)) setTimeout(step); };
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(e => e.isIntersecting)) return;
    observer.disconnect();
    step();
  }, {rootMargin: "400px"}).observe(canvas);
  return self;
}
