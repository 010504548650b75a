const run = JSON.parse(document.getElementById("run").textContent);
const byId = id => document.getElementById(id);
/** View state that a link preserves in the address fragment. */
const view = {
  state: parseFragment(location.hash),
  get(key) { return this.state[key]; },
  set(key, value) {
    this.state[key] = value;
    clearTimeout(this.later);  // a drag sets it many times
    this.later = setTimeout(() => history.replaceState(null, "", writeFragment(this.state) || location.pathname + location.search), 150);
  }
};

// Colours of one page never mean two things: kinds of operations, and below what limits them. Both sets are told apart with the
// common forms of colour blindness (Okabe and Ito, jfly.uni-koeln.de/color, and shades of other lightness).
const kindColours = {CONV: "#0072b2", DEPTHWISE: "#009e73", POOL: "#cc79a7", ELEMENTWISE: "#e69f00", DMA_START: "#8a94a3", RESIZE: "#56b4e9"};
const otherColour = "#6d6d6d";
const kindOf = name => name.replace("NPU_OP_", "");
const kindColour = name => kindColours[kindOf(name)] || otherColour;

// The second colour of a unit that moves data is that of the external memory's port. DMA is one thing in both sets.
const boundColours = {"MAC array": ["#d55e00"], "output unit": ["#6a3d9a"], "weight decoder": ["#7b4b1f"], "operation before": ["#f0e442"],
  "command stream": ["#3b4a54"], DMA: ["#8a94a3"], "weights read": ["#f4a3b5", "#a6173a"], "feature maps read": ["#9adbd0", "#00796b"],
  "feature maps written": ["#c9d36a", "#6b7d00"]};
function boundColour(name) {
  const [unit, port] = name.split(" on "), [first, second] = boundColours[unit] || [otherColour];
  return second && /axi1|ext/.test(port) ? second : first;
}
function html(parent, name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  parent.appendChild(node);
  return node;
}
function legend(list, entries) {
  list.replaceChildren();
  for (const [colour, text] of entries) {
    const item = html(list, "li");
    if (colour) html(item, "i").style.background = colour;
    item.append(text);
  }
}
function figures(list, entries) {
  for (const [value, name, title] of entries) {
    const box = html(list, "div");
    if (title) box.title = title;
    html(box, "dt", name);
    html(box, "dd", value.replace(/(\d) (?=[kMG%m])/g, "$1\u00a0"));
  }
}

const tip = byId("tip");
function showTip(text, event) {
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
}
