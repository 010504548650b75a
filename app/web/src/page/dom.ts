/** The element of the page with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element '${id}'`);
  return found as T;
}

/** A new element; children that are text are set as text, never as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function table(head: string[], rows: (string | number)[][]): HTMLElement {
  const row = (cells: (string | number)[], tag: "th" | "td") => element("tr", {}, ...cells.map((cell) => element(tag, { className: typeof cell === "number" ? "number" : "" }, typeof cell === "number" ? cell.toLocaleString("en-US") : cell)));
  return element("div", { className: "scroll" }, element("table", {}, element("thead", {}, row(head, "th")), element("tbody", {}, ...rows.map((cells) => row(cells, "td")))));
}

export function downloadLink(name: string, bytes: Uint8Array | string): HTMLElement {
  const link = element("a", { href: "#", textContent: name });
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const url = URL.createObjectURL(new Blob([bytes as BlobPart]));
    element("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  return link;
}

/** A page that the program wrote, apart from this one: it may run its scripts and reach nothing else. */
export function framed(html: Uint8Array, title: string): HTMLIFrameElement {
  const frame = element("iframe", { title });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.srcdoc = new TextDecoder().decode(html);
  return frame;
}
