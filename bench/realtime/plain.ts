import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { WebSocketServer } from "ws";

// The reference of the realtime bench: sends the same event to every socket, with one ws write per socket or one emit
// to a socket.io room. A message from the parent contains the number of events in a tick.

const [, , kind = "ws", text = "{}"] = process.argv;
const envelope = JSON.parse(text);
const http = createServer();
let lastSyncId = 0;

const next = () => {
  lastSyncId += 1;
  return { ...envelope, lastSyncId };
};

if (kind === "ws") {
  const server = new WebSocketServer({ server: http });
  process.on("message", (burst: number) => {
    for (let count = 0; count < burst; count += 1) {
      const message = JSON.stringify(["issue.created", next()]);
      for (const socket of server.clients) socket.send(message);
    }
  });
} else {
  const io = new Server(http);
  io.on("connection", (socket) => void socket.join("org"));
  process.on("message", (burst: number) => {
    for (let count = 0; count < burst; count += 1) io.to("org").emit("issue.created", next());
  });
}

http.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
