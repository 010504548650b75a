// The run's columns as rows, and what is selected.
const {layers} = run;
const operations = run.operations.start.map((start, i) => {
  const o = {index: i, start, end: start + run.operations.cycles[i]};
  for (const key of ["exclusive", "macs", "command", "layer"]) o[key] = run.operations[key][i];
  o.name = run.names[run.operations.name[i]];
  o.bound = run.names[run.operations.bound[i]];
  o.blocks = run.operations.blocks ? run.operations.blocks[i] : [];
  return o;
});
layers.forEach((layer, i) => {
  layer.index = i;
  layer.operations = [];
  layer.moved = layer.read[0] + layer.read[1] + layer.written[0] + layer.written[1];
});
for (const o of operations) layers[o.layer].operations.push(o);
for (const layer of layers) {
  layer.main = operations[layer.main];
  layer.start = Math.min(...layer.operations.map(o => o.start));
  layer.end = Math.max(...layer.operations.map(o => o.end));
}
/** The tensor that a layer writes, where its name has one. */
const shortName = layer => layer.name.includes("'") ? layer.name.split("'")[1] : layer.name;
const colour = o => kindColour(o.name);
const weightBytes = layer => layer.weights ? layer.weights[0] : 0;
const zeroShare = layer => layer.weights && layer.weights[1] ? layer.weights[2] / layer.weights[1] : 0;

// Spans of work: differences in whole cycles, as they were written.
for (const unit of run.activity) {
  let at = 0;
  unit.spans = [];
  for (let i = 0; i < unit.data.length; i += 4) {
    const [operation, gap, length, busy] = unit.data.slice(i, i + 4);
    at += gap;
    unit.spans.push({operation, start: at, end: at + length, busy});
    at += length;
  }
}

const selection = {
  layer: null,
  listeners: [],
  set(layer) {
    this.layer = layer === this.layer ? null : layer;
    view.set("layer", this.layer && this.layer.index);
    for (const listener of this.listeners) listener(this.layer);
  }
};
const isFaded = layerIndex => selection.layer !== null && selection.layer.index !== layerIndex;

function describeLayer(layer) {
  const lines = [layer.name, `exclusive ${whole(layer.exclusive)} cycles (${percent(layer.exclusive / run.cycles)}), active ${whole(layer.inclusive)} cycles`,
    `bound by ${layer.bound}`];
  if (layer.source && layer.label) lines.push(layer.label);
  if (layer.shape) lines.push(`result ${layer.shape.join(" x ")}`);
  if (layer.macs) lines.push(`${whole(layer.macs)} MACs, ${percent(layer.macs / layer.inclusive / run.macs_per_cycle)} of the array's peak`);
  if (layer.lanes !== undefined) lines.push(`${percent(layer.lanes)} of the MAC lanes used while the array is active`);
  if (layer.weights) lines.push(`weights ${whole(weightBytes(layer))} bytes encoded, ratio ${layer.weight_ratio.toFixed(2)}, ${percent(zeroShare(layer))} zeros`);
  run.sides.forEach((side, i) => {
    if (layer.read[i] || layer.written[i]) lines.push(`${side}: ${whole(layer.read[i])} bytes read, ${whole(layer.written[i])} written`);
  });
  return lines.join("\n");
}
function describe(o) {
  return `${kindOf(o.name)}, command ${o.command}, cycles ${whole(o.start)} to ${whole(o.end)} (active ${whole(o.end - o.start)}, ` +
    `exclusive ${whole(o.exclusive)} cycles), bound by ${o.bound}\n${describeLayer(layers[o.layer])}`;
}
