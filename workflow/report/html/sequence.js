/** Cycles of the steps of a sequence, as a line. */
function overSteps() {
  const sequence = run.sequence;
  byId("steps-section").hidden = !sequence || !sequence.cycles;
  if (byId("steps-section").hidden) return;
  const cycles = sequence.cycles.steps, {min, median, max, trend} = sequence.cycles;
  const speed = sequence.steps_per_second ? `, ${sequence.steps_per_second.toFixed(2)} steps per second` : "";
  byId("steps-text").textContent = `${whole(sequence.steps)} steps of ${whole(min)} to ${whole(max)} cycles, median ${whole(median)}, ` +
    `${trend < 0 ? "" : "+"}${trend.toFixed(1)} with each step${speed}. The rest of the page shows one step.`;
  const left = 70, bottom = 24, top = 12, most = max * 1.05 || 1;
  const px = (step, width) => left + (cycles.length === 1 ? 0.5 : step / (cycles.length - 1)) * (width - left - 12);
  const py = (value, tall) => tall - bottom - value / most * (tall - bottom - top);
  const height = width => Math.min(220, Math.max(140, width * 0.25));
  function draw(context, width, tall) {
    context.fillStyle = theme.soft;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    for (const value of [0, max / 2, max]) {
      context.beginPath();
      context.moveTo(left, py(value, tall));
      context.lineTo(width - 12, py(value, tall));
      context.stroke();
      context.textAlign = "right";
      context.fillText(short(value), left - 6, py(value, tall));
    }
    context.textAlign = "left";
    context.fillText("step 0", left, tall - 9);
    context.textAlign = "right";
    context.fillText(String(cycles.length - 1), width - 12, tall - 9);
    context.strokeStyle = context.fillStyle = theme.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    cycles.forEach((value, step) => context.lineTo(px(step, width), py(value, tall)));
    context.stroke();
    if (cycles.length <= 64)
      cycles.forEach((value, step) => context.fillRect(px(step, width) - 2, py(value, tall) - 2, 4, 4));
  }
  const self = plot("steps", height, draw, x => {
    const step = Math.round((x - left) / (self.width - left - 12) * (cycles.length - 1) || 0);
    return step >= 0 && step < cycles.length ? {tip: `step ${step}: ${whole(cycles[step])} cycles`} : null;
  });
}
