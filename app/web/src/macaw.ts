import { runModule, type FileMap, type Output } from "./run.js";

/** A file by its name, which decides how it is read, and its bytes. */
export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

export type Mode = "functional" | "timed" | "timing";

export interface SimOptions {
  /** "timed" (values and cycles) unless it is given. */
  mode?: Mode;
  /** .npy files in the network's order; without them zeros, or random bytes of the seed. */
  inputs?: NamedFile[];
  randomSeed?: number;
  system?: string;
  memoryMode?: string;
  /** For artifacts that do not name theirs. */
  accelerator?: string;
  /** A Vela configuration file, for its systems and memory modes. */
  velaConfig?: NamedFile;
  debugDatabase?: NamedFile;
  /** Whether to render the page of the report, too. */
  html?: boolean;
  /** Bytes that the run may take (512M, 2G). */
  maxMemory?: string;
  /** More options of `macaw sim`. */
  more?: string[];
}

export interface SimResult extends Output {
  /** report.json as it was written, where the run was timed. */
  reportJson?: Uint8Array;
  /** report.json parsed. */
  report?: Record<string, unknown>;
  html?: Uint8Array;
  /** output_0.npy, output_1.npy, ... */
  outputs: NamedFile[];
}

/** An exit code other than 0 with the program's message. */
export class MacawError extends Error {
  constructor(readonly output: Output) {
    super(output.stderr.trim() || `macaw ended with exit code ${output.exitCode}`);
    this.name = "MacawError";
  }
}

/** Runs the program: in this thread, or wherever `Macaw` was told to. */
export type Runner = (args: string[], files: FileMap) => Promise<Output>;

const OUT = "/out";

function place(files: FileMap, file: NamedFile): string {
  const name = file.name.split("/").pop() || "file";
  let path = `/in/${name}`;
  for (let i = 1; path in files; ++i) path = `/in/${i}/${name}`;
  files[path] = file.bytes;
  return path;
}

/** The arguments and files of `macaw sim`; what is written is in /out. */
export function simCall(network: NamedFile, options: SimOptions = {}): { args: string[]; files: FileMap } {
  const files: FileMap = {};
  const args = ["sim", place(files, network), "--mode", options.mode ?? "timed", "--output-dir", OUT];
  for (const input of options.inputs ?? []) args.push("--input", place(files, input));
  if (options.randomSeed !== undefined) args.push("--random-inputs", String(options.randomSeed));
  if (options.system) args.push("--system", options.system);
  if (options.memoryMode) args.push("--memory-mode", options.memoryMode);
  if (options.accelerator) args.push("--accelerator-config", options.accelerator);
  if (options.velaConfig) args.push("--config", place(files, options.velaConfig));
  if (options.debugDatabase) args.push("--debug-db", place(files, options.debugDatabase));
  if (options.html && options.mode !== "functional") args.push("--html", `${OUT}/report.html`);
  if (options.maxMemory) args.push("--max-memory", options.maxMemory);
  args.push(...(options.more ?? []));
  return { args, files };
}

/** Files that a run of `macaw sim` wrote, by their meaning. */
export function simResult(output: Output): SimResult {
  const reportJson = output.files[`${OUT}/report.json`];
  const outputs = Object.keys(output.files)
    .filter((path) => /^\/out\/output_\d+\.npy$/.test(path))
    .sort((a, b) => parseInt(a.slice(12)) - parseInt(b.slice(12)))
    .map((path) => ({ name: path.slice(OUT.length + 1), bytes: output.files[path]! }));
  const html = output.files[`${OUT}/report.html`];
  return {
    ...output,
    outputs,
    ...(html && { html }),
    ...(reportJson && { reportJson, report: JSON.parse(new TextDecoder().decode(reportJson)) as Record<string, unknown> }),
  };
}

export class Macaw {
  constructor(private readonly runner: Runner) {}

  /** The program over a compiled module, in this thread. */
  static over(module: WebAssembly.Module): Macaw {
    return new Macaw((args, files) => runModule(module, args, files));
  }

  /** Any subcommand of the module with files by their absolute paths; the exit code is in the result. */
  run(args: string[], files: FileMap = {}): Promise<Output> {
    return this.runner(args, files);
  }

  /** `macaw sim`: outputs, and unless the mode is functional cycles and counters. Throws MacawError. */
  async sim(network: NamedFile, options: SimOptions = {}): Promise<SimResult> {
    const { args, files } = simCall(network, options);
    return simResult(await this.expect(args, files));
  }

  /** `macaw disasm`: the command streams as text. Throws MacawError. */
  async disasm(network: NamedFile): Promise<string> {
    const files: FileMap = {};
    return (await this.expect(["disasm", place(files, network)], files)).stdout;
  }

  /** `macaw compare`: the network beside what was compiled of it, on random inputs or those given. Exit code 1 means that
   *  they differ; others throw MacawError. */
  async compare(graph: NamedFile, artifact: NamedFile, options: { inputs?: NamedFile[]; runs?: number; seed?: number } = {}): Promise<Output & { html?: Uint8Array }> {
    const files: FileMap = {};
    const args = ["compare", place(files, graph), place(files, artifact), "--html", `${OUT}/compare.html`];
    for (const input of options.inputs ?? []) args.push("--input", place(files, input));
    if (options.runs !== undefined) args.push("--inputs", String(options.runs));
    if (options.seed !== undefined) args.push("--seed", String(options.seed));
    const output = await this.runner(args, files);
    if (output.exitCode > 1) throw new MacawError(output);
    const html = output.files[`${OUT}/compare.html`];
    return { ...output, ...(html && { html }) };
  }

  /** `macaw report` of several reports: their layers side by side. Throws MacawError. */
  async compareReports(reports: NamedFile[]): Promise<Output & { html?: Uint8Array }> {
    const files: FileMap = {};
    const args = ["report", ...reports.map((report) => place(files, report)), "--html", `${OUT}/versions.html`];
    const output = await this.expect(args, files);
    const html = output.files[`${OUT}/versions.html`];
    return { ...output, ...(html && { html }) };
  }

  private async expect(args: string[], files: FileMap): Promise<Output> {
    const output = await this.runner(args, files);
    if (output.exitCode !== 0) throw new MacawError(output);
    return output;
  }
}

export type { FileMap, Output } from "./run.js";
