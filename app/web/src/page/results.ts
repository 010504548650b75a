import type { NamedFile, Output, SimResult } from "../macaw.js";
import { downloadLink, element, framed, table } from "./dom.js";

export interface Results {
  sim?: SimResult;
  /** Output and files of the interpreter, for a graph that is not compiled. */
  interpreted?: Output;
  disassembly?: string;
  comparison?: Output & { html?: Uint8Array };
  versions?: Output & { html?: Uint8Array };
  csv: NamedFile[];
}

interface Report {
  findings?: { message?: string; kind?: string }[];
  outputs?: { name: string; dtype: string; shape: number[]; crc32: string }[];
  operations?: { index?: number; name?: string; kind?: string; shape?: number[]; macs?: number }[];
}

const MOST_LINES = 5000;  // of text that are shown at a time

/** Text with a field that leaves the lines that have a word. */
function searchable(text: string, label: string): HTMLElement {
  const lines = text.split("\n");
  const field = element("input", { type: "search", placeholder: "search", ariaLabel: label });
  const count = element("span", { className: "count" });
  const shown = element("pre");
  const show = () => {
    const word = field.value.toLowerCase();
    const found = word ? lines.filter((line) => line.toLowerCase().includes(word)) : lines;
    count.textContent = ` ${found.length.toLocaleString("en-US")} of ${lines.length.toLocaleString("en-US")} lines`;
    if (found.length > MOST_LINES) count.textContent += `; the first ${MOST_LINES.toLocaleString("en-US")} are shown`;
    shown.textContent = found.slice(0, MOST_LINES).join("\n");
  };
  field.addEventListener("input", show);
  show();
  return element("div", {}, element("p", {}, field, count), shown);
}

function findings(report: Report, messages: string): HTMLElement {
  const list = report.findings ?? [];
  const parts = list.map((finding) => element("li", {}, finding.message ?? JSON.stringify(finding)));
  return element("div", {}, element("p", {}, list.length ? `${list.length} findings` : "No findings: the command streams read nothing that was not written and miss no wait."),
    element("ul", {}, ...parts), ...(messages ? [element("pre", { textContent: messages })] : []));
}

function tensors(report: Report, sim: SimResult): HTMLElement {
  const outputs = (report.outputs ?? []).map((tensor) => [tensor.name, tensor.dtype, `[${tensor.shape.join(", ")}]`, tensor.crc32]);
  const parts: (Node | string)[] = [table(["output", "type", "shape", "CRC32"], outputs)];
  for (const output of sim.outputs) parts.push(element("p", {}, downloadLink(output.name, output.bytes), ` ${output.bytes.length.toLocaleString("en-US")} bytes`));
  return element("div", {}, ...parts);
}

function files(results: Results): HTMLElement {
  const all: NamedFile[] = [...results.csv];
  for (const output of [results.sim, results.interpreted, results.comparison, results.versions])
    for (const [path, bytes] of Object.entries(output?.files ?? {})) all.push({ name: path.split("/").pop()!, bytes });
  if (results.disassembly !== undefined) all.push({ name: "disassembly.txt", bytes: new TextEncoder().encode(results.disassembly) });
  return element("ul", {}, ...all.map((file) => element("li", {}, downloadLink(file.name, file.bytes), ` ${file.bytes.length.toLocaleString("en-US")} bytes`)));
}

/** The tabs that the results have something for, made when they are opened. */
export function tabsOf(results: Results): [string, () => HTMLElement][] {
  const { sim } = results;
  const report = (sim?.report ?? {}) as Report;
  const tabs: [string, () => HTMLElement][] = [];
  if (sim) tabs.push(["Summary", () => element("pre", { textContent: sim.stdout + (sim.stderr ? "\n" + sim.stderr : "") })]);
  if (results.interpreted) tabs.push(["Interpreter", () => element("pre", { textContent: results.interpreted!.stdout + results.interpreted!.stderr })]);
  if (sim?.html) tabs.push(["Report", () => framed(sim.html!, "report")]);
  if (results.comparison) {
    const { html, stdout, stderr } = results.comparison;
    tabs.push(["Compare", () => element("div", {}, element("pre", { textContent: stdout + stderr }), ...(html ? [framed(html, "comparison")] : []))]);
  }
  if (results.versions) {
    const { html, stdout } = results.versions;
    tabs.push(["Versions", () => element("div", {}, ...(html ? [framed(html, "versions")] : [element("pre", { textContent: stdout })]))]);
  }
  if (results.disassembly !== undefined) tabs.push(["Disassembly", () => searchable(results.disassembly!, "search the disassembly")]);
  if (sim?.report) tabs.push(["Findings", () => findings(report, sim.stderr)]);
  if (sim) tabs.push(["Tensors", () => tensors(report, sim)]);
  tabs.push(["Downloads", () => files(results)]);
  return tabs;
}
