import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createFolder } from "../db/embedded/create-folder.ts";
import { CannotOpen } from "../db/errors/cannot-open.ts";
import { type Config, LEAST_SECRET } from "./config.ts";
import { writeTextWhole } from "./whole-file.ts";

/**
 * Loads the server's secret: JWT_SECRET, or a secret that is generated once into DATA_DIR/jwt-secret (mode 0600).
 * @throws CannotOpen for a file with a shorter secret than the minimum, with which anyone could sign tokens.
 */
export async function loadSecret({ JWT_SECRET, DATA_DIR }: Config): Promise<Uint8Array> {
  if (JWT_SECRET) return new TextEncoder().encode(JWT_SECRET);
  createFolder(resolve(DATA_DIR));
  const file = join(DATA_DIR, "jwt-secret");
  const secret = (await contentOf(file)) ?? (await generate(file));
  if (secret.length >= LEAST_SECRET) return new TextEncoder().encode(secret);
  throw new CannotOpen(
    `DATA_DIR: ${file} holds ${secret.length} characters, and a secret has at least ${LEAST_SECRET}; put back the one it ` +
      "held, or remove the file for a new one, which ends access tokens and makes webhook secrets unreadable",
  );
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function generate(file: string): Promise<string> {
  const secret = randomBytes(32).toString("hex");
  await writeTextWhole(file, secret);
  return secret;
}
