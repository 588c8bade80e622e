import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type Database, openDatabase } from "../../db/open.ts";
import { type Config, readConfig } from "../config.ts";
import { inputError } from "../errors.ts";
import { publicUrlOf } from "../runtime.ts";
import { loadSecret } from "../secret.ts";
import type { Part } from "./backup/dump.ts";
import { writeBackup } from "./backup-file.ts";
import { runCommand } from "./commands.ts";
import { socketPath } from "./socket.ts";

/**
 * Runs a command of the operator's; a failure is one line on stderr and exit code 1. `--help` needs neither database nor
 * settings.
 */
export async function cli(
  usageOf: (name: string | undefined) => string,
  work: (config: Config, args: string[]) => Promise<string>,
): Promise<void> {
  const args = process.argv.slice(2);
  const help = args.some((each) => each === "--help" || each === "-h");
  try {
    process.stdout.write(`${help ? usageOf(args[0]) : await work(readConfig(process.env), args)}\n`);
  } catch (error) {
    process.stderr.write(`trackway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** The one file a command takes. @throws inputError with its usage. */
export function fileArgument([file, ...more]: string[], usage: string): string {
  if (!file || more.length > 0) throw inputError(usage);
  return file;
}

/** The operator's requests, wherever they are answered. */
interface Operator {
  command(args: string[]): Promise<string>;
  backup(target: NodeJS.WritableStream, part: Part): Promise<void>;
  close(): Promise<void>;
}

/** Reaches the running server over its socket, or where none runs, and with DATABASE_URL, the database itself. */
export async function reach(config: Config): Promise<Operator> {
  const path = socketPath(config.DATA_DIR);
  if (!config.DATABASE_URL && (await listens(path))) return overSocket(path);
  const db = await openFor(config);
  return {
    command: async (args) =>
      runCommand({ config, db, publicUrl: publicUrlOf(config), secret: await loadSecret(config) }, args),
    backup: async (target, part) => void (await writeBackup(db, await loadSecret(config), target, part)),
    close: () => db.close(),
  };
}

/** Opens the database the configuration names. */
export const openFor = (config: Config): Promise<Database> =>
  openDatabase({
    url: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    dataDir: config.DATA_DIR,
    poolSize: 2,
  });

const overSocket = (path: string): Operator => ({
  async command(args) {
    const answer = await send(path, "/command", JSON.stringify({ args }));
    const { output, error } = (await json(answer)) as { output?: string; error?: string };
    if (output === undefined) throw new Error(error);
    return output;
  },
  async backup(target, part) {
    let failed: unknown;
    target.once("error", (error) => {
      failed = error;
    });
    const answer = await send(path, part === "all" ? "/backup" : "/deletions", "");
    if (answer.statusCode !== 200) throw new Error(((await json(answer)) as { error: string }).error);
    await pipeline(answer, target).catch((cause) => {
      if (cause === failed) throw cause;
      throw new Error("the backup broke off; the server's log says why", { cause });
    });
  },
  async close() {},
});

const send = (path: string, url: string, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({ socketPath: path, path: url, method: "POST" }, resolve).once("error", reject).end(body);
  });

/** True when a server answers at the socket: the file of a killed server stays behind. */
const listens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    request({ socketPath: path, path: "/", method: "HEAD" }, (answer) => {
      answer.resume();
      resolve(true);
    })
      .once("error", () => resolve(false))
      .end();
  });
