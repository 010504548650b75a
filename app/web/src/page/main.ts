import { simCall, type Macaw, type Mode, type NamedFile, type SimOptions, MacawError } from "../macaw.js";
import { byId, element } from "./dom.js";
import { imageInput, kindOf, readFiles, type Kind } from "./files.js";
import { tabsOf, type Results } from "./results.js";
import { Runs, Stopped } from "./runs.js";

/** Put in by build.mjs: networks of traces/ by their names, each file as base64. */
declare const EXAMPLES: Record<string, { name: string; base64: string }[]>;
/** Names of `macaw list`, put in by build.mjs. */
declare const SYSTEMS: string[];
declare const ACCELERATORS: string[];

interface Loaded extends NamedFile {
  kind: Kind;
}

const runs = new Runs();
const value = (id: string) => byId<HTMLInputElement | HTMLSelectElement>(id).value;
const macaw: Macaw = runs.macaw(() => Math.max(1, Number(value("time-limit")) || 1));
let loaded: Loaded[] = [];
let example = "";
let previous: NamedFile | undefined;  // the report of the network before, for the comparison of versions
const SETTINGS = ["mode", "system", "memory", "accelerator", "seed", "memory-limit", "time-limit"];

function showStatus(text: string): void {
  byId("status").textContent = text;
}

function showError(error: unknown): void {
  const place = byId("error");
  place.hidden = false;
  place.textContent = error instanceof Error ? error.message : String(error);
}

function showList(): void {
  byId("list").replaceChildren(
    ...loaded.map((file, index) => {
      const remove = element("button", { type: "button", textContent: "remove", ariaLabel: `remove ${file.name}` });
      remove.addEventListener("click", () => setFiles(loaded.filter((_, other) => other !== index)));
      const kinds: Record<Kind, string> = { artifact: "compiled network", graph: "network before compilation", input: "input", image: "image input", config: "Vela configuration", database: "debug database", report: "report", unknown: "not a file that is read here" };
      return element("li", {}, element("span", {}, file.name), element("span", {}, `${kinds[file.kind]}, ${file.bytes.length.toLocaleString("en-US")} bytes`), remove);
    }),
  );
  byId<HTMLButtonElement>("run").disabled = !loaded.some((file) => file.kind === "artifact" || file.kind === "graph");
  showPermalink();
}

/** A second network takes the place of the first; other files are added. */
function setFiles(files: Loaded[]): void {
  loaded = files;
  example = "";
  showList();
}

function addFiles(files: NamedFile[]): void {
  const added = files.map((file) => ({ ...file, kind: kindOf(file) }));
  const replaced = new Set<Kind>(added.map((file) => file.kind).filter((kind) => kind === "artifact" || kind === "graph" || kind === "config" || kind === "database"));
  const kept = replaced.has("artifact") ? [] : loaded.filter((file) => !replaced.has(file.kind));
  setFiles([...kept, ...added]);
}

function addExample(name: string): void {
  const files = EXAMPLES[name];
  if (!files) return showError(`unknown example '${name}'; one of ${Object.keys(EXAMPLES).join(", ")}`);
  addFiles(files.map((file) => ({ name: file.name, bytes: Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0)) })));
  example = name;
  showPermalink();
}

/** Only examples have one: files of the user are nowhere but in the page. */
function showPermalink(): void {
  const link = byId<HTMLAnchorElement>("permalink");
  link.hidden = example === "";
  const settings = new URLSearchParams({ example, ...Object.fromEntries(SETTINGS.map((id) => [id, value(id)])) });
  link.href = "#" + settings.toString();
}

function followLink(): boolean {
  const settings = new URLSearchParams(location.hash.slice(1));
  for (const id of SETTINGS) {
    const field = byId<HTMLInputElement | HTMLSelectElement>(id);
    if (settings.has(id)) field.value = settings.get(id)!;
  }
  const name = settings.get("example");
  if (!name) return false;
  addExample(name);
  return true;
}

async function options(): Promise<SimOptions> {
  const inputs: NamedFile[] = [];
  for (const file of loaded) {
    if (file.kind === "input") inputs.push(file);
    if (file.kind === "image") inputs.push(await imageInput(file, value("image-size"), value("image-type") === "int8"));
  }
  const config = loaded.find((file) => file.kind === "config"), database = loaded.find((file) => file.kind === "database");
  return {
    mode: value("mode") as Mode,
    html: true,
    maxMemory: `${Number(value("memory-limit")) || 2048}M`,
    ...(inputs.length ? { inputs } : { randomSeed: Number(value("seed")) || 0 }),
    ...(value("system") && { system: value("system") }),
    ...(value("memory") && { memoryMode: value("memory") }),
    ...(value("accelerator") && { accelerator: value("accelerator") }),
    ...(config && { velaConfig: config }),
    ...(database && { debugDatabase: database }),
  };
}

async function simulate(artifact: Loaded, graph: Loaded | undefined, results: Results): Promise<void> {
  const chosen = await options();
  showStatus(`Simulating ${artifact.name}`);
  results.sim = await macaw.sim(artifact, chosen);
  showStatus(`Disassembling ${artifact.name}`);
  results.disassembly = await macaw.disasm(artifact);
  const { reportJson } = results.sim;
  if (reportJson) {
    const table = await macaw.run(["report", "/in/report.json", "--csv", "/out/report.csv"], { "/in/report.json": reportJson });
    for (const [path, bytes] of Object.entries(table.files)) results.csv.push({ name: path.slice("/out/".length), bytes });
    const report = { name: `${artifact.name}.json`, bytes: reportJson };
    if (previous) results.versions = await macaw.compareReports([previous, report]).catch(() => undefined);
    previous = report;
  }
  if (graph) {
    showStatus(`Comparing ${artifact.name} with ${graph.name}`);
    results.comparison = await macaw.compare(graph, artifact, chosen.inputs ? { inputs: chosen.inputs } : { runs: 1, seed: chosen.randomSeed ?? 0 });
  }
}

async function interpret(graph: Loaded, results: Results): Promise<void> {
  showStatus(`Interpreting ${graph.name}`);
  const { args, files } = simCall(graph, await options());
  const kept = args.filter((arg, i) => arg === "--input" || args[i - 1] === "--input" || arg.startsWith("--random") || args[i - 1] === "--random-inputs");
  const command = graph.name.endsWith(".tflite") ? "tflite" : "tosa";
  const inputs = command === "tosa" ? kept.filter((arg, i) => arg !== "--random-inputs" && kept[i - 1] !== "--random-inputs") : kept;
  const output = await macaw.run([command, args[1]!, ...inputs, "--output-dir", "/out"], files);
  if (output.exitCode !== 0) throw new MacawError(output);
  results.interpreted = output;
}

function showResults(results: Results): void {
  const tabs = tabsOf(results);
  const buttons = tabs.map(([name, make]) => {
    const button = element("button", { type: "button", textContent: name, role: "tab" });
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-selected", String(other === button));
      byId("panel").replaceChildren(make());
    });
    return button;
  });
  byId("tabs").replaceChildren(...buttons);
  byId("results").hidden = false;
  buttons[0]?.click();
}

async function start(): Promise<void> {
  byId("error").hidden = true;
  byId("results").hidden = true;
  byId<HTMLButtonElement>("run").disabled = true;
  byId<HTMLButtonElement>("cancel").disabled = false;
  const begin = performance.now();
  const status = byId("status");
  const clock = setInterval(() => (status.dataset["seconds"] = `${Math.round((performance.now() - begin) / 1000)} s`), 500);
  const results: Results = { csv: [] };
  try {
    const artifact = loaded.find((file) => file.kind === "artifact"), graph = loaded.find((file) => file.kind === "graph");
    if (artifact) await simulate(artifact, graph, results);
    else if (graph) await interpret(graph, results);
    showStatus(`Done in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  } catch (error) {
    showStatus(error instanceof Stopped ? "Stopped" : "Failed");
    showError(error);
  }
  if (results.sim ?? results.interpreted) showResults(results);
  clearInterval(clock);
  delete status.dataset["seconds"];
  byId<HTMLButtonElement>("cancel").disabled = true;
  byId<HTMLButtonElement>("run").disabled = false;
}

function begin(): void {
  const fill = (id: string, names: string[]) => byId(id).append(...names.map((name) => element("option", { textContent: name, value: name })));
  fill("system", SYSTEMS);
  fill("accelerator", ACCELERATORS);
  for (const name of Object.keys(EXAMPLES)) {
    const button = element("button", { type: "button", textContent: name });
    button.addEventListener("click", () => {
      addExample(name);
      void start();
    });
    byId("examples").append(button, " ");
  }
  const drop = byId("drop"), files = byId<HTMLInputElement>("files");
  const take = (list: Iterable<File>) => readFiles(list).then(addFiles).catch(showError);
  files.addEventListener("change", () => take(Array.from(files.files ?? [])).then(() => (files.value = "")));
  for (const type of ["dragenter", "dragover"]) drop.addEventListener(type, (event) => (event.preventDefault(), drop.classList.add("over")));
  for (const type of ["dragleave", "drop"]) drop.addEventListener(type, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    void take(Array.from(event.dataTransfer?.files ?? []));
  });
  byId("form").addEventListener("submit", (event) => (event.preventDefault(), void start()));
  byId("form").addEventListener("change", showPermalink);
  byId("cancel").addEventListener("click", () => runs.cancel());
  window.addEventListener("hashchange", followLink);
  runs.ready().then(() => {
    showStatus("Ready");
    if (followLink()) void start();
  }, (error: unknown) => {
    showStatus("The simulator cannot be loaded");
    showError(error);
  });
}

begin();
