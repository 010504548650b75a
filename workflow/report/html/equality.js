const {runs, constants, coverage, pictures} = run;
const others = Object.entries(coverage.not_compared);
const differing = runs.filter(r => !r.equal).length;
document.title = run.equal ? "Equal" : "Different";
byId("title").textContent = run.equal ? "Equal in everything that was compared" : "Different";
figures(byId("figures"), [[`${coverage.compared.length} of ${coverage.compared.length + others.length}`, "tensors compared"],
  [whole(runs.length), "runs"], [whole(differing), "runs that differ"], [whole(constants.differences.length), "operations with another constant"],
  [`${constants.weights.compared} of ${constants.weights.operators}`, "operators' weights compared"]]);
byId("text").textContent = run.text;

const yes = flag => flag ? "yes" : "";
sortable(byId("tensors"), [
  {name: "tensor", text: true, key: t => t.tensor, show: t => t.tensor},
  {name: "lowest", key: t => t.lowest, show: t => whole(t.lowest)},
  {name: "highest", key: t => t.highest, show: t => whole(t.highest)},
  {name: "least value reached", text: true, key: t => t.saturated_low, show: t => yes(t.saturated_low)},
  {name: "greatest value reached", text: true, key: t => t.saturated_high, show: t => yes(t.saturated_high)},
  {name: "table entries used", key: t => t.table_entries_used || 0, show: t => t.table_entries ? `${t.table_entries_used} of ${t.table_entries}` : ""},
], coverage.compared.filter(t => t.lowest !== undefined), 0);
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
