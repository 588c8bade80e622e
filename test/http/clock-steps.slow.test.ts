import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../formats/time.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { callRestApi, createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";
import { closeReceivers, startReceiver, type WebhookReceiver } from "../support/stream/receiver.ts";
import { registerWebhook } from "../support/stream/webhooks.ts";
import { type TestAgent, toTestAgent } from "../support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const STEPS = [2 * HOUR_MS, -2 * HOUR_MS, DAY_MS, -DAY_MS];
const isPostgres = Boolean(process.env["TEST_DATABASE_URL"]);

describe("a server whose clock is set by hours", () => {
  let [folder, file] = ["", ""];
  let [server, database]: [ServerProcess?, Awaited<ReturnType<typeof createDatabase>>?] = [];
  let [url, clock] = ["", { set: 0, passed: 0 }];
  let [tenant, space, agent, receiver]: [Tenant?, Workspace?, TestAgent?, WebhookReceiver?] = [];
  const all = () => ({ tenant: tenant as Tenant, space: space as Workspace, agent: agent as TestAgent });

  /** Sets the wall clock (`set`), or lets time pass (`passed`). */
  async function move(by: Partial<typeof clock>): Promise<void> {
    clock = { set: clock.set + (by.set ?? 0), passed: clock.passed + (by.passed ?? 0) };
    writeFileSync(`${file}.new`, JSON.stringify(clock));
    renameSync(`${file}.new`, file);
    await sleep(200);
  }

  // Each test has a new server whose clock has not been set before.
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "trackway-clock-"));
    file = join(folder, "clock.json");
    clock = { set: 0, passed: 0 };
    await move({});
    database = isPostgres ? await createDatabase() : undefined;
    const own = database ? { DATABASE_URL: database.url } : { DATA_DIR: join(folder, "data") };
    server = spawnServer({
      ...own,
      JWT_SECRET: "a secret of the tests, long enough to be one",
      NODE_OPTIONS: `--require ${resolve("test/support/run/clock.cjs")}`,
      CLOCK_FILE: file,
      WEBHOOK_ALLOW_PRIVATE: "on",
    });
    [, url = ""] = await server.printed(LISTENING_LINE);
    tenant = await createOrganization({ url });
    space = await createWorkspaceIn(tenant);
    const { body } = await tenant.rest("POST", "/api/agents", { name: "Robin" });
    agent = toTestAgent(url, { id: String(body["id"]), name: "Robin", token: String(body["token"]) });
    receiver = await startReceiver();
    await registerWebhook(tenant, receiver);
  });
  afterEach(async () => {
    closeReceivers();
    expect(await server?.stop(), server?.output()).to.equal(0);
    await database?.drop();
  });

  const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` });
  const post = (path: string, body: object, headers = {}) => callRestApi(url, "POST", path, { body, headers });
  const logIn = (password = all().tenant.password) => post("/api/auth/login", { email: all().tenant.email, password });
  const withKey = (query: string, key = all().tenant.apiKey) => sendGraphQL(url, key, { query });

  /** Returns the status of each kind of request, and the remaining budgets. */
  async function requests(refreshToken: string) {
    const { tenant: owner, space: own } = all();
    const read = await withKey("{ issues(first: 50) { nodes { title } } }");
    const left = (kind: string) => Number(read.headers.get(`X-RateLimit-${kind}-Remaining`));
    const limit = (kind: string) => Number(read.headers.get(`X-RateLimit-${kind}-Limit`));
    const kinds = ["Requests", "Complexity"];
    const refreshed = await post("/api/auth/refresh", { refreshToken });
    const [login, event] = [
      await logIn(),
      await post("/api/v1/capture-event", createEvent(), { "x-api-key": owner.ingestKey }),
    ];
    const listed = await callRestApi(url, "GET", "/api/api-keys", { headers: bearer(refreshed.body["accessToken"]) });
    const before = receiver?.received.length ?? 0;
    const title = `now ${before}`;
    const issue = await own.issue({ title });
    await receiver?.until((received) => received.some(({ raw }) => raw.includes(title)));
    const answers = {
      read: read.errors,
      budgets: kinds.map((kind) => left(kind) > limit(kind) / 2 && left(kind) <= limit(kind)),
      ...{ refreshed: refreshed.status, login: login.status, event: event.status, listed: listed.status },
      issue: typeof issue.id,
    };
    expect(answers).to.deep.equal({
      read: undefined,
      budgets: [true, true],
      ...{ refreshed: 200, login: 200, event: 200, listed: 200 },
      issue: "string",
    });
    return String(refreshed.body["refreshToken"]);
  }

  it("refuses no request that it would serve otherwise, after any steps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 4 }), async (steps) => {
        const { body } = await logIn();
        let token = await requests(String(body["refreshToken"]));
        for (const set of [...steps, -clock.set - steps.reduce((sum, step) => sum + step, 0)]) {
          await move({ set });
          token = await requests(token);
        }
      }),
      { numRuns: scaleRuns(10), examples: [[[-2 * HOUR_MS]], [[DAY_MS, -DAY_MS]]] },
    );
  });

  it("lets a guesser try again when the window has passed, and not before", async () => {
    for (const set of STEPS) {
      await move({ set: -clock.set, passed: 16 * MINUTE_MS });
      for (let n = 0; n < 10; n += 1) expect((await logIn("wrong")).status).to.equal(401);
      expect((await logIn("wrong")).status).to.equal(429);
      await move({ set: -Math.abs(set) });
      expect((await logIn("wrong")).status, "before").to.equal(429);
      await move({ passed: 16 * MINUTE_MS });
      expect((await logIn()).status, `set by ${set / HOUR_MS} h`).to.equal(200);
    }
  });

  it("never accepts an expired or used credential again", async () => {
    const { body } = await logIn();
    const old = { access: body["accessToken"], refresh: body["refreshToken"] };
    const expiresAt = new Date(Date.now() + clock.set + clock.passed + MINUTE_MS * 5).toISOString();
    const made = await post("/api/api-keys", { label: "short", expiresAt }, bearer(old.access));
    const key = String(made.body["token"]);
    expect((await post("/api/auth/refresh", { refreshToken: old.refresh })).status).to.equal(200);
    const answers = async () => [
      (await callRestApi(url, "GET", "/api/api-keys", { headers: bearer(old.access) })).status,
      (await withKey("{ viewer { id } }", key)).status,
    ];
    expect(await answers()).to.deep.equal([200, 200]);
    await move({ passed: 16 * MINUTE_MS });
    expect(await answers(), "expired").to.deep.equal([401, 401]);
    for (const set of [-2 * HOUR_MS, 2 * HOUR_MS, -DAY_MS, DAY_MS]) {
      await move({ set });
      expect(await answers(), `after a step of ${set / HOUR_MS} h`).to.deep.equal([401, 401]);
    }
    await move({ set: -2 * HOUR_MS });
    expect((await post("/api/auth/refresh", { refreshToken: old.refresh })).status, "used before").to.equal(401);
  });

  it("expires no key early because of a wrong step forward, during and after the step", async function () {
    // The embedded engine runs in the same process, so no second clock can distinguish a clock step from a computer
    // that slept.
    if (!isPostgres) this.skip();
    const { body } = await logIn();
    const expiresAt = new Date(Date.now() + MINUTE_MS * 5).toISOString();
    const made = await post("/api/api-keys", { label: "short", expiresAt }, bearer(body["accessToken"]));
    const status = async () => (await withKey("{ viewer { id } }", String(made.body["token"]))).status;
    expect(await status()).to.equal(200);
    for (const set of [2 * HOUR_MS, DAY_MS]) {
      await move({ set });
      expect(await status(), `after a step of ${set / HOUR_MS} h`).to.equal(200);
      await move({ set: -set });
      expect(await status(), "after it was undone").to.equal(200);
    }
    await move({ passed: 6 * MINUTE_MS });
    expect(await status(), "ended").to.equal(401);
  });

  it("keeps an agent's lease for as long as without the step", async function () {
    // PostgreSQL runs in a separate process, with a clock that this test cannot set.
    if (isPostgres) this.skip();
    const { agent: worker, space: own } = all();
    for (const set of STEPS) {
      const { id } = await own.issue({ title: "Held" });
      await worker.claim({ id, ttlSeconds: 1_800 });
      const holder = async () =>
        (await withKey(`{ issue(id: "${id}") { lease { holder { id } } } }`)).data?.issue.lease;
      await sleep(2_500);
      await move({ set });
      await sleep(4_500);
      expect((await holder())?.holder.id, `set by ${set / HOUR_MS} h: ${server?.output()}`).to.equal(worker.id);
      await move({ passed: 31 * MINUTE_MS });
      await sleep(4_500);
      expect(await holder(), `ended, set by ${set / HOUR_MS} h`).to.equal(null);
    }
  });
});
