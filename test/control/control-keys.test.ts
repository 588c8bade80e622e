import { expect } from "chai";
import { flushLastUsed } from "../../server/auth/last-used.ts";
import { createOrganization, sendGraphQL, startSharedServer } from "../support/server.ts";

const viewer = { query: "{ viewer { id } }" };

describe("personal and ingest keys", () => {
  it("are shown once, in their format, and never in a list", async () => {
    const { rest } = await createOrganization();
    const personal = await rest("POST", "/api/api-keys", { label: "laptop" });
    const ingest = await rest("POST", "/api/ingest-keys", { name: "prod" });
    expect(personal.body["token"]).to.match(/^trk_api_[0-9a-f]{40}$/);
    expect(ingest.body["key"]).to.match(/^sk_[0-9a-f]{64}$/);
    const lists = [await rest("GET", "/api/api-keys"), await rest("GET", "/api/ingest-keys")];
    expect(JSON.stringify(lists)).not.to.contain(personal.body["token"]).and.not.to.contain(ingest.body["key"]);
  });

  it("are listed newest first, recognizable by their last characters", async () => {
    const { rest } = await createOrganization();
    const made = await rest("POST", "/api/ingest-keys", { name: "prod" });
    const { body } = await rest("GET", "/api/ingest-keys");
    const [newest] = body["ingestKeys"] as Record<string, unknown>[];
    const key = String(made.body["key"]);
    expect(newest).to.include({ name: "prod", prefix: key.slice(0, 7), last4: key.slice(-4), lastUsedAt: null });
  });

  it("work until deleted, and are refused at the next request", async () => {
    const { url, rest } = await createOrganization();
    const { body } = await rest("POST", "/api/api-keys", { label: "laptop" });
    const token = String(body["token"]);
    expect((await sendGraphQL(url, token, viewer)).status).to.equal(200);
    await rest("DELETE", `/api/api-keys/${body["id"]}`);
    expect((await sendGraphQL(url, token, viewer)).status).to.equal(401);
  });

  it("are not found by another organization", async () => {
    const [one, other] = await Promise.all([createOrganization(), createOrganization()]);
    const made = await one.rest("POST", "/api/ingest-keys", { name: "prod" });
    const reply = await other.rest("DELETE", `/api/ingest-keys/${made.body["id"]}`);
    expect([reply.status, reply.body["code"]]).to.deep.equal([404, "not_found"]);
  });

  it("get 404 for an id that is no UUID", async () => {
    const { rest } = await createOrganization();
    expect((await rest("DELETE", "/api/api-keys/1%20or%201=1")).status).to.equal(404);
  });

  it("report when they were last used", async () => {
    const { url, rest, apiKey } = await createOrganization();
    await sendGraphQL(url, apiKey, viewer);
    await flushLastUsed((await startSharedServer()).runtime.db);
    const { body } = await rest("GET", "/api/api-keys");
    const [key] = body["apiKeys"] as { createdAt: string; lastUsedAt: string }[];
    expect(Date.parse(String(key?.lastUsedAt))).to.be.at.least(Date.parse(String(key?.createdAt)));
  });

  it("expire at their expiresAt, and stay in the list", async () => {
    const { rest, url } = await createOrganization();
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const { body, status } = await rest("POST", "/api/api-keys", { label: "short", expiresAt });
    expect([status, body["expiresAt"]]).to.deep.equal([201, expiresAt]);
    const ask = async () => (await sendGraphQL(url, String(body["token"]), { query: "{ viewer { id } }" })).status;
    expect(await ask()).to.equal(200);
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect(await ask()).to.equal(401);
    const { apiKeys } = (await rest("GET", "/api/api-keys")).body as { apiKeys: { expiresAt: string }[] };
    expect(apiKeys[0]?.expiresAt).to.equal(expiresAt);
    const past = { label: "past", expiresAt: new Date(0).toISOString() };
    expect((await rest("POST", "/api/api-keys", past)).status).to.equal(400);
  });

  it("cause no query if their checksum is wrong", async () => {
    const { url, apiKey } = await createOrganization();
    const { db } = (await startSharedServer()).runtime;
    const asked: unknown[] = [];
    const { query } = db;
    db.query = ((statement: { name?: string }, ...rest: []) => {
      asked.push(statement.name);
      return query(statement as never, ...rest);
    }) as typeof query;
    const wrong = apiKey.slice(0, -1) + (apiKey.endsWith("0") ? "1" : "0");
    const { status } = await sendGraphQL(url, wrong, viewer);
    db.query = query;
    expect([status, asked.includes("principal-by-key")]).to.deep.equal([401, false]);
  });
});
