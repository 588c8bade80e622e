import { createServer, type Server } from "node:net";

/** Listener on loopback, IPv4 and IPv6, that counts connections. */
export interface Canary {
  port: number;
  connections(): number;
  close(): void;
}

/** Starts a canary on one port of both loopback addresses. */
export async function startCanary(): Promise<Canary> {
  let connections = 0;
  const servers: Server[] = [];
  const listen = (host: string, port: number) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer((socket) => {
        connections += 1;
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
      server.once("error", reject).listen(port, host, () => {
        servers.push(server);
        resolve((server.address() as { port: number }).port);
      });
    });
  const port = await listen("0.0.0.0", 0);
  await listen("::1", port).catch(() => {});
  return {
    port,
    connections: () => connections,
    close: () => {
      for (const server of servers) server.close();
    },
  };
}
