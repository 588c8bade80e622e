import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of the servers. The proxy passes each connection to the next server, or to the following
 * server when refused.
 */
export interface Proxy {
  url: string;
  close(): void;
}

/** Starts a proxy for HTTP and WebSocket connections over servers in turn. */
export async function startProxy(urls: readonly string[]): Promise<Proxy> {
  const open = new Set<Socket>();
  let turn = 0;
  const forward = (client: Socket, tries: number) => {
    turn += 1;
    const { hostname, port } = new URL(urls[turn % urls.length] ?? "");
    const server = connect(Number(port), hostname);
    server.once("error", () => {
      if (server.connecting || server.bytesRead === 0) {
        if (tries < urls.length && client.bytesRead === 0) return forward(client, tries + 1);
      }
      client.destroy();
    });
    server.once("connect", () => client.pipe(server).pipe(client));
    client.once("close", () => server.destroy());
    server.once("close", () => {
      if (server.bytesRead > 0) client.destroy();
    });
  };
  const proxy = createServer((client) => {
    open.add(client);
    client.on("error", () => {}).once("close", () => open.delete(client));
    forward(client, 1);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    close() {
      proxy.close();
      for (const client of open) client.destroy();
    },
  };
}
