import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type Database, openDatabase } from "../../db/open.ts";
import { isSystemError, toErrorLine } from "../../system/places.ts";
import { endWithoutOutput, guardStreams, writeResult } from "../../system/streams.ts";
import { type Config, readConfig } from "../config.ts";
import { inputError } from "../errors.ts";
import { getPublicUrl } from "../runtime.ts";
import { loadServerSecret } from "../secret.ts";
import type { BackupScope } from "./backup/dump.ts";
import { writeBackup } from "./backup-file.ts";
import { planCommand, runCommand } from "./commands.ts";
import type { RemovalPlan } from "./removal.ts";
import { socketPath } from "./socket.ts";

/**
 * Runs an operator's command. A failure prints one line on stderr and sets exit code 1, unless `work` set another
 * exit code. `--help` needs neither a database nor settings.
 */
export async function runOperatorCommand(
  usageOf: (name: string | undefined) => string,
  work: (config: Config, args: string[]) => Promise<string>,
): Promise<void> {
  guardStreams((error, result) => endWithoutOutput("trackway", error, result));
  // In a container, the command may run as process 1, which receives only signals that have a handler. The exit codes
  // are the same as a shell's.
  for (const [signal, code] of [["SIGTERM", 143] as const, ["SIGINT", 130] as const])
    process.once(signal, () => process.exit(code));
  const args = process.argv.slice(2);
  const help = args.some((each) => each === "--help" || each === "-h");
  try {
    writeResult(`${help ? usageOf(args[0]) : await work(readConfig(process.env), args)}\n`);
  } catch (error) {
    const line = isSystemError(error) ? toErrorLine(error) : error instanceof Error ? error.message : String(error);
    process.stderr.write(`trackway: ${line}\n`);
    process.exitCode ??= 1;
  }
}

/** Returns the only file argument of a command. @throws inputError with the usage. */
export function parseSingleFileArgument([file, ...more]: string[], usage: string): string {
  if (!file || more.length > 0) throw inputError(usage);
  return file;
}

/** Runs the operator's requests, either in the running server or in this process. */
interface Operator {
  plan(args: string[]): Promise<RemovalPlan | undefined>;
  command(args: readonly string[]): Promise<string>;
  backup(target: NodeJS.WritableStream, part: BackupScope): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to the running server over the server's admin socket. If DATABASE_URL is set or no server runs, this process
 * opens the database itself.
 */
export async function connectToServerOrDatabase(config: Config): Promise<Operator> {
  const path = socketPath(config.DATA_DIR);
  if (!config.DATABASE_URL && (await listens(path))) return overSocket(path);
  const db = await openConfiguredDatabase(config);
  const means = async () => ({ config, db, publicUrl: getPublicUrl(config), secret: await loadServerSecret(config) });
  return {
    plan: async (args) => planCommand(await means(), args),
    command: async (args) => runCommand(await means(), [...args]),
    backup: async (target, part) => void (await writeBackup(db, await loadServerSecret(config), target, part)),
    close: () => db.close(),
  };
}

export const openConfiguredDatabase = (config: Config): Promise<Database> =>
  openDatabase({
    url: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    dataDir: config.DATA_DIR,
    poolSize: 2,
  });

const overSocket = (path: string): Operator => ({
  // A server older than this program does not know the field `planned` and refuses the request. With the field `args`,
  // such a server would run the command at once.
  plan: async (planned) => (await ask<{ plan?: RemovalPlan }>(path, { planned })).plan,
  command: async (args) => (await ask<{ output: string }>(path, { args })).output,
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

/** Sends a command to the server. @throws Error with the server's message */
async function ask<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await send(path, "/command", JSON.stringify(body));
  const { error, ...rest } = (await json(answer)) as { error?: string };
  if (answer.statusCode !== 200) throw new Error(error);
  return rest as Answer;
}

const send = (path: string, url: string, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({ socketPath: path, path: url, method: "POST" }, resolve).once("error", reject).end(body);
  });

/** Resolves to true when a server responds on the socket. A killed server leaves the socket file behind. */
const listens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    request({ socketPath: path, path: "/", method: "HEAD" }, (answer) => {
      answer.resume();
      resolve(true);
    })
      .once("error", () => resolve(false))
      .end();
  });
