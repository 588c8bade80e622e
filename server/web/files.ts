import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCache } from "../cache.ts";

const PAGE = fileURLToPath(import.meta.resolve("#web/index.html"));
const ASSETS = join(dirname(PAGE), "assets");
const BROTLI = ".br";

const read = createCache<Buffer>({ name: "web", sizeOf: (body) => body.length });
/** What the build made; a file that it did not make is never looked for. */
const names = new Set(existsSync(ASSETS) ? readdirSync(ASSETS) : []);

/** The page that every path of the app answers with. */
export const readPage = (): Promise<Buffer> => readOnce(PAGE);

/** A file of the app, as brotli where the browser takes that; undefined for a name that is none. */
export async function readAsset(name: string, brotli: boolean): Promise<{ body: Buffer; brotli: boolean } | undefined> {
  if (!names.has(name) || name.endsWith(BROTLI)) return undefined;
  const packed = brotli && names.has(name + BROTLI);
  return { body: await readOnce(join(ASSETS, packed ? name + BROTLI : name)), brotli: packed };
}

/** Read when it is first asked for: nobody looks at most servers. */
async function readOnce(path: string): Promise<Buffer> {
  const known = read.get(path);
  if (known) return known;
  const body = await readFile(path);
  read.set(path, body);
  return body;
}
