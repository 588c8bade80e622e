import { setTimeout as sleep } from "node:timers/promises";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../../test/support/run/process.ts";

/** Servers on one database that are killed and restarted on the same port. */
export interface Servers {
  urls: string[];
  /** Kills a random server, usually without warning, and starts the server again. Resolves when the server listens. */
  killOne(): Promise<void>;
  pids(): number[];
  stop(): Promise<void>;
}

export async function startServers(count: number, env: Record<string, string>): Promise<Servers> {
  const running: ServerProcess[] = [];
  const urls: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const server = spawnServer(env);
    running.push(server);
    urls.push((await server.printed(LISTENING_LINE))[1] ?? "");
  }
  return {
    urls,
    async killOne() {
      const at = Math.floor(Math.random() * count);
      await running[at]?.stop(Math.random() < 0.8 ? "SIGKILL" : "SIGTERM");
      await sleep(Math.random() * 500);
      const again = spawnServer({ ...env, PORT: new URL(urls[at] ?? "").port });
      running[at] = again;
      await again.printed(LISTENING_LINE);
    },
    pids: () => running.map(({ child }) => Number(child.pid)),
    stop: async () => void (await Promise.all(running.map((server) => server.stop()))),
  };
}
