// Canvases that are drawn in their own pixels and answer to a pointer.
const theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "line", "paper", "back", "accent", "pick", "more"]) theme[name] = style.getPropertyValue("--" + name).trim();
}
readTheme();
const plots = [];
/** draw(context, width, height) is called when anything changed; height(width) in pixels; at(x, y): {tip, layer} or null. */
function plot(id, height, draw, at) {
  const canvas = byId(id), context = canvas.getContext("2d");
  let asked = false, isVisible = false, isStale = true;
  const self = {canvas, width: 0,
    redraw() {
      isStale = true;
      if (asked || !isVisible) return;  // what is out of sight is drawn when it comes into sight
      asked = true;
      requestAnimationFrame(() => { asked = false; self.now(); });
    },
    /** Takes the height that the plot will have. */
    fit() {
      self.width = canvas.clientWidth;
      canvas.style.height = height(self.width) + "px";
    },
    now() {
      isStale = false;
      const width = canvas.clientWidth, tall = height(width), scale = devicePixelRatio || 1;
      canvas.style.height = tall + "px";
      if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(tall * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(tall * scale);
      }
      self.width = width;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, width, tall);
      context.font = "11px system-ui, sans-serif";
      context.textBaseline = "middle";
      draw(context, width, tall);
    }};
  const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointermove", event => { const hit = at(...place(event)); showTip(hit && hit.tip, event); });
  canvas.addEventListener("pointerleave", () => showTip(null));
  canvas.addEventListener("click", event => {
    if (self.dragged) return;
    const hit = at(...place(event));
    if (hit && hit.layer) selection.set(hit.layer);
  });
  new IntersectionObserver(entries => {
    isVisible = entries[entries.length - 1].isIntersecting;
    if (isVisible && isStale) self.redraw();
  }, {rootMargin: "200px"}).observe(canvas);
  selection.listeners.push(() => self.redraw());
  plots.push(self);
  return self;
}
const redrawAll = () => { readTheme(); for (const p of plots) p.redraw(); };
addEventListener("resize", redrawAll);
addEventListener("beforeprint", () => { readTheme(); for (const p of plots) p.now(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
addEventListener("keydown", event => { if (event.key === "Escape" && selection.layer) selection.set(selection.layer); });

/** A text cut to a width, or nothing if little of it is left. */
function fitted(context, text, width) {
  if (width < 24) return "";
  if (context.measureText(text).width <= width) return text;
  const letters = Math.floor(text.length * width / context.measureText(text).width) - 2;
  return letters < 3 ? "" : text.slice(0, letters) + "\u2026";
}
