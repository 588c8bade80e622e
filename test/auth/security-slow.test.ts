import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createHttpServer, drain } from "../../server/operations/http-server.ts";

const TIMEOUTS = { headers: 200, request: 400, check: 20 };

describe("an HTTP connection", () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });
  const listen = async (listener: RequestListener) => {
    const server = createHttpServer(listener, TIMEOUTS).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return { server, port: (server.address() as AddressInfo).port };
  };
  const readAll: RequestListener = (request, response) => {
    request.resume().once("end", () => response.end("done"));
  };
  /** Sends `head`, then one more byte at a time without end. Resolves to everything that the server sent. */
  const drip = async (port: number, head: string, byte: string) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(head);
    const timer = setInterval(() => socket.write(byte), 20);
    return text(socket).finally(() => clearInterval(timer));
  };

  it("is closed if the headers never end", async () => {
    const { port } = await listen(readAll);
    expect(await drip(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "a")).to.match(/^HTTP\/1.1 408 /);
  });

  it("is closed if the body never ends", async () => {
    const { port } = await listen(readAll);
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
    expect(await drip(port, head, "a")).to.match(/^HTTP\/1.1 408 /);
  });

  it("is closed if the client sends nothing", async () => {
    const { port } = await listen(readAll);
    expect(await text(connect(port, "127.0.0.1"))).to.match(/^HTTP\/1.1 408 /);
  });

  it("finishes requests in flight during shutdown, and accepts no new requests", async () => {
    const { server, port } = await listen((_, response) => void sleep(150).then(() => response.end("done")));
    const reply = fetch(`http://127.0.0.1:${port}/`);
    await sleep(50);
    const drained = drain(server, 5_000);
    const late = await fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error);
    expect(await (await reply).text()).to.equal("done");
    await drained;
    expect(late).to.be.instanceOf(Error);
  });

  it("is closed if its request does not finish within the grace period", async () => {
    const { server, port } = await listen(() => {});
    const reply = fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error);
    await sleep(50);
    await drain(server, 100);
    expect(await reply).to.be.instanceOf(Error);
  });
});
