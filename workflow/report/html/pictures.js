// One image and channel of two tensors, and where they differ.
/** The last three extents, and how many images there are. */
function extents(shape) {
  const [height, width, depth] = [1, 1, 1, ...shape].slice(-3);
  return {height, width, depth, images: shape.slice(0, -3).reduce((a, b) => a * b, 1)};
}
const mix = (a, b, share) => a.map((v, i) => Math.round(v + (b[i] - v) * share));
const low = [20, 24, 60], middle = [60, 150, 150], high = [250, 240, 190], hot = [216, 30, 30], warm = [255, 190, 60], none = [128, 128, 128];
const valueColour = share => share < 0.5 ? mix(low, middle, 2 * share) : mix(middle, high, 2 * share - 1);
const heatColour = share => share === 0 ? none : mix(warm, hot, share);

function paint(canvas, {height, width}, colour) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) image.data.set([...colour(y, x), 255], 4 * (y * width + x));
  context.putImageData(image, 0, 0);
}

function showPicture(picture, image, channel, all) {
  const size = extents(picture.shape), {height, width, depth} = size;
  const at = (y, x, c) => ((image * height + y) * width + x) * depth + c;
  const apart = i => Math.abs(picture.sim[i] - picture.expected[i]);
  const shown = (y, x) => all ? Math.max(...Array.from({length: depth}, (_, c) => apart(at(y, x, c)))) : apart(at(y, x, channel));
  let least = Infinity, most = -Infinity, largest = 0;
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      for (const values of [picture.expected, picture.sim]) {
        least = Math.min(least, values[at(y, x, channel)]);
        most = Math.max(most, values[at(y, x, channel)]);
      }
      largest = Math.max(largest, shown(y, x));
    }
  const share = value => most > least ? (value - least) / (most - least) : 0.5;
  for (const side of ["expected", "sim"]) paint(byId(side), size, (y, x) => valueColour(share(picture[side][at(y, x, channel)])));
  paint(byId("difference"), size, (y, x) => heatColour(largest ? shown(y, x) / largest : 0));
  for (const id of ["expected", "sim", "difference"])
    byId(id).onpointermove = event => {
      const box = byId(id).getBoundingClientRect();
      const x = Math.min(width - 1, Math.max(0, Math.floor((event.clientX - box.left) * width / box.width)));
      const y = Math.min(height - 1, Math.max(0, Math.floor((event.clientY - box.top) * height / box.height)));
      const i = at(y, x, channel);
      showTip(`row ${y}, column ${x}, channel ${channel}\nexpected ${picture.expected[i]}, simulated ${picture.sim[i]}`, event);
    };
  for (const id of ["expected", "sim", "difference"]) byId(id).onpointerleave = () => showTip(null);
  const css = colour => `rgb(${colour.join()})`;
  legend(byId("scale"), [[css(valueColour(0)), `${least}`], [css(valueColour(1)), `${most}`], [css(none), "equal"],
    [css(heatColour(1)), `differs by ${largest}`]]);
}
