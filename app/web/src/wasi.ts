import { Files } from "./files.js";

/** Thrown through the module's frames where it ends. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

export interface Options {
  args: string[];
  files: Files;
  /** Text that the module prints to standard output (1) or standard error (2). */
  onText?: (stream: 1 | 2, text: string) => void;
}

// Error numbers, kinds of files and flags of WASI preview 1
// (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md).
const SUCCESS = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54, NOTEMPTY = 55, SPIPE = 70;
const CHARACTER_DEVICE = 2, DIRECTORY = 3, REGULAR_FILE = 4;
const O_CREAT = 1, O_DIRECTORY = 2, O_EXCL = 4, O_TRUNC = 8, FD_APPEND = 1;
const ALL_RIGHTS = 0x1fffffffn;
/** The folder that the module finds open when it starts: the root. */
const ROOT = 3;

interface FileInUse {
  bytes: Uint8Array;
  size: number;
  /** Whether it was written or truncated. */
  changed: boolean;
}

interface Descriptor {
  stream?: 0 | 1 | 2;
  folder?: string;
  /** Kept when the file gets another name or is removed. */
  file?: FileInUse;
  path?: string;
  position: number;
  append?: boolean;
}

/** The calls that the module imports, over files in memory: nothing else of the machine can be reached. */
export function makeWasi({ args, files, onText }: Options) {
  const encoder = new TextEncoder();
  const decoders = [new TextDecoder(), new TextDecoder(), new TextDecoder()];
  const encoded = args.map((text) => encoder.encode(text + "\0"));
  const open = new Map<number, Descriptor>([
    [0, { stream: 0, position: 0 }],
    [1, { stream: 1, position: 0 }],
    [2, { stream: 2, position: 0 }],
    [ROOT, { folder: "/", position: 0 }],
  ]);
  const inUse = new Map<string, FileInUse>();
  let memory: WebAssembly.Memory;
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at: number, size: number) => new Uint8Array(memory.buffer, at, size);

  /** The path below an open folder that the module names, or an error number. */
  function pathAt(fd: number, at: number, size: number): string | number {
    const folder = open.get(fd)?.folder;
    if (folder === undefined) return BADF;
    return Files.absolute(folder + "/" + new TextDecoder().decode(bytesAt(at, size).slice()));
  }

  /** The contents of an open file. The first write copies them; they grow by doubling until the file is closed. */
  function contents(path: string): FileInUse | undefined {
    const written = inUse.get(path);
    if (written) return written;
    const bytes = files.get(path);
    if (!bytes) return undefined;
    const file = { bytes, size: bytes.length, changed: false };
    inUse.set(path, file);
    return file;
  }

  function store(path: string): void {
    const file = inUse.get(path);
    if (file?.changed && files.get(path)) files.set(path, file.bytes.subarray(0, file.size));
  }

  function write(file: FileInUse, at: number, part: Uint8Array): void {
    if (!file.changed || file.bytes.length < at + part.length) {
      const grown = new Uint8Array(Math.max(at + part.length, 2 * file.bytes.length));
      grown.set(file.bytes.subarray(0, file.size));
      file.bytes = grown;
      file.changed = true;
    }
    file.bytes.set(part, at);
    file.size = Math.max(file.size, at + part.length);
  }

  function vectors(at: number, count: number): Uint8Array[] {
    const data = view();
    return Array.from({ length: count }, (_, i) => bytesAt(data.getUint32(at + 8 * i, true), data.getUint32(at + 8 * i + 4, true)));
  }

  function writeStat(at: number, kind: number, size: number): number {
    bytesAt(at, 64).fill(0);
    view().setUint8(at + 16, kind);
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(size), true);
    return SUCCESS;
  }

  function putStrings(pointers: number, at: number): number {
    for (const text of encoded) {
      view().setUint32(pointers, at, true);
      bytesAt(at, text.length).set(text);
      pointers += 4;
      at += text.length;
    }
    return SUCCESS;
  }

  function fdWrite(fd: number, at: number, count: number, written: number): number {
    const to = open.get(fd);
    if (!to || to.stream === 0 || to.folder !== undefined) return BADF;
    let total = 0;
    for (const part of vectors(at, count)) {
      if (to.stream) onText?.(to.stream, decoders[to.stream]!.decode(part.slice(), { stream: true }));
      else if (to.file) {
        if (to.append) to.position = to.file.size;
        write(to.file, to.position, part);
        to.position += part.length;
      }
      total += part.length;
    }
    view().setUint32(written, total, true);
    return SUCCESS;
  }

  function fdRead(fd: number, at: number, count: number, read: number): number {
    const from = open.get(fd);
    if (!from || (!from.file && from.stream !== 0)) return from?.folder === undefined ? BADF : ISDIR;
    let total = 0;
    for (const part of from.file ? vectors(at, count) : []) {
      const got = from.file!.bytes.subarray(from.position, Math.min(from.position + part.length, from.file!.size));
      part.set(got);
      from.position += got.length;
      total += got.length;
    }
    view().setUint32(read, total, true);
    return SUCCESS;
  }

  function pathOpen(fd: number, _flags: number, at: number, size: number, how: number, _base: bigint, _inheriting: bigint, mode: number, result: number): number {
    const path = pathAt(fd, at, size);
    if (typeof path === "number") return path;
    let added: Descriptor;
    if (files.isFolder(path)) {
      if (how & (O_CREAT | O_TRUNC)) return ISDIR;
      added = { folder: path, position: 0 };
    } else {
      if (how & O_DIRECTORY) return files.get(path) ? NOTDIR : NOENT;
      if (!files.get(path)) {
        if (!(how & O_CREAT)) return NOENT;
        if (!files.isFolder(path.slice(0, path.lastIndexOf("/")) || "/")) return NOENT;
        files.set(path, new Uint8Array(0));
      } else if (how & O_CREAT && how & O_EXCL) return EXIST;
      const file = contents(path)!;
      if (how & O_TRUNC) Object.assign(file, { bytes: new Uint8Array(0), size: 0, changed: true });
      added = { file, path, position: 0, append: (mode & FD_APPEND) !== 0 };
    }
    let number = ROOT + 1;
    while (open.has(number)) ++number;
    open.set(number, added);
    view().setUint32(result, number, true);
    return SUCCESS;
  }

  function fdClose(fd: number): number {
    const path = open.get(fd)?.path;
    if (path !== undefined) store(path);
    return open.delete(fd) ? SUCCESS : BADF;
  }

  function fdSeek(fd: number, offset: bigint, whence: number, result: number): number {
    const at = open.get(fd);
    if (!at?.file) return at ? SPIPE : BADF;
    const position = Number(offset) + (whence === 1 ? at.position : whence === 2 ? at.file.size : 0);
    if (position < 0) return INVAL;
    at.position = position;
    view().setBigUint64(result, BigInt(position), true);
    return SUCCESS;
  }

  function fdStatus(fd: number, at: number): number {
    const of = open.get(fd);
    if (!of) return BADF;
    bytesAt(at, 24).fill(0);
    // Streams are not called terminals: the program shows no line of progress then.
    view().setUint8(at, of.folder !== undefined ? DIRECTORY : REGULAR_FILE);
    view().setBigUint64(at + 8, ALL_RIGHTS, true);
    view().setBigUint64(at + 16, ALL_RIGHTS, true);
    return SUCCESS;
  }

  function pathStat(fd: number, _flags: number, at: number, size: number, result: number): number {
    const path = pathAt(fd, at, size);
    if (typeof path === "number") return path;
    if (files.isFolder(path)) return writeStat(result, DIRECTORY, 0);
    const file = inUse.get(path) ?? files.get(path);
    if (!file || !files.get(path)) return NOENT;
    return writeStat(result, REGULAR_FILE, file instanceof Uint8Array ? file.length : file.size);
  }

  function fdStat(fd: number, at: number): number {
    const of = open.get(fd);
    if (!of) return BADF;
    if (of.folder !== undefined) return writeStat(at, DIRECTORY, 0);
    return of.file ? writeStat(at, REGULAR_FILE, of.file.size) : writeStat(at, CHARACTER_DEVICE, 0);
  }

  function rename(fd: number, at: number, size: number, newFd: number, newAt: number, newSize: number): number {
    const from = pathAt(fd, at, size), to = pathAt(newFd, newAt, newSize);
    if (typeof from === "number") return from;
    if (typeof to === "number") return to;
    store(from);
    const bytes = files.get(from);
    if (!bytes) return NOENT;
    if (files.isFolder(to)) return ISDIR;
    files.remove(from);
    files.set(to, bytes);
    inUse.delete(from);
    inUse.delete(to);
    return SUCCESS;
  }

  function readFolder(fd: number, at: number, size: number, cookie: bigint, used: number): number {
    const folder = open.get(fd)?.folder;
    if (folder === undefined) return BADF;
    const entries = files.list(folder);
    let total = 0;
    for (let i = Number(cookie); i < entries.length && total < size; ++i) {
      const name = encoder.encode(entries[i]!.name), record = new Uint8Array(24 + name.length), data = new DataView(record.buffer);
      data.setBigUint64(0, BigInt(i + 1), true);
      data.setUint32(16, name.length, true);
      data.setUint8(20, entries[i]!.isFolder ? DIRECTORY : REGULAR_FILE);
      record.set(name, 24);
      const part = record.subarray(0, size - total);
      bytesAt(at + total, part.length).set(part);
      total += part.length;
    }
    view().setUint32(used, total, true);
    return SUCCESS;
  }

  const onPath = (act: (path: string) => number) => (fd: number, at: number, size: number) => {
    const path = pathAt(fd, at, size);
    return typeof path === "number" ? path : act(path);
  };

  const calls: Record<string, (...given: never[]) => number> = {
    args_sizes_get: (count: number, size: number) => {
      view().setUint32(count, encoded.length, true);
      view().setUint32(size, encoded.reduce((sum, text) => sum + text.length, 0), true);
      return SUCCESS;
    },
    args_get: putStrings,
    environ_sizes_get: (count: number, size: number) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    clock_res_get: (_clock: number, at: number) => (view().setBigUint64(at, 1000n, true), SUCCESS),
    clock_time_get: (clock: number, _precision: bigint, at: number) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return SUCCESS;
    },
    random_get: (at: number, size: number) => {
      const most = 65536;  // of one call
      for (let done = 0; done < size; done += most) crypto.getRandomValues(bytesAt(at + done, Math.min(most, size - done)));
      return SUCCESS;
    },
    proc_exit: (code: number) => {
      throw new Exit(code);
    },
    sched_yield: () => SUCCESS,
    fd_prestat_get: (fd: number, at: number) => {
      if (fd !== ROOT) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name: (_fd: number, at: number) => (bytesAt(at, 1).set([0x2f]), SUCCESS),
    fd_fdstat_get: fdStatus,
    fd_fdstat_set_flags: () => SUCCESS,
    fd_filestat_get: fdStat,
    path_filestat_get: pathStat,
    path_open: pathOpen,
    fd_read: fdRead,
    fd_write: fdWrite,
    fd_seek: fdSeek,
    fd_close: fdClose,
    fd_readdir: readFolder,
    path_rename: rename,
    path_unlink_file: onPath((path) => {
      inUse.delete(path);
      return files.remove(path) ? SUCCESS : NOENT;
    }),
    path_create_directory: onPath((path) => {
      if (files.isFolder(path) || files.get(path)) return EXIST;
      files.makeFolder(path);
      return SUCCESS;
    }),
    path_remove_directory: onPath((path) => (!files.isFolder(path) ? NOENT : files.removeFolder(path) ? SUCCESS : NOTEMPTY)),
    path_readlink: () => INVAL,
  };

  return {
    calls: new Proxy(calls, { get: (all, name) => all[name as string] ?? (() => NOSYS), has: () => true }),
    setMemory: (given: WebAssembly.Memory) => {
      memory = given;
    },
  };
}
