import { expect } from "chai";
import { mintIngestKey, mintPersonalKey } from "../../server/auth/key.ts";
import { createEvent, createWriter, sendRaw, startAnotherServer } from "../support/recording/ingest.ts";
import { createOrganization, sendGraphQL, startSharedServer, type Tenant } from "../support/server.ts";

const capture = (url: string, key: string, body: unknown = createEvent(), path = "capture-event") =>
  sendRaw(`${url}/api/v1/${path}`, JSON.stringify(body), { "x-api-key": key });

async function deleteKey(tenant: Tenant): Promise<void> {
  const { body } = await tenant.rest("GET", "/api/ingest-keys");
  const [key] = body["ingestKeys"] as { id: string }[];
  expect((await tenant.rest("DELETE", `/api/ingest-keys/${key?.id}`)).status).to.equal(200);
}

describe("ingest keys", () => {
  it("get the same 401 if missing, malformed, unknown or of another kind", async () => {
    const { url, apiKey, accessToken } = await createOrganization();
    const good = mintIngestKey().key;
    const wrongChecksum = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
    const unfit = [
      "",
      "sk_",
      "sk_abc",
      good,
      wrongChecksum,
      good.toUpperCase(),
      mintPersonalKey().key,
      apiKey,
      accessToken,
    ];
    const replies = await Promise.all(unfit.map((key) => capture(url, key)));
    const bodies = new Set(replies.map(({ body }) => JSON.stringify({ ...body, request_id: "" })));
    expect(replies.map(({ status }) => status)).to.deep.equal(unfit.map(() => 401));
    expect(replies.map(({ headers }) => headers.get("www-authenticate"))).to.deep.equal(unfit.map(() => "ApiKey"));
    expect(bodies.size).to.equal(1);
  });

  it("are required on every endpoint", async () => {
    const { url } = await createWriter();
    for (const path of ["capture-session", "capture-event", "capture-events"]) {
      const { status, body } = await sendRaw(`${url}/api/v1/${path}`, "{}", {});
      expect([status, body["code"]]).to.deep.equal([401, "unauthorized"]);
    }
  });

  it("are accepted only in the x-api-key header", async () => {
    const { url, key } = await createWriter();
    const replies = await Promise.all([
      sendRaw(`${url}/api/v1/capture-event`, "{}", { Authorization: `Bearer ${key}` }),
      sendRaw(`${url}/api/v1/capture-event?x-api-key=${key}`, "{}", {}),
    ]);
    expect(replies.map(({ status }) => status)).to.deep.equal([401, 401]);
  });

  it("write only to the organization that owns them", async () => {
    const [one, two] = [await createWriter(), await createWriter()];
    const event = createEvent();
    await one.event(event);
    expect(await two.storedEvent(event.event_id)).to.equal(undefined);
    expect((await two.event({ ...event, args: "other words" })).status).to.equal(200);
  });

  it("cannot read", async () => {
    const { url, ingestKey } = await createOrganization();
    for (const authorization of [ingestKey, `Bearer ${ingestKey}`]) {
      expect((await sendGraphQL(url, authorization, { query: "{ viewer { id } }" })).status).to.equal(401);
    }
  });

  it("work immediately after their creation in the control plane", async () => {
    const { url, ingestKey } = await createOrganization();
    expect((await capture(url, ingestKey)).status).to.equal(200);
  });

  it("are refused by every request that begins after the response to their deletion", async () => {
    const tenant = await createOrganization();
    expect((await capture(tenant.url, tenant.ingestKey)).status).to.equal(200);
    await deleteKey(tenant);
    const batch = { events: [createEvent()] };
    const replies = [
      await capture(tenant.url, tenant.ingestKey),
      await capture(tenant.url, tenant.ingestKey, batch, "capture-events"),
    ];
    expect(replies.map(({ status }) => status)).to.deep.equal([401, 401]);
  });

  const afterDeletion = [
    ["an event", "capture-event", createEvent()],
    ["an empty batch", "capture-events", { events: [] }],
    ["a batch of bad rows", "capture-events", { events: [{}] }],
    ["a bad event", "capture-event", {}],
    ["no object", "capture-event", 3],
  ] as const;
  for (const [what, path, body] of afterDeletion) {
    it(`are refused after deletion on a server that caches them: ${what}`, async () => {
      const tenant = await createOrganization();
      const other = await startAnotherServer();
      expect((await capture(other.url, tenant.ingestKey)).status).to.equal(200);
      await deleteKey(tenant);
      expect((await capture(other.url, tenant.ingestKey, body, path)).status).to.equal(401);
      await other.close();
    });
  }

  it("that are malformed cost no query", async () => {
    const { runtime } = await startSharedServer();
    const other = await startAnotherServer(
      {},
      { db: { ...runtime.db, query: () => Promise.reject(new Error("asked")) } },
    );
    expect((await capture(other.url, "sk_0123")).status).to.equal(401);
    expect((await capture(other.url, mintIngestKey().key)).status).to.equal(500);
    await other.close();
  });
});
