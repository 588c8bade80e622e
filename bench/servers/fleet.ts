import { LISTENING_LINE, type ServerProcess, spawnServer } from "../../test/support/run/process.ts";

/** Servers on a shared database, and functions that stop, freeze and restart the servers. */
export interface Fleet {
  urls: string[];
  databaseUrl: string;
  signal(at: number, signal: NodeJS.Signals): void;
  /**
   * Ends a server with a signal, then starts the server or another build on
   * the same port. Resolves when the server listens.
   */
  restart(at: number, signal: NodeJS.Signals, command?: readonly string[]): Promise<void>;
  /** The number of servers that ended without a signal from the fleet. */
  crashes(): number;
  stop(): Promise<void>;
}

/** Starts `count` servers with this environment. `first` is the command of another build. */
export async function startFleet(
  count: number,
  env: Record<string, string>,
  first?: readonly string[],
): Promise<Fleet> {
  const running: ServerProcess[] = [];
  const urls: string[] = [];
  const told = new Set<ServerProcess>();
  let crashes = 0;
  const start = async (at: number, port: string, command?: readonly string[]) => {
    const server = spawnServer({ ...env, PORT: port }, command);
    void server.ended.then(() => {
      if (!told.has(server)) crashes += 1;
    });
    running[at] = server;
    urls[at] = (await server.printed(LISTENING_LINE))[1] ?? "";
  };
  const end = async (at: number, signal: NodeJS.Signals) => {
    const server = running[at];
    if (!server) return;
    told.add(server);
    await server.stop(signal);
  };
  for (let at = 0; at < count; at += 1) await start(at, "0", first);
  return {
    urls,
    databaseUrl: env["DATABASE_URL"] ?? "",
    signal: (at, signal) => void running[at]?.child.kill(signal),
    async restart(at, signal, command) {
      await end(at, signal);
      await start(at, new URL(urls[at] ?? "").port, command);
    },
    crashes: () => crashes,
    async stop() {
      for (const { child } of running) child.kill("SIGCONT");
      await Promise.all(running.map((_, at) => end(at, "SIGTERM")));
    },
  };
}
