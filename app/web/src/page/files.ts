import type { NamedFile } from "../macaw.js";

/** A file of 1 GiB or more is refused: a run holds it several times in the 4 GiB that it can address. */
export const MOST_BYTES = 2 ** 30;

export type Kind = "artifact" | "graph" | "input" | "image" | "config" | "database" | "report" | "unknown";

const ENDINGS: [RegExp, Kind][] = [
  [/\.(npz|pte)$/i, "artifact"],
  [/\.(tosa|mlir|vgf)$/i, "graph"],
  [/\.npy$/i, "input"],
  [/\.(png|jpe?g|webp|bmp)$/i, "image"],
  [/\.ini$/i, "config"],
  [/\.xml$/i, "database"],
  [/\.json$/i, "report"],
];

/** Name of the custom operator that Vela writes for an Ethos-U. */
const ETHOS_U = new TextEncoder().encode("ethos-u");

function contains(bytes: Uint8Array, text: Uint8Array): boolean {
  for (let at = bytes.indexOf(text[0]!); at >= 0; at = bytes.indexOf(text[0]!, at + 1))
    if (text.every((byte, i) => bytes[at + i] === byte)) return true;
  return false;
}

export function kindOf(file: NamedFile): Kind {
  if (/\.tflite$/i.test(file.name)) return contains(file.bytes, ETHOS_U) ? "artifact" : "graph";
  return ENDINGS.find(([ending]) => ending.test(file.name))?.[1] ?? "unknown";
}

export async function readFiles(list: Iterable<File>): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const file of list) {
    if (file.size >= MOST_BYTES) throw new Error(`${file.name}: ${file.size} bytes; files of less than 1 GiB are expected`);
    files.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  return files;
}

/** An .npy file of version 1.0 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). */
export function npy(type: "|i1" | "|u1", shape: number[], data: Uint8Array): Uint8Array {
  const dimensions = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  let header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${dimensions}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const bytes = new Uint8Array(10 + header.length + data.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  bytes.set(data, 10 + header.length);
  return bytes;
}

/** An image as the bytes of an input of images: `size` is "HEIGHTxWIDTHxCHANNELS" with 1 or 3 channels; signed bytes are pixels
 *  minus 128. */
export async function imageInput(file: NamedFile, size: string, signed: boolean): Promise<NamedFile> {
  const match = /^(\d+)x(\d+)x([13])$/.exec(size.trim());
  const [height, width, channels] = (match ?? []).slice(1).map(Number);
  if (!height || !width || !channels || height * width > 2 ** 24)
    throw new Error(`${file.name}: the size of the input, '${size}', is not HEIGHTxWIDTHxCHANNELS with 1 or 3 channels, as 96x96x3`);
  const bitmap = await createImageBitmap(new Blob([file.bytes as BlobPart]));
  const context = new OffscreenCanvas(width, height).getContext("2d")!;
  context.drawImage(bitmap, 0, 0, width, height);
  const pixels = context.getImageData(0, 0, width, height).data;
  const offset = signed ? 128 : 0;
  const data = new Uint8Array(height * width * channels);
  for (let i = 0; i < height * width; ++i) {
    const [red, green, blue] = [pixels[4 * i]!, pixels[4 * i + 1]!, pixels[4 * i + 2]!];
    if (channels === 3) data.set([red - offset, green - offset, blue - offset], 3 * i);
    else data[i] = Math.round(0.299 * red + 0.587 * green + 0.114 * blue) - offset;
  }
  return { name: file.name.replace(/\.[^.]*$/, "") + ".npy", bytes: npy(signed ? "|i1" : "|u1", [1, height, width, channels], data) };
}
