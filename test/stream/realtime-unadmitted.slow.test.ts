import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { WebSocket } from "ws";
import { createOrganization, type Tenant } from "../support/server.ts";
import { closeSockets, openSocket } from "../support/stream/realtime.ts";

/**
 * The server promises ten seconds. A client that ignores close frames could otherwise keep the socket for half a
 * minute.
 */
const GONE_MS = 16_000;

/** Opens a WebSocket whose client never responds, not even to a close frame. */
async function mute(url: string, sent: string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(url, { autoPong: false });
  socket.on("error", () => {});
  await once(socket, "open");
  for (const packet of sent) socket.send(packet);
  (socket as unknown as { _receiver: { removeAllListeners(event: string): void } })._receiver.removeAllListeners(
    "conclude",
  );
  return socket;
}

const gone = async (socket: WebSocket) => {
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, "close");
  return true;
};

describe("a connection without a valid token", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });
  after(closeSockets);

  it("is closed within ten seconds whatever it sends, and a connection with a token stays", async () => {
    const http = `${tenant.url}/socket.io/?EIO=4`;
    const ws = http.replace("http:", "ws:");
    const poll = (sid = "") => fetch(`${http}&transport=polling${sid && `&sid=${sid}`}`);
    const open = async () => JSON.parse((await (await poll()).text()).slice(1)).sid as string;
    const [silent, probed] = [await open(), await open()];
    const kept = await openSocket(tenant.url, { token: tenant.apiKey });
    const carried = await openSocket(tenant.url, { token: tenant.apiKey }, { transports: ["polling", "websocket"] });
    const sockets = await Promise.all([
      mute(`${ws}&transport=websocket`),
      mute(`${ws}&transport=websocket`, ['40{"token":"no token"}']),
      mute(`${ws}&transport=websocket&sid=${probed}`, ["2probe"]),
      mute(`${ws}&transport=websocket&sid=${probed}`),
    ]);
    const all = Promise.all(sockets.map(gone));
    expect(await Promise.race([all, sleep(GONE_MS, "still there")])).to.deep.equal([true, true, true, true]);
    expect(await (await poll(silent)).json()).to.include({ message: "Session ID unknown" });
    expect([kept.socket.connected, carried.socket.connected]).to.deep.equal([true, true]);
    expect(carried.socket.io.engine.transport.name).to.equal("websocket");
  });
});
