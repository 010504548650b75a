import { Macaw, type FileMap, type Output } from "../macaw.js";

// Both are put in by build.mjs: the worker's text, and the compressed module as base64 in the page that is one file.
declare const WORKER: string;
declare const MODULE_BASE64: string | null;

const GZIP = [0x1f, 0x8b];

async function moduleBytes(): Promise<Uint8Array> {
  let bytes: Uint8Array;
  if (MODULE_BASE64 !== null) {
    bytes = Uint8Array.from(atob(MODULE_BASE64), (c) => c.charCodeAt(0));
  } else {
    const answer = await fetch("macaw.wasm.gz");
    if (!answer.ok) throw new Error(`macaw.wasm.gz: ${answer.status} ${answer.statusText}`);
    bytes = new Uint8Array(await answer.arrayBuffer());
  }
  // A server may have declared the compression, which the browser has undone then.
  if (bytes[0] !== GZIP[0] || bytes[1] !== GZIP[1]) return bytes;
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Ended by the user or by the limit of time. */
export class Stopped extends Error {}

/** Runs of the program, each in a worker of its own. */
export class Runs {
  private readonly module = moduleBytes().then((bytes) => WebAssembly.compile(bytes as BufferSource));
  private readonly workerUrl = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  private readonly active = new Set<(reason: Stopped) => void>();

  /** When the module is compiled. */
  ready(): Promise<unknown> {
    return this.module;
  }

  /** A run ends by itself after so many seconds. */
  macaw(seconds: () => number): Macaw {
    return new Macaw((args, files) => this.start(args, files, seconds()));
  }

  /** Ends all runs. */
  cancel(): void {
    for (const stop of this.active) stop(new Stopped("cancelled"));
  }

  private async start(args: string[], files: FileMap, seconds: number): Promise<Output> {
    const module = await this.module;
    const worker = new Worker(this.workerUrl);
    return new Promise<Output>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.active.delete(stop);
        worker.terminate();
      };
      const stop = (reason: Stopped) => {
        end();
        reject(reason);
      };
      const timer = setTimeout(() => stop(new Stopped(`the run took longer than the limit of ${seconds} s`)), seconds * 1000);
      this.active.add(stop);
      worker.onmessage = ({ data }: MessageEvent<Output>) => {
        end();
        resolve(data);
      };
      worker.onerror = (event) => {
        end();
        reject(new Error(event.message || "the worker failed"));
      };
      worker.postMessage({ module, args, files });
    });
  }
}
