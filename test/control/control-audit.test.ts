import { expect } from "chai";
import { flushRecordedReadAudits } from "../../server/accounts/recorded-reads.ts";
import { newId } from "../../server/id.ts";
import { inviteGuest } from "../support/members.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, createOrganization, sendGraphQL, startSharedServer, type Tenant } from "../support/server.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { registerWebhook, waitForDeliveries } from "../support/stream/webhooks.ts";
import { createWorld } from "../support/web/web-world.ts";

interface Entry {
  id: string;
  event: string;
  userId: string | null;
  name: string | null;
  detail: Record<string, unknown>;
  createdAt: string;
}

describe("GET /api/audit", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });
  const read = async (query = "", of = tenant) => {
    const { status, body } = await of.rest("GET", `/api/audit${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as unknown as { entries: Entry[]; next_cursor?: string };
  };

  it("returns who created and deleted a key, newest first, and never the key", async () => {
    const made = await tenant.rest("POST", "/api/ingest-keys", { name: "prod <b>" });
    await tenant.rest("DELETE", `/api/ingest-keys/${made.body["id"]}`);
    const { entries } = await read();
    expect(entries.slice(0, 2).map(({ event }) => event)).to.deep.equal(["ingestKey.deleted", "ingestKey.created"]);
    expect(entries[1]).to.deep.include({ name: entries[0]?.name, detail: { id: made.body["id"], name: "prod <b>" } });
    expect(entries[0]?.userId).to.match(/^[0-9a-f-]{36}$/);
    expect(entries[0]?.name).to.be.a("string").and.not.equal("");
    expect(JSON.stringify(entries)).not.to.contain(made.body["key"]);
  });

  it("returns reads of recordings by people, one entry per person, session and hour, and none by agents", async () => {
    const own = await createOrganization();
    const { runtime } = await startSharedServer();
    const events = [createEvent({ session_id: newId() }), createEvent({ session_id: newId() })];
    const headers = { "x-api-key": own.ingestKey };
    expect(
      (await callRestApi(own.url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status,
    ).to.equal(202);
    const [one, other] = events as { session_id: string; event_id: string }[];
    const session = (id = "") => `recordedSession(id: "${id}") { id }`;
    const queries = [
      `{ a: ${session(one?.session_id)} b: ${session(one?.session_id)} }`,
      `{ ${session(one?.session_id)} }`,
      `{ recordedEvent(id: "${other?.event_id}") { args } recordedSessions { nodes { id } } }`,
      `{ ${session(newId())} }`,
      "{ recordedToolStats { tools { name } } viewer { id } }",
    ];
    for (const query of queries) await own.graphql(query);
    await sendGraphQL(own.url, `Bearer ${own.accessToken}`, { query: queries[1] ?? "" });
    const agent = await own.rest("POST", "/api/agents", { name: "robot" });
    await sendGraphQL(own.url, String(agent.body["token"]), { query: queries[2] ?? "" });
    await flushRecordedReadAudits(runtime.db);
    await own.graphql(queries[0] ?? "");
    await flushRecordedReadAudits(runtime.db);
    const { entries } = await read("?event=recording", own);
    const reads = entries.map(({ detail, name }) => `${detail["sessionId"] ?? detail["list"]} ${name}`);
    const expected = [one?.session_id, other?.session_id, "recordedSessions"].map((what) => `${what} ${own.name}`);
    expect([...new Set(reads)]).to.have.members(expected);
    // The test may run past the end of an hour.
    const hours = new Set(entries.map(({ createdAt }) => createdAt)).size;
    expect(entries.length).to.be.at.most(expected.length * hours);
  });

  it("is filtered by entity, event, user and time", async () => {
    const member = await inviteGuest(tenant);
    await member.rest("POST", "/api/api-keys", { label: "hers" });
    const { entries } = await read("?event=apiKey.created");
    expect(new Set(entries.map(({ event }) => event))).to.deep.equal(new Set(["apiKey.created"]));
    const nouns = (await read("?event=ingestKey")).entries.map(({ event }) => event);
    expect(nouns).to.include.members(["ingestKey.created", "ingestKey.deleted"]);
    expect(nouns.every((event) => event.startsWith("ingestKey."))).to.equal(true);
    const hers = await read(`?userId=${member.id}&event=apiKey`);
    expect(hers.entries).to.have.length(1);
    expect(hers.entries[0]).to.deep.include({ userId: member.id, name: "Mona Member" });
    const at = hers.entries[0]?.createdAt ?? "";
    const after = new Date(Date.parse(at) + 1).toISOString();
    const times = async (query: string) => (await read(query)).entries.some(({ id }) => id === hers.entries[0]?.id);
    expect([
      await times(`?from=${at}`),
      await times(`?to=${after}`),
      await times(`?from=${after}`),
      await times(`?to=${at}`),
    ]).to.deep.equal([true, true, false, false]);
  });

  it("returns each entry once, in order, page by page", async () => {
    const whole = (await read("?limit=250")).entries.map(({ id }) => id);
    const ids: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: { entries: Entry[]; next_cursor?: string } = await read(`?limit=2${cursor && `&cursor=${cursor}`}`);
      ids.push(...page.entries.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(ids).to.deep.equal(whole);
    expect(ids).to.deep.equal([...ids].sort().reverse());
  });

  it("is only for owners, for their own organization", async () => {
    const [other, member] = [await createOrganization(), await inviteGuest(tenant)];
    await other.rest("POST", "/api/ingest-keys", { name: "not yours" });
    expect(JSON.stringify(await read("?limit=250"))).not.to.contain("not yours");
    expect((await member.rest("GET", "/api/audit")).status).to.equal(403);
  });

  it("refuses an invalid cursor, event, limit or time, and an unknown parameter", async () => {
    const replies = ["cursor=!!", "event='%20or%201=1", "event=a.b.c", "limit=251", "from=yesterday", "who=me"].map(
      (query) => tenant.rest("GET", `/api/audit?${query}`),
    );
    expect((await Promise.all(replies)).map(({ status }) => status)).to.deep.equal([400, 400, 400, 400, 400, 400]);
  });
});

describe("GET /api/webhooks/:id/deliveries/:deliveryId", () => {
  after(closeReceivers);

  it("returns the payload that the receiver got, and nothing to others", async () => {
    const [tenant, other] = [await createOrganization(), await createOrganization()];
    const heard = await startReceiver();
    const webhook = await registerWebhook(tenant, heard);
    await createWorld(tenant);
    const [newest] = await waitForDeliveries(tenant, webhook, (all) =>
      all.every(({ status }) => status === "delivered"),
    );
    const path = `/api/webhooks/${webhook.id}/deliveries/${newest?.id}`;
    const { status, body } = await tenant.rest("GET", path);
    const got = heard.received.find(({ headers }) => headers["tracker-delivery"] === newest?.id);
    const { webhookTimestamp, ...sent } = JSON.parse(String(got?.raw)) as Record<string, unknown>;
    expect(webhookTimestamp).to.be.a("number");
    expect([status, body["payload"]]).to.deep.equal([200, sent]);
    expect(body).to.deep.include({ id: newest?.id, status: "delivered", attempts: newest?.attempts });
    expect((await other.rest("GET", path)).status).to.equal(404);
    expect((await tenant.rest("GET", path.replace(/[^/]+$/, webhook.id))).status).to.equal(404);
  });
});
