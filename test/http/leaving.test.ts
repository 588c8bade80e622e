import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { callRestApi, createOrganization, startServer } from "../support/server.ts";
import { closeSockets, openSocket } from "../support/stream/realtime.ts";

const statusOf = async (url: string) => (await fetch(url)).status;

describe("a server that received a signal to stop", () => {
  after(closeSockets);

  it("reports not ready at once, serves events, queries and sockets until it stops, and keeps no connection alive", async () => {
    const app = await startServer();
    const { url, apiKey, ingestKey, graphql } = await createOrganization(app);
    expect(await statusOf(`${url}/api/health`)).to.equal(200);
    app.leave();
    expect(await statusOf(`${url}/api/health`)).to.equal(503);
    expect(await statusOf(`${url}/api/health/live`)).to.equal(200);
    const events = [
      { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "late", args: "a", result: "b" },
    ];
    const captured = await callRestApi(url, "POST", "/api/v1/capture-events", {
      body: { events },
      headers: { "x-api-key": ingestKey },
    });
    expect(captured.body).to.include({ accepted: 1 });
    expect(captured.headers.get("connection")).to.equal("close");
    expect((await graphql("{ viewer { id } }")).status).to.equal(200);
    const { socket } = await openSocket(url, { token: apiKey });
    expect(socket.connected).to.equal(true);
  });
});
