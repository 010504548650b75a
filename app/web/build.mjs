// Builds the package for Node and the page from the module: node build.mjs TOOLS MODULE OUT, with the folder of the npm
// packages (esbuild, typescript), macaw.wasm and the folder that gets npm/, page/ and macaw.html.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync, constants } from "node:zlib";

const [tools, modulePath, out] = process.argv.slice(2).map((path) => resolve(path));
if (!out) {
  console.error("usage: node build.mjs TOOLS MODULE OUT");
  process.exit(2);
}
const web = dirname(fileURLToPath(import.meta.url)), root = resolve(web, "../..");
const esbuild = createRequire(join(tools, "package.json"))("esbuild");
const wasm = readFileSync(modulePath);
const compressed = gzipSync(wasm, { level: 9 });

async function bundle(entry, options) {
  const result = await esbuild.build({ entryPoints: [join(web, "src", entry)], bundle: true, write: false, target: "es2022", legalComments: "none", ...options });
  return result.outputFiles[0].text;
}

/** The lines of a list of the program, by the module itself. */
async function namesOf(kind) {
  const { load } = await import(join(out, "npm/index.js"));
  const { stdout } = await (await load()).run(["list", kind, "--json"]);
  return JSON.parse(stdout).map((row) => row.name);
}

/** The networks of traces/ with their inputs and the graph that they were compiled from. */
function examples() {
  const folder = join(root, "traces/tiny_cnn");
  const file = (path) => ({ name: path.split("/").pop(), base64: readFileSync(path).toString("base64") });
  const both = [file(join(folder, "tiny_cnn.tosa")), file(join(folder, "input_0.npy"))];
  return Object.fromEntries(readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort()
    .map((name) => [`tiny_cnn on ${name}`, [file(join(folder, name, "tiny_cnn.npz")), ...both]]));
}

rmSync(join(out, "npm"), { recursive: true, force: true });
mkdirSync(join(out, "npm"), { recursive: true });
mkdirSync(join(out, "page"), { recursive: true });
writeFileSync(join(out, "npm/index.js"), await bundle("node.ts", { platform: "node", format: "esm" }));
writeFileSync(join(out, "npm/browser.js"), await bundle("macaw.ts", { platform: "browser", format: "esm" }));
writeFileSync(join(out, "npm/macaw.wasm.gz"), compressed);
for (const name of ["package.json", "README.md"]) cpSync(join(web, name), join(out, "npm", name));
cpSync(join(root, "LICENSE"), join(out, "npm/LICENSE"));
execFileSync(process.execPath, [join(tools, "node_modules/typescript/bin/tsc"), "--project", join(web, "tsconfig.json"), "--declaration", "--emitDeclarationOnly",
  "--typeRoots", join(tools, "node_modules/@types"), "--outDir", join(out, "npm")], { stdio: "inherit" });
rmSync(join(out, "npm/page"), { recursive: true, force: true });

const worker = await bundle("page/worker.ts", { platform: "browser", format: "iife", minify: true });
const systems = await namesOf("systems"), accelerators = await namesOf("accelerators");
async function page(moduleBase64) {
  const script = await bundle("page/main.ts", {
    platform: "browser", format: "iife", minify: true,
    define: {
      WORKER: JSON.stringify(worker), MODULE_BASE64: JSON.stringify(moduleBase64), EXAMPLES: JSON.stringify(examples()),
      SYSTEMS: JSON.stringify(systems), ACCELERATORS: JSON.stringify(accelerators),
    },
  });
  const parts = { CONNECT: moduleBase64 ? "'none'" : "'self'", STYLE: readFileSync(join(web, "src/page/style.css"), "utf8"), SCRIPT: script.replaceAll("</script", "<\\/script") };
  return readFileSync(join(web, "src/page/index.html"), "utf8").replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
}
writeFileSync(join(out, "page/index.html"), await page(null));
writeFileSync(join(out, "page/macaw.wasm.gz"), compressed);
const single = await page(compressed.toString("base64"));
writeFileSync(join(out, "macaw.html"), single);
const brotli = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
console.log(`module ${wasm.length} bytes, ${compressed.length} gzip, ${brotli.length} brotli; macaw.html ${single.length} bytes`);
