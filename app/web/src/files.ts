/** The files that a run of the module sees: absolute paths and their bytes. Folders are the beginnings of paths. */
export class Files {
  private readonly bytes = new Map<string, Uint8Array>();
  private readonly folders = new Set<string>(["/"]);

  /** The absolute form of a path: without ".", ".." and repeated slashes. */
  static absolute(path: string): string {
    const parts: string[] = [];
    for (const part of path.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return "/" + parts.join("/");
  }

  get(path: string): Uint8Array | undefined {
    return this.bytes.get(path);
  }

  set(path: string, bytes: Uint8Array): void {
    this.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
    this.bytes.set(path, bytes);
  }

  remove(path: string): boolean {
    return this.bytes.delete(path);
  }

  isFolder(path: string): boolean {
    return this.folders.has(path);
  }

  makeFolder(path: string): void {
    for (let at = path; at !== "" && !this.folders.has(at); at = at.slice(0, at.lastIndexOf("/"))) this.folders.add(at);
  }

  removeFolder(path: string): boolean {
    return this.list(path).length === 0 && this.folders.delete(path);
  }

  /** The names in a folder, sorted. */
  list(folder: string): { name: string; isFolder: boolean }[] {
    const inside = folder === "/" ? "/" : folder + "/";
    const found = new Map<string, boolean>();
    for (const path of this.folders) if (path !== "/" && path.startsWith(inside)) found.set(path.slice(inside.length).split("/")[0]!, true);
    for (const path of this.bytes.keys()) {
      const rest = path.startsWith(inside) ? path.slice(inside.length) : "";
      if (rest !== "" && !rest.includes("/")) found.set(rest, false);
    }
    return [...found].map(([name, isFolder]) => ({ name, isFolder })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  paths(): string[] {
    return [...this.bytes.keys()];
  }
}
