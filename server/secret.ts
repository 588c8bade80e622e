import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** The server's secret: JWT_SECRET, or one generated once into DATA_DIR/jwt-secret (mode 0600). */
export async function loadSecret(config: Config): Promise<Uint8Array> {
  if (config.JWT_SECRET) return new TextEncoder().encode(config.JWT_SECRET);
  const file = join(config.DATA_DIR, "jwt-secret");
  await mkdir(config.DATA_DIR, { recursive: true });
  try {
    await writeFile(file, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return new TextEncoder().encode((await readFile(file, "utf8")).trim());
}
