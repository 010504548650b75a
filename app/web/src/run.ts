import { Files } from "./files.js";
import { Exit, makeWasi } from "./wasi.js";

/** Files of a run by their absolute paths. */
export type FileMap = Record<string, Uint8Array>;

export interface Output {
  /** As docs/CLI.md has it; 70 where the module itself failed. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Files that the run wrote or changed. */
  files: FileMap;
}

const INTERNAL_ERROR = 70;

/** The message for an error of the engine that ran the module. */
function describe(error: unknown): string {
  if (error instanceof RangeError) return "the network needs more stack than the engine allows";
  return `internal error: ${error instanceof Error ? error.message : String(error)}`;
}

/** Runs the program once, in an instance of its own, with nothing but the given files. */
export async function runModule(module: WebAssembly.Module, args: string[], given: FileMap = {}, onText?: (stream: 1 | 2, text: string) => void): Promise<Output> {
  const files = new Files();
  for (const folder of ["/in", "/out", "/tmp"]) files.makeFolder(folder);
  for (const [path, bytes] of Object.entries(given)) files.set(Files.absolute(path), bytes);
  const before = new Map(files.paths().map((path) => [path, files.get(path)]));
  const text = { 1: "", 2: "" };
  const wasi = makeWasi({
    args: ["macaw", ...args],
    files,
    onText: (stream, part) => {
      text[stream] += part;
      onText?.(stream, part);
    },
  });
  let exitCode = 0;
  try {
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.calls as WebAssembly.ModuleImports });
    wasi.setMemory(instance.exports["memory"] as WebAssembly.Memory);
    (instance.exports["_start"] as () => void)();
  } catch (error) {
    if (error instanceof Exit) exitCode = error.code;
    else {
      exitCode = INTERNAL_ERROR;
      text[2] += `macaw: ${describe(error)}\n`;
    }
  }
  const written: FileMap = {};
  for (const path of files.paths()) if (files.get(path) !== before.get(path)) written[path] = files.get(path)!.slice();
  return { exitCode, stdout: text[1], stderr: text[2], files: written };
}
