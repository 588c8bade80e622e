import { WebSocket } from "ws";

// Holds the sockets of the realtime bench on plain ws, for low CPU. With a token the clients speak the minimum of
// socket.io. A message from the parent contains the number of events after which to report.

const [, , url = "", token = "", sockets = "1"] = process.argv;
const path = token ? "/socket.io/?EIO=4&transport=websocket" : "/";
let left = 0;

function heard(): void {
  left -= 1;
  if (left === 0) process.send?.("heard");
}

function connect(): Promise<void> {
  const socket = new WebSocket(url.replace("http:", "ws:") + path, { perMessageDeflate: false });
  return new Promise((letIn) => {
    if (!token) return void socket.on("message", heard).once("open", letIn);
    socket.on("message", (data: Buffer) => {
      const packet = data.subarray(0, 2).toString();
      if (packet === "42") heard();
      else if (packet === "40") letIn();
      else if (packet === "2") socket.send("3");
      else if (packet.startsWith("0")) socket.send(`40${JSON.stringify({ token })}`);
    });
  });
}

for (let open = 0; open < Number(sockets); open += 50) {
  await Promise.all(Array.from({ length: Math.min(50, Number(sockets) - open) }, connect));
}
process.on("message", (count: number) => {
  left += count;
  if (left === 0) process.send?.("heard");
});
process.send?.("connected");
