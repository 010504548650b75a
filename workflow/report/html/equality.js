const {runs, constants, coverage, pictures} = run;
const others = Object.entries(coverage.not_compared);
const differing = runs.filter(r => !r.equal).length;
const names = run.names ? `${run.names.join(" vs ")}${run.accelerator ? ` (${run.accelerator})` : ""}` : "";
/** Elements that differ in the tensors of this name, over all runs. */
const elementsApart = new Map();
for (const r of runs)
  for (const t of [...r.recognised.map(t => [t.tensor, t.different]), ...r.outputs.filter(o => !r.recognised.some(t => t.tensor === o.name)).map(o => [o.name, o.different])])
    elementsApart.set(t[0], (elementsApart.get(t[0]) || 0) + t[1]);
const mismatches = [...elementsApart.values()].filter(Boolean).length + constants.differences.length;
const compared = `${coverage.compared.length} of ${coverage.compared.length + others.length} tensors compared`;
const verdict = verdictText(run.equal, mismatches, constants.differences.length, compared);
document.title = names ? `${names}: ${verdict}` : verdict[0].toUpperCase() + verdict.slice(1);
byId("title").textContent = document.title;
figures(byId("figures"), [[`${coverage.compared.length} of ${coverage.compared.length + others.length}`, "tensors compared"],
  [whole(runs.length), "runs"], [whole(differing), "runs that differ"], [whole(constants.differences.length), "operations with wrong constants"],
  [`${constants.weights.compared} of ${constants.weights.operators}`, "operators' weights compared"]]);
byId("text").textContent = run.text;

const number = n => n === undefined ? "" : whole(n);
const yes = flag => flag ? "yes" : "";
sortable(byId("tensors"), [
  {name: "tensor", text: true, key: t => t.tensor, show: t => t.tensor},
  {name: "differs", title: "elements that differ, over all runs", key: t => elementsApart.get(t.tensor) || 0, mark: t => elementsApart.get(t.tensor) ? "more" : "",
    show: t => elementsApart.get(t.tensor) ? whole(elementsApart.get(t.tensor)) : "no"},
  {name: "min", title: "lowest value of all runs", key: t => t.lowest === undefined ? -Infinity : t.lowest, show: t => number(t.lowest)},
  {name: "max", title: "highest value of all runs", key: t => t.highest === undefined ? -Infinity : t.highest, show: t => number(t.highest)},
  {name: "min hit", title: "the lowest value of the type was reached", text: true, key: t => t.saturated_low, show: t => yes(t.saturated_low)},
  {name: "max hit", title: "the highest value of the type was reached", text: true, key: t => t.saturated_high, show: t => yes(t.saturated_high)},
  {name: "LUT entries used", key: t => t.table_entries_used || 0, show: t => t.table_entries ? `${t.table_entries_used} of ${t.table_entries}` : ""},
], coverage.compared, run.equal ? 0 : 1, undefined, Infinity, {tools: byId("tensor-tools"), key: "tensors", file: "tensors.csv"});
byId("others-section").hidden = others.length === 0;
sortable(byId("others"), [
  {name: "tensor", text: true, key: o => o[0], show: o => o[0]},
  {name: "why", text: true, key: o => o[1], show: o => o[1]},
], others, 0);

byId("pictures-section").hidden = pictures.length === 0;
pictures.forEach((p, i) => { html(byId("tensor"), "option", `${p.tensor} (${p.run})`).value = i; });
function within(id, count) {
  byId(id).max = count - 1;
  byId(id).closest("label").hidden = count < 2;
  return byId(id).value = Math.min(count - 1, Math.max(0, Math.floor(byId(id).value) || 0));
}
function draw() {
  if (pictures.length === 0) return;
  const picture = pictures[byId("tensor").value], size = extents(picture.shape);
  const wrong = picture.expected.filter((v, i) => v !== picture.sim[i]).length;
  showPicture(picture, +within("image", size.images), +within("channel", size.depth), byId("all").checked);
  byId("shown").textContent = `[${picture.shape.join(", ")}], ${whole(wrong)} of ${whole(picture.expected.length)} elements differ`;
}
/** The image and channel of the first difference. */
function start() {
  const picture = pictures[byId("tensor").value], {height, width, depth} = extents(picture.shape);
  const first = Math.max(0, picture.expected.findIndex((v, i) => v !== picture.sim[i]));
  byId("channel").value = first % depth;
  byId("image").value = Math.floor(first / (height * width * depth));
  draw();
}
for (const id of ["image", "channel", "all"]) byId(id).addEventListener("input", draw);
byId("tensor").addEventListener("change", start);
if (pictures.length > 0) start();
