/** The cycles that the timeline and the memory chart show: one zoom for both, kept in the address. */
const viewport = {
  from: 0, to: run.cycles, listeners: [],
  show(a, b) {
    const span = Math.max(Math.min(run.cycles, b - a), Math.min(50, run.cycles));
    this.from = Math.max(0, Math.min(run.cycles - span, a));
    this.to = this.from + span;
    view.set("zoom", this.from > 0 || this.to < run.cycles ? `${Math.round(this.from)}-${Math.round(this.to)}` : null);
    for (const listener of this.listeners) listener();
  },
  zoom(factor, centre = (this.from + this.to) / 2) { this.show(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor); },
  pan(cycles) { this.show(this.from + cycles, this.to + cycles); },
  all() { this.show(0, run.cycles); },
  to_layer(layer) { const spare = (layer.end - layer.start) / 10; this.show(layer.start - spare, layer.end + spare); }
};
{
  const [a, b] = (view.get("zoom") || "").split("-").map(Number);
  if (b > a) viewport.show(a, b);
}

/** Lets a plot with cycles from `left(width)` to its right edge move the viewport: Ctrl and the wheel or two fingers zoom, dragging or
 * Shift and the wheel move, and the keys are those of Perfetto: W and S zoom, A and D move, F shows the selection, 0 all. The wheel
 * alone scrolls the page. */
function followViewport(plotted, left) {
  const {canvas} = plotted;
  const scale = () => (viewport.to - viewport.from) / Math.max(1, plotted.width - left(plotted.width));  // cycles per pixel
  const cycleAt = clientX => viewport.from + Math.max(0, clientX - canvas.getBoundingClientRect().left - left(plotted.width)) * scale();
  viewport.listeners.push(() => plotted.redraw());
  canvas.addEventListener("wheel", event => {
    if (event.ctrlKey || event.metaKey) viewport.zoom(event.deltaY > 0 ? 1.25 : 0.8, cycleAt(event.clientX));
    else if (event.shiftKey) viewport.pan((event.deltaY || event.deltaX) * scale());
    else return;
    event.preventDefault();
  }, {passive: false});
  const fingers = new Map();
  let grabbed = null;
  const grab = () => {
    const all = [...fingers.values()];
    grabbed = all.length === 2 ? {distance: Math.abs(all[0] - all[1]), span: viewport.to - viewport.from, cycle: cycleAt((all[0] + all[1]) / 2)}
      : all.length === 1 ? {px: all[0], from: viewport.from} : null;
  };
  canvas.addEventListener("pointerdown", event => { fingers.set(event.pointerId, event.clientX); plotted.dragged = false; grab(); });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, event => { if (fingers.delete(event.pointerId)) grab(); });
  canvas.addEventListener("pointermove", event => {
    if (!grabbed || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    if (grabbed.distance) {
      const [a, b] = [...fingers.values()], span = grabbed.span * grabbed.distance / Math.max(20, Math.abs(a - b));
      const at = ((a + b) / 2 - canvas.getBoundingClientRect().left - left(plotted.width)) / Math.max(1, plotted.width - left(plotted.width));
      plotted.dragged = true;
      viewport.show(grabbed.cycle - at * span, grabbed.cycle + (1 - at) * span);
    } else if (plotted.dragged || Math.abs(event.clientX - grabbed.px) >= 4) {
      plotted.dragged = true;
      const start = grabbed.from - (event.clientX - grabbed.px) * scale();
      viewport.show(start, start + viewport.to - viewport.from);
    }
  });
  canvas.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (viewport.to - viewport.from) / 8, closer = () => viewport.zoom(0.5), wider = () => viewport.zoom(2);
    const back = () => viewport.pan(-step), on = () => viewport.pan(step);
    const keys = {"+": closer, "=": closer, w: closer, "-": wider, s: wider, "0": () => viewport.all(), a: back, ArrowLeft: back, d: on, ArrowRight: on,
      f: () => selection.layer && viewport.to_layer(selection.layer)};
    const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!key) return;
    event.preventDefault();
    key();
  });
}
/** The axis of cycles below a plot. */
function cycleAxis(context, left, width, y) {
  const x = cycle => left + (cycle - viewport.from) / (viewport.to - viewport.from) * (width - left);
  const ticks = linearTicks(viewport.from, viewport.to, width < 600 ? 3 : 9), step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  context.textAlign = "center";
  for (const cycle of ticks) {
    context.fillStyle = theme.line;
    context.fillRect(x(cycle), y, 1, 4);
    const text = step < 1e4 ? whole(cycle) : short(cycle).replace(/\.?0+(?= )/, ""), half = context.measureText(text).width / 2;
    context.fillStyle = theme.soft;
    context.fillText(text, Math.min(Math.max(x(cycle), left + half), width - half), y + 11);
  }
  context.textAlign = "left";
}
