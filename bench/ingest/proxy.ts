import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of PostgreSQL that can delay or discard data. */
export interface Proxy {
  /** The database's address through the proxy. */
  url: string;
  /** Delays every piece by this number of milliseconds, in both directions. */
  delay(ms: number): void;
  /** While true, discards all data and never answers new connections, but closes no connection. */
  blackhole(on: boolean): void;
  close(): void;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const state = { delay: 0, swallow: false };
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (piece) => {
      if (state.swallow) return;
      if (state.delay === 0) to.write(piece);
      else setTimeout(() => state.swallow || to.write(piece), state.delay);
    });
    from.on("error", () => to.destroy()).on("close", () => to.destroy());
  };
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    pass(client, database);
    pass(database, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(target);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    delay(ms) {
      state.delay = ms;
    },
    blackhole(on) {
      state.swallow = on;
      // Discarded bytes are missing from the streams, so the old connections are unusable.
      if (!on) for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
