// The entry of the package for Node: the module lies beside it, compressed.
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { Macaw } from "./macaw.js";

let loaded: Promise<Macaw> | undefined;

/** The program over the package's module, which is compiled once. */
export function load(): Promise<Macaw> {
  loaded ??= readFile(new URL("./macaw.wasm.gz", import.meta.url))
    .then((bytes) => WebAssembly.compile(gunzipSync(bytes)))
    .then((module) => Macaw.over(module));
  return loaded;
}

export const run: Macaw["run"] = async (...given) => (await load()).run(...given);
export const sim: Macaw["sim"] = async (...given) => (await load()).sim(...given);
export const disasm: Macaw["disasm"] = async (...given) => (await load()).disasm(...given);
export const compare: Macaw["compare"] = async (...given) => (await load()).compare(...given);
export const compareReports: Macaw["compareReports"] = async (...given) => (await load()).compareReports(...given);

export * from "./macaw.js";
