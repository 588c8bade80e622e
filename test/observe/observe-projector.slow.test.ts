import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { requestRefold } from "../../server/admin/refold.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { postHook, readHookFixture, readSession, toEventTree } from "../support/recording/observed-sessions.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

const RUN = ["02-user-prompt-submit", "04-pre-tool-use", "05-pre-tool-use-second", "06-post-tool-use"]
  .concat("07-post-tool-use-failure", "08-post-tool-batch", "09-stop")
  .map((name) => `claude/${name}`);

/** Posts all hooks of a turn concurrently, in a new session. */
function turnOf(tenant: Pick<Tenant, "url" | "ingestKey">, session_id: string): Promise<number[]> {
  const prompt_id = randomUUID();
  const posted = RUN.map((path) =>
    postHook(tenant, "claude-code", { ...readHookFixture(path), session_id, prompt_id }),
  );
  return Promise.all(posted.map(async (reply) => (await reply).status));
}

describe("observations that the stopped server had not folded", () => {
  it("become the same events, once, after the next start", async () => {
    const shown = await createOrganization();
    const one = randomUUID();
    await turnOf(shown, one);
    const expected = toEventTree(await readSession(shown, one));
    const database = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const directory = mkdtempSync(join(tmpdir(), "trackway-fold-"));
    copyEmptyDatabase(directory);
    const place = database ? { DATABASE_URL: database.url, JWT_SECRET: "s".repeat(40) } : { DATA_DIR: directory };
    const sessions: string[] = [];
    let keys: { ingestKey: string; token: string } | undefined;
    for (let kill = 0; kill < 3; kill += 1) {
      const server = spawnServer(place);
      const [, url = ""] = await server.printed(LISTENING_LINE);
      keys ??= await keysOf(url);
      const own = Array.from({ length: 8 }, () => randomUUID());
      sessions.push(...own);
      const { ingestKey } = keys;
      const statuses = await Promise.all(own.map((session) => turnOf({ url, ingestKey }, session)));
      expect(new Set(statuses.flat())).to.deep.equal(new Set([204]));
      await server.stop("SIGKILL");
    }
    const last = spawnServer(place);
    const [, url = ""] = await last.printed(LISTENING_LINE);
    const token = keys?.token ?? "";
    const gql = async (query: string, variables?: object) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const response = await fetch(`${url}/graphql`, {
        method: "POST",
        headers,
        body: JSON.stringify({ query, variables }),
      });
      const { data } = (await response.json()) as { data: any };
      return data;
    };
    for (const session of sessions) {
      const tree = toEventTree(await readSession({ gql } as unknown as Tenant, session));
      expect(tree).to.deep.equal(expected);
    }
    await last.stop();
    await database?.drop();
    rmSync(directory, { recursive: true, force: true });
  });
});

/** Signs up and creates an ingest key. */
async function keysOf(url: string): Promise<{ ingestKey: string; token: string }> {
  const post = async (path: string, body: object, token?: string) => {
    const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const account = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: "Ada" };
  const { accessToken } = await post("/api/auth/signup", account);
  const { accessToken: token = "" } = await post(
    "/api/organization",
    { name: "Fold", urlKey: `fold-${randomUUID().slice(0, 8)}` },
    accessToken,
  );
  const { key: ingestKey = "" } = await post("/api/ingest-keys", { name: "fold" }, token);
  return { ingestKey, token };
}

describe("refold", () => {
  it("keeps correct events with their ids, and repairs lost or wrong events", async () => {
    const [tenant, session, begun] = [await createOrganization(), randomUUID(), new Date().toISOString()];
    const { db } = (await startSharedServer()).runtime;
    await turnOf(tenant, session);
    const before = await readSession(tenant, session);
    await requestRefold(db, [session]);
    expect(await readSession(tenant, session)).to.deep.equal(before);
    const spoil = async (text: string) => db.query({ text, values: [tenant.organizationId] });
    await spoil(
      "update recorded_event set result = 'wrong', digest = null where organization_id = $1 and kind = 'tool'",
    );
    expect(toEventTree(await readSession(tenant, session))).to.not.deep.equal(toEventTree(before));
    await requestRefold(db, ["--source", "codex", "--since", begun]);
    await requestRefold(db, ["--source", "claude-code", "--since", new Date(Date.now() + 60_000).toISOString()]);
    expect(toEventTree(await readSession(tenant, session))).to.not.deep.equal(toEventTree(before));
    await requestRefold(db, ["--source", "claude-code", "--since", begun]);
    expect(toEventTree(await readSession(tenant, session))).to.deep.equal(toEventTree(before));
  });

  it("needs a source with a start time, or one session", async () => {
    const { db } = (await startSharedServer()).runtime;
    const failed = (args: string[]) =>
      requestRefold(db, args).then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await failed([])).to.contain("--source");
    expect(await failed(["--source", "codex"])).to.contain("--since");
    expect(await failed([randomUUID()])).to.contain("recorded session");
    expect(await requestRefold(db, ["--source", randomUUID(), "--since", "2026-01-01"])).to.contain("of 0 sessions");
  });
});
