import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { call, freshOrganization, startServer } from "../support/server.ts";
import { closeSockets, listen } from "../support/stream/realtime.ts";

const statusOf = async (url: string) => (await fetch(url)).status;

describe("a server that was asked to stop", () => {
  after(closeSockets);

  it("is not ready at once, and until it stops takes events, queries and sockets, and keeps no connection", async () => {
    const app = await startServer();
    const { url, apiKey, ingestKey, graphql } = await freshOrganization(app);
    expect(await statusOf(`${url}/api/health`)).to.equal(200);
    app.leave();
    expect(await statusOf(`${url}/api/health`)).to.equal(503);
    expect(await statusOf(`${url}/api/health/live`)).to.equal(200);
    const events = [
      { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "late", args: "a", result: "b" },
    ];
    const captured = await call(url, "POST", "/api/v1/capture-events", {
      body: { events },
      headers: { "x-api-key": ingestKey },
    });
    expect(captured.body).to.include({ accepted: 1 });
    expect(captured.headers.get("connection")).to.equal("close");
    expect((await graphql("{ viewer { id } }")).status).to.equal(200);
    const { socket } = await listen(url, { token: apiKey });
    expect(socket.connected).to.equal(true);
  });
});
