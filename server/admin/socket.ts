import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { writeBackup } from "./backup-file.ts";
import { planCommand, runCommand } from "./commands.ts";

/** The path of the socket on which the running server listens for its operator. */
export const socketPath = (dataDir: string): string => join(dataDir, "admin.sock");

const words = z.array(z.string().max(1024)).max(10);
/** A command to run, or a command whose plan the operator wants to see first. */
const request = z.union([z.strictObject({ args: words }), z.strictObject({ planned: words })]);

/**
 * Listens on a socket in DATA_DIR that only the server's own user can open (mode 0600). Only one process can open the
 * embedded database, so the operator's commands go through the server. Resolves to a function that closes the socket.
 */
export async function startAdminSocket(runtime: Runtime): Promise<() => Promise<void>> {
  const path = socketPath(runtime.config.DATA_DIR);
  const server = createServer((incoming, response) => void answer(runtime, incoming, response));
  server.on("error", (error) =>
    runtime.log.warn(
      { err: error },
      "the admin socket could not be opened: npm run admin works only while the server is stopped",
    ),
  );
  // A killed server leaves the socket file behind. The current process holds the lock of the data directory, so no
  // other server uses the socket file.
  await rm(path, { force: true });
  const before = process.umask(0o177);
  server.listen(path);
  process.umask(before);
  await chmod(path, 0o600).catch(() => {});
  return () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections());
}

async function answer(runtime: Runtime, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (incoming.method === "HEAD") return reply(response, 200, {});
    if (incoming.url === "/backup" || incoming.url === "/deletions") {
      const part = incoming.url === "/backup" ? "all" : "deletions";
      const rows = await writeBackup(runtime.db, runtime.secret, response, part);
      runtime.log.info({ rows }, "backup written");
      return;
    }
    const asked = request.parse(await json(incoming));
    if ("planned" in asked) return reply(response, 200, { plan: await planCommand(runtime, asked.planned) });
    const { args } = asked;
    runtime.log.info({ command: args[0] }, "admin command");
    reply(response, 200, { output: await runCommand(runtime, args) });
  } catch (error) {
    if (!(error instanceof AppError)) runtime.log.error({ err: error }, "admin command failed");
    if (response.headersSent) response.destroy();
    else reply(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
