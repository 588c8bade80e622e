import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCache } from "../cache.ts";

const PAGE = fileURLToPath(import.meta.resolve("#web/index.html"));
const ASSETS = join(dirname(PAGE), "assets");
const BROTLI = ".br";
/** The names that the build gives its files: none leads to another folder. */
const NAME = /^[\w-]+\.[a-z0-9]+$/;

const read = createCache<Buffer>({ name: "web", sizeOf: (body) => body.length });

/**
 * The page that every path of the app answers with. It is small and never kept: a build while this server runs takes the
 * files away that the page before names.
 */
export const readPage = (): Promise<Buffer> => readFile(PAGE);

/** A file of the app, as brotli where the browser takes that; undefined for a name that is none. */
export async function readAsset(name: string, brotli: boolean): Promise<{ body: Buffer; brotli: boolean } | undefined> {
  if (!NAME.test(name)) return undefined;
  const packed = brotli ? await readOnce(join(ASSETS, name + BROTLI)) : undefined;
  if (packed) return { body: packed, brotli: true };
  const body = await readOnce(join(ASSETS, name));
  return body && { body, brotli: false };
}

/** The name holds a hash of the content: once read, it is kept. */
async function readOnce(path: string): Promise<Buffer | undefined> {
  const known = read.get(path);
  if (known) return known;
  try {
    const body = await readFile(path);
    read.set(path, body);
    return body;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
