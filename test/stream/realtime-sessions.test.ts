import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { callRestApi, createOrganization, startServer, type Tenant } from "../support/server.ts";
import { closeSockets, openSocket } from "../support/stream/realtime.ts";

const event = (session_id: string, more: object = {}) => ({
  event_id: randomUUID(),
  session_id,
  primitive_name: "agent",
  args: "a",
  result: "r",
  ...more,
});
const capture = ({ url, ingestKey }: Tenant, events: object[]) =>
  callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers: { "x-api-key": ingestKey } });

describe("the realtime event session.touched", () => {
  after(closeSockets);

  it("reports sessions with new events and their totals to sockets that subscribe", async () => {
    const tenant = await createOrganization();
    const { until } = await openSocket(tenant.url, { token: tenant.apiKey, sessions: true });
    const id = randomUUID();
    await capture(tenant, [event(id), event(id, { primitive_type: "tool", success: false })]);
    const [heard] = await until((all) => all.length > 0);
    expect(heard).to.deep.equal({
      event: "session.touched",
      envelope: {
        organizationId: tenant.organizationId,
        sessions: [{ id, state: "idle", totals: { events: 2, failures: 1, turns: 1, toolCalls: 1 } }],
        more: false,
      },
    });
  });

  it("is not sent to sockets without a subscription, or to another organization", async () => {
    const [tenant, stranger] = [await createOrganization(), await createOrganization()];
    const plain = await openSocket(tenant.url, { token: tenant.apiKey });
    const other = await openSocket(stranger.url, { token: stranger.apiKey, sessions: true });
    const asked = await openSocket(tenant.url, { token: tenant.apiKey, sessions: true });
    await capture(tenant, [event(randomUUID())]);
    await asked.until((all) => all.length > 0);
    await pause(600);
    expect([plain.heard, other.heard]).to.deep.equal([[], []]);
  });

  it("is sent at most twice a second, summarizes many sessions, and ends with the last state", async () => {
    const tenant = await createOrganization();
    const { heard, until } = await openSocket(tenant.url, { token: tenant.apiKey, sessions: true });
    const id = randomUUID();
    const begun = performance.now();
    for (let n = 0; n < 30; n += 1)
      await capture(tenant, [event(id), ...Array.from({ length: 5 }, () => event(randomUUID()))]);
    await capture(tenant, [event(id)]);
    await until((all) => all.some(({ envelope }) => envelope.more));
    await until((all) =>
      all.some(
        ({ envelope }) =>
          envelope.sessions.some((one: any) => one.id === id && one.totals.events === 31) || envelope.more,
      ),
    );
    const seconds = (performance.now() - begun) / 1_000;
    expect(heard.length).to.be.at.most(Math.ceil(seconds * 2) + 1);
    expect(Math.max(...heard.map(({ envelope }) => envelope.sessions.length))).to.be.at.most(20);
  });

  it("reaches sockets of another server on the same database", async function () {
    if (!process.env["TEST_DATABASE_URL"]) return this.skip();
    const tenant = await createOrganization();
    const other = await startServer();
    const { until } = await openSocket(other.url, { token: tenant.apiKey, sessions: true });
    const id = randomUUID();
    await capture(tenant, [event(id)]);
    const [heard] = await until((all) => all.length > 0);
    expect(heard?.envelope.sessions[0].id).to.equal(id);
  });
});
