// One run in a worker, so that the page stays usable and a run can be cancelled by ending the worker.
import { runModule, type FileMap } from "../run.js";

export interface Job {
  module: WebAssembly.Module;
  args: string[];
  files: FileMap;
}

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  const output = await runModule(data.module, data.args, data.files);
  self.postMessage(output);
};
