import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createFolder } from "../db/embedded/create-folder.ts";
import { DatabaseOpenError } from "../db/errors/cannot-open.ts";
import { type Config, MIN_SECRET_CHARS } from "./config.ts";
import { writeTextFileAtomically } from "./whole-file.ts";

/**
 * Loads the server's secret: JWT_SECRET, or a secret that is generated once into DATA_DIR/jwt-secret (mode 0600).
 * @throws DatabaseOpenError if the secret in the file is shorter than the minimum, because anyone could sign tokens with such
 * a secret.
 */
export async function loadServerSecret({ JWT_SECRET, DATA_DIR }: Config): Promise<Uint8Array> {
  if (JWT_SECRET) return new TextEncoder().encode(JWT_SECRET);
  createFolder(resolve(DATA_DIR));
  const file = join(DATA_DIR, "jwt-secret");
  const secret = (await contentOf(file)) ?? (await generate(file));
  if (secret.length >= MIN_SECRET_CHARS) return new TextEncoder().encode(secret);
  throw new DatabaseOpenError(
    `DATA_DIR: ${file} holds ${secret.length} characters, and a secret has at least ${MIN_SECRET_CHARS}; put back the one it ` +
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
  await writeTextFileAtomically(file, secret);
  return secret;
}
