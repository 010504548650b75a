// Rewrites the functions of the module in which SystemC's processes wait: node asyncify.mjs TOOLS IN OUT, with the folder of the
// npm package binaryen.
//
// A wait unwinds every frame up to the call of the kernel, so each function on that way has to be instrumented; one that is
// missed would crash at its first wait. The callers of SystemC's waits are derived from the calls in the module. Calls by pointer
// (process functions, virtual functions) are followed within NAMESPACES, all of whose functions are instrumented. A derived
// function outside of them ends the build, since its own callers by pointer are not known.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const NAMESPACES = ["sc_core::", "macaw::npu::timed::", "tlm::", "tlm_utils::", "macaw::sc::"];
/** The functions of SystemC that processes call to wait, and by which the kernel switches to them. */
const WAITS = /^sc_core::(wait\(|next_trigger\(|sc_thread_process::(suspend_me|wait)|sc_simcontext::(preempt_with|crunch|cycle|simulate)\(|sc_cor_pkg_asyncify::yield\()/;
/** Where unwinding ends. */
const BOTTOM = "sc_core::sc_cor_pkg_asyncify::run(";
const FEATURES = ["bulk-memory", "bulk-memory-opt", "sign-ext", "mutable-globals", "nontrapping-float-to-int", "multivalue", "reference-types", "exception-handling"].map((name) => `--enable-${name}`);

const [tools, input, output] = process.argv.slice(2).map((path) => resolve(path));
if (!output) {
  console.error("usage: node asyncify.mjs TOOLS IN OUT");
  process.exit(2);
}

function wasmOpt(args) {
  const done = spawnSync(process.execPath, [join(tools, "node_modules/binaryen/bin/wasm-opt"), ...FEATURES, ...args], { encoding: "utf8", maxBuffer: 2 ** 30 });
  if (done.status !== 0) {
    console.error(`wasm-opt: ${done.stderr || done.signal}`);
    process.exit(1);
  }
  return done.stdout + done.stderr;
}

const list = output + ".list";

/** For each function those that call it. */
const callers = new Map();
for (const [, caller, called] of wasmOpt([input, "--print-call-graph"]).matchAll(/^ {2}"(.+)" -> "(.+)"; \/\/ call$/gm)) {
  if (!callers.has(called)) callers.set(called, new Set());
  callers.get(called).add(caller);
}
const derived = new Set([...callers.keys()].filter((name) => WAITS.test(name)));
for (const name of derived) for (const caller of callers.get(name) ?? []) if (!caller.startsWith(BOTTOM)) derived.add(caller);
if (derived.size === 0) {
  console.error(`${input}: no function switches between coroutines; was it linked without SystemC?`);
  process.exit(1);
}
const outside = [...derived].filter((name) => !NAMESPACES.some((space) => name.includes(space)));
if (outside.length > 0) {
  console.error(`functions that wait outside of ${NAMESPACES.join(", ")}:\n  ${outside.join("\n  ")}\nadd their namespace to ${process.argv[1]}`);
  process.exit(1);
}
writeFileSync(list, [...derived, ...NAMESPACES.map((space) => `*${space}*`)].join("\n") + "\n");
wasmOpt([input, "-o", output, "--asyncify", "--pass-arg=asyncify-ignore-imports", `--pass-arg=asyncify-onlylist@@${list}`, "-O2", "--strip-debug", "--strip-producers"]);
rmSync(list);
console.log(`${derived.size} functions call a wait`);
