// The package for Node beside the native program: the same files, byte for byte. node --test tests/web/package.test.mjs with
// MACAW (the native program), MACAW_WEB_NPM (the package's folder) and, for more networks, MACAW_CORPUS.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const native = process.env.MACAW, corpus = process.env.MACAW_CORPUS;
const { run, sim, compare, disasm, MacawError } = await import(pathToFileURL(join(process.env.MACAW_WEB_NPM, "index.js")).href);

const ARTIFACTS = 60, VECTORS = 200, NETWORKS = 50;  // of each kind of the corpus
const trace = join(root, "traces/tiny_cnn");
const named = (path) => ({ name: basename(path), bytes: new Uint8Array(readFileSync(path)) });

/** Files below a folder that `wanted` takes, in the order of their names. */
function below(folder, wanted) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).filter(wanted).sort();
}

/** `count` of a list, spread evenly over it. */
function spread(list, count) {
  return list.length <= count ? list : Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]);
}

/** What the native program writes, with the arguments of the module: /in/NAME and /out stand for files of the machine. */
function runNative(args, inputs) {
  const out = mkdtempSync(join(tmpdir(), "macaw-web-"));
  const mapped = args.map((arg) => (arg.startsWith("/out") ? out + arg.slice(4) : (inputs[arg] ?? arg)));
  const done = spawnSync(native, mapped, { encoding: "utf8", maxBuffer: 2 ** 28 });
  const files = Object.fromEntries(below(out, (path) => existsSync(path)).map((path) => [path.replace(out, "/out"), readFileSync(path)]));
  rmSync(out, { recursive: true });
  return { exitCode: done.status, files };
}

/** The bytes of a file without the version of the program, which states commit and compiler. */
function withoutVersion(path, bytes) {
  return /[.](json|html)$/.test(path) ? Buffer.from(Buffer.from(bytes).toString("utf8").replaceAll(/macaw \d+[.]\d+[.]\d+ \([^)]*\)/g, "macaw")) : Buffer.from(bytes);
}

/** Runs both with the same arguments and compares exit codes and every file. */
async function same(args, inputs) {
  const given = Object.fromEntries(Object.entries(inputs).map(([path, file]) => [path, new Uint8Array(readFileSync(file))]));
  const web = await run(args, given), there = runNative(args, inputs);
  const what = `${args.join(" ")} of ${Object.values(inputs)[0]}`;
  assert.equal(web.exitCode, there.exitCode, `${what}: ${web.stderr}`);
  assert.deepEqual(Object.keys(web.files).sort(), Object.keys(there.files).sort(), what);
  for (const [path, bytes] of Object.entries(there.files))
    assert.ok(withoutVersion(path, bytes).equals(withoutVersion(path, web.files[path])), `${what}: ${path} differs`);
  return web;
}

function placed(paths) {
  return Object.fromEntries(paths.map((path) => [`/in/${basename(path)}`, path]));
}

for (const accelerator of readdirSync(trace, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name)) {
  for (const mode of ["functional", "timed", "timing"]) {
    test(`tiny_cnn on ${accelerator}, ${mode}: files as of the native program`, async () => {
      const inputs = placed([join(trace, accelerator, "tiny_cnn.npz"), join(trace, "input_0.npy")]);
      const web = await same(["sim", "/in/tiny_cnn.npz", "--input", "/in/input_0.npy", "--mode", mode, "--output-dir", "/out"], inputs);
      assert.equal(web.exitCode, 0, web.stderr);
      assert.ok(Object.keys(web.files).length > 0);
    });
  }
}

test("the page of a report is that of the native program", async () => {
  const inputs = placed([join(trace, "ethos-u55-128/tiny_cnn.npz"), join(trace, "input_0.npy")]);
  const web = await same(["sim", "/in/tiny_cnn.npz", "--input", "/in/input_0.npy", "--html", "/out/report.html"], inputs);
  assert.ok(web.files["/out/report.html"].length > 10000);
});

test("sim, disasm and compare of the interface", async () => {
  const network = named(join(trace, "ethos-u85-256/tiny_cnn.npz"));
  const result = await sim(network, { inputs: [named(join(trace, "input_0.npy"))], html: true });
  assert.ok(result.report.cycles > 0);
  assert.deepEqual(result.outputs.map((output) => output.name), ["output_0.npy"]);
  assert.ok(result.html.length > 10000);
  assert.match(await disasm(network), /NPU_OP_CONV/);
  const equal = await compare(named(join(trace, "tiny_cnn.tosa")), network, { runs: 2 });
  assert.equal(equal.exitCode, 0, equal.stdout);
  assert.ok(equal.html.length > 1000);
});

test("wrong calls and files end with a message", async () => {
  await assert.rejects(sim({ name: "x.npz", bytes: new Uint8Array([1, 2, 3]) }), MacawError);
  assert.equal((await run(["sim"])).exitCode, 2);
  assert.match((await run(["smi"])).stderr, /smi/);
  const cut = named(join(trace, "ethos-u55-128/tiny_cnn.npz"));
  for (let size = 0; size < cut.bytes.length; size += Math.ceil(cut.bytes.length / 40)) {
    const { exitCode, stderr } = await run(["sim", "/in/x.npz", "--output-dir", "/out"], { "/in/x.npz": cut.bytes.slice(0, size) });
    assert.equal(exitCode, 3, stderr);
    assert.match(stderr, /x\.npz/);
  }
});

test("a run stays below its limit of memory and says so", async () => {
  const inputs = { "/in/tiny_cnn.npz": new Uint8Array(readFileSync(join(trace, "ethos-u55-128/tiny_cnn.npz"))) };
  const { exitCode, stderr } = await run(["sim", "/in/tiny_cnn.npz", "--max-memory", "1M"], inputs);
  assert.equal(exitCode, 3, stderr);
  assert.match(stderr, /memory/);
});

const needsCorpus = { skip: corpus ? false : "MACAW_CORPUS is not set" };

test("artifacts of the corpus: files as of the native program", needsCorpus, async (t) => {
  const all = below(join(corpus, "npu"), (path) => /(\.npz|_vela\.tflite)$/.test(path));
  const artifacts = spread(all, ARTIFACTS);
  for (const path of artifacts) {
    const at = `/in/${basename(path)}`;
    // The native program finds a debug database beside the network.
    const databases = [path.replace(/(_vela)?[.]\w+$/, "_debug.xml"), path.replace(/(_vela)?[.]\w+$/, "_debug.xml.gz")].filter(existsSync);
    for (const mode of ["functional", "timed", "timing"])
      await same(["sim", at, "--random-inputs", "7", "--mode", mode, "--output-dir", "/out"], { [at]: path, ...placed(databases) });
  }
  t.diagnostic(`${artifacts.length} of ${all.length} artifacts in 3 modes`);
  assert.equal(artifacts.length, Math.min(ARTIFACTS, all.length));
});

test("TOSA graphs of the corpus: outputs as of the native program", needsCorpus, async (t) => {
  const all = below(join(corpus, "tosa"), (path) => basename(path) === "desc.json");
  const vectors = spread(all, VECTORS);
  for (const path of vectors) {
    const desc = JSON.parse(readFileSync(path)), folder = resolve(path, "..");
    const inputs = [desc.tosa_file, ...(desc.ifm_file ?? [])].map((name) => join(folder, name)).filter(existsSync);
    const graph = `/in/${basename(inputs[0])}`;
    const args = inputs.slice(1).flatMap((input, i) => ["--input", `${desc.ifm_name[i]}=/in/${basename(input)}`]);
    // The native program takes the paths of the machine, also after NAME=.
    const given = placed(inputs);
    for (const [i, arg] of args.entries()) if (i % 2) given[arg] = arg.replace(/=.*/, `=${inputs[(i + 1) / 2]}`);
    const web = await run(["tosa", graph, ...args, "--output-dir", "/out"], Object.fromEntries(inputs.map((input) => [`/in/${basename(input)}`, new Uint8Array(readFileSync(input))])));
    const there = runNative(["tosa", graph, ...args, "--output-dir", "/out"], given);
    assert.equal(web.exitCode, there.exitCode, `${path}: ${web.stderr}`);
    for (const [name, bytes] of Object.entries(there.files)) assert.ok(web.files[name] && bytes.equals(web.files[name]), `${path}: ${name} differs`);
  }
  t.diagnostic(`${vectors.length} of ${all.length} graphs`);
});

test("TensorFlow Lite networks of the corpus: outputs as of the native program", needsCorpus, async (t) => {
  const all = below(corpus, (path) => /\.tflite$/.test(path) && !/_vela/.test(path));
  const networks = spread(all, NETWORKS);
  for (const path of networks) {
    const at = `/in/${basename(path)}`;
    await same(["tflite", at, "--random-inputs", "3", "--output-dir", "/out"], { [at]: path });
  }
  t.diagnostic(`${networks.length} of ${all.length} networks`);
});

test("hostile files of the corpus end with a message", needsCorpus, async () => {
  const files = below(join(corpus, "attacks"), (path) => /(\.npz|\.tosa|\.pte|\.tflite|m_artifact.*|tflite_.*)$/.test(path));
  assert.ok(files.length > 0);
  for (const path of files) {
    const at = `/in/${basename(path)}`, command = path.endsWith(".tosa") ? "tosa" : "sim";
    const { exitCode, stdout, stderr } = await run([command, at, "--max-memory", "512M", ...(command === "sim" ? ["--mode", "functional", "--max-work", "100000000"] : [])],
      { [at]: new Uint8Array(readFileSync(path)) });
    assert.ok([0, 2, 3, 4, 5].includes(exitCode), `${path}: exit code ${exitCode}: ${stderr}`);
    assert.ok(stdout + stderr, `${path}: no message`);
  }
});
