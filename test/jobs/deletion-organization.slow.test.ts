import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import type { Database } from "../../db/open.ts";
import { runCommand } from "../../server/admin/commands.ts";
import { deleteOrganizationByKey } from "../../server/admin/deletion/deletion.ts";
import type { App } from "../../server/app.ts";
import { routes } from "../../server/control/routes.ts";
import { deleteOrganization, removeDeletedOrganizations } from "../../server/jobs/deletion.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { startOwnServer } from "../support/own-server.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { closeSockets, expectSocketRefusal } from "../support/stream/realtime.ts";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

/** A separate server, because every job processes all organizations of its database. */
let app: App;
let end: () => Promise<void>;

/**
 * Counts rows that contain the organization's id, by table and column, in every uuid column. The tombstone is not
 * counted.
 */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  const { db } = app.runtime;
  const columns = await db.query<{ table: string; column: string }>({
    text: `select c.relname as "table", a.attname as "column" from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      join pg_type t on t.oid = a.atttypid and t.typname = 'uuid'
      where a.attnum > 0 and not a.attisdropped and c.relname <> 'deletedOrganization'`,
  });
  const counts: Record<string, number> = {};
  for (const { table, column } of columns) {
    const text = `select count(*)::int as count from "${table}" where "${column}" = $1`;
    const [row] = await db.query<{ count: number }>({ text, values: [organizationId] });
    if (row && row.count > 0) counts[`${table}.${column}`] = row.count;
  }
  return counts;
}

/** Creates an organization with linked rows, a webhook, recorded data, and credentials of every kind. */
async function filled(): Promise<Workspace & { oauth: string; agent: string }> {
  const space = await createWorkspaceIn(await createOrganization(app));
  const { id } = await space.issue();
  await space.issue({ parentId: id });
  const comment = (await space.does("commentCreate", { input: { issueId: id, body: "one" } }, "comment { id }"))
    .comment;
  await space.does("commentCreate", { input: { parentId: comment.id, body: "two" } });
  await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: [] } });
  await space.does("projectCreate", { input: { name: "P", teamIds: ["ENG"] } });
  const event = { event_id: uuidv7(), session_id: uuidv7(), primitive_name: "agent", args: "", result: "" };
  const headers = { "x-api-key": space.ingestKey };
  await callRestApi(space.url, "POST", "/api/v1/capture-event", { body: event, headers });
  const { access_token } = await connectOauthApp(space);
  return { ...space, oauth: access_token, agent: (await createAgent(space)).token };
}

const HOUR_MS = 60 * 60 * 1000;
/** Runs the removal of deleted organizations as a server does, more than an hour after the deletion. */
async function later(): Promise<void> {
  for (let times = 0; times < 2; times += 1) await removeDeletedOrganizations(app.runtime.db, Date.now() + 2 * HOUR_MS);
}

type Space = Awaited<ReturnType<typeof filled>>;
type Answer = [status: number, code: unknown];

const answerOf = async (url: string, init: RequestInit): Promise<Answer> => {
  const response = await fetch(url, init);
  const body: any = await response.json().catch(() => ({}));
  return [response.status, body.errors?.[0]?.extensions?.code ?? body.error?.code ?? body.code ?? body.error ?? null];
};

const json = (headers: Record<string, string>, body: unknown): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** Returns a request to every interface that accepts a credential of an organization, by name. */
function interfaces(space: Space): Record<string, () => Promise<Answer>> {
  const { url, urlKey, apiKey, accessToken, refreshToken, ingestKey, oauth, agent, email, password } = space;
  const all: Record<string, () => Promise<Answer>> = {};
  for (const [name, token] of Object.entries({ apiKey, accessToken, oauth, agent })) {
    const headers = { Authorization: `Bearer ${token}` };
    for (const query of [
      "{ viewer { id } }",
      "{ issues { nodes { id } } }",
      "{ recordedSessions { nodes { id } } }",
      'mutation { teamCreate(input: { name: "N", key: "NEW" }) { success } }',
    ])
      all[`graphql ${query} ${name}`] = () => answerOf(`${url}/graphql`, json(headers, { query }));
    all[`realtime ${name}`] = async () => {
      const { message, data } = await expectSocketRefusal(url, { token });
      return [0, [message, data?.["code"]]];
    };
    // Routes that sign out are skipped, because a revoked login would cause all later refusals.
    for (const { method, path } of routes.filter((route) => !/logout|health/.test(route.path)))
      all[`${method} ${path} ${name}`] = () =>
        answerOf(
          url + path.replace(/:\w+/g, "00000000-0000-4000-8000-000000000000"),
          method === "get" ? { headers } : { ...json(headers, {}), method: method.toUpperCase() },
        );
  }
  for (const key of [ingestKey, oauth]) {
    const [headers, which] = [
      key === ingestKey ? { "x-api-key": key } : { Authorization: `Bearer ${key}` },
      key === oauth,
    ];
    const event = { event_id: uuidv7(), session_id: uuidv7(), primitive_name: "agent", args: "", result: "" };
    const bodies = {
      "capture-event": event,
      "capture-events": { events: [event] },
      "capture-session": { session_id: uuidv7() },
    };
    for (const [path, body] of Object.entries(bodies))
      all[`${path} ${which}`] = () => answerOf(`${url}/api/v1/${path}`, json(headers, body));
    const bearer = { ...headers, Authorization: `Bearer ${key}` };
    all[`hooks ${which}`] = () =>
      answerOf(
        `${url}/api/v1/hooks/claude-code`,
        json(bearer, { session_id: uuidv7(), hook_event_name: "SessionStart" }),
      );
    all[`otlp ${which}`] = () => answerOf(`${url}/v1/traces`, json(bearer, { resourceSpans: [] }));
  }
  const sent = (path: string, body: object) => () => answerOf(url + path, json({}, body));
  all["login to it"] = sent("/api/auth/login", { email, password, organization: urlKey });
  all["switch to it"] = () =>
    answerOf(
      `${url}/api/auth/switch`,
      json({ Authorization: `Bearer ${accessToken}` }, { organization: urlKey, refreshToken }),
    );
  for (const args of [
    ["create-key", email, urlKey],
    ["create-ingest-key", urlKey],
    ["delete-organization", urlKey, urlKey],
  ])
    all[args.join(" ")] = async () => {
      const said = await runCommand(app.runtime, args).then(String, (error: Error) => error.message);
      return [0, said.replaceAll(urlKey, "NAME").replaceAll(email, "EMAIL")];
    };
  return all;
}

describe("deleting an organization", () => {
  before(async () => {
    ({ app, end } = await startOwnServer());
  });
  after(async () => {
    closeSockets();
    await end();
  });
  const remove = ({ urlKey }: Workspace) => runCommand(app.runtime, ["delete-organization", urlKey, urlKey]);
  // Ignores derived rows, because jobs may change counts and totals at any time.
  const lasting = (rows: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(rows).filter(([name]) => !/^(recorded_(?!event|session)|issueCount)/.test(name)));

  it("removes its rows from every table, frees its name, and affects no other organization", async () => {
    const [space, other] = [await filled(), await filled()];
    const before = lasting(await rowsOf(other.organizationId));
    expect(Object.keys(await rowsOf(space.organizationId)).length).to.be.greaterThan(15);
    expect(await remove(space)).to.match(new RegExp(`issue: 2\n[^]*${space.urlKey} is deleted`));
    expect(await rowsOf(space.organizationId)).to.deep.equal({ "organization.id": 1 });
    expect(await runCommand(app.runtime, ["list", "organizations"])).not.to.contain(space.organizationId);
    await later();
    expect(await rowsOf(space.organizationId)).to.deep.equal({});
    expect(lasting(await rowsOf(other.organizationId))).to.deep.equal(before);
    const again = await other.rest("POST", "/api/organization", { name: "Again", urlKey: space.urlKey });
    expect(again.status).to.equal(201);
  });

  for (const slices of [0, 3, 25])
    it(`is resumed by a server after an interruption, after ${slices} slices`, async () => {
      const space = await filled();
      const { db } = app.runtime;
      let left = slices;
      const query: Database["query"] = async (statement) => {
        if (/^delete/i.test(statement.text) && left-- === 0) throw new Error("killed");
        return db.query(statement);
      };
      const cut = await deleteOrganizationByKey({ ...db, query }, space.urlKey, { repeated: space.urlKey }).catch(
        String,
      );
      expect(cut).to.equal("Error: killed");
      expect(Object.keys(await rowsOf(space.organizationId)).length).to.be.greaterThan(1);
      await Promise.all([removeDeletedOrganizations(db), removeDeletedOrganizations(db).catch(() => {})]);
      expect(await rowsOf(space.organizationId)).to.deep.equal({ "organization.id": 1 });
      await later();
      expect(await rowsOf(space.organizationId)).to.deep.equal({});
    });

  it("removes rows that jobs and requests in flight write meanwhile", async () => {
    const { runtime } = app;
    for (let times = 0; times < 2; times += 1) {
      const space = await filled();
      const deletion = { ended: false };
      const deleted = remove(space).finally(() => {
        deletion.ended = true;
      });
      while (!deletion.ended) for (const { work } of Object.values(JOBS)) await work(runtime).catch(() => {});
      expect(await deleted).to.match(/ is deleted$/);
      await later();
      expect(await rowsOf(space.organizationId)).to.deep.equal({});
    }
  });

  it("makes every interface respond as if it did not exist from the first moment, and jobs skip it", async () => {
    const [deleted, gone] = [await filled(), await filled()];
    const { db } = app.runtime;
    await deleteOrganization(db, gone.organizationId, gone.urlKey);
    await later();
    expect(await rowsOf(gone.organizationId)).to.deep.equal({});
    await deleteOrganization(db, deleted.organizationId, deleted.urlKey);
    const before = await rowsOf(deleted.organizationId);
    expect(Object.keys(before).length).to.be.greaterThan(15);
    const expected = interfaces(gone);
    for (const [name, ask] of Object.entries(interfaces(deleted))) {
      const other = name.replaceAll(deleted.urlKey, gone.urlKey).replaceAll(deleted.email, gone.email);
      const answer = await ask();
      expect(answer, name).to.deep.equal(await expected[other]?.());
      expect(answer[0], `${name} ${answer}`).not.to.be.within(500, 599);
      if (/graphql|realtime|capture|hooks|otlp/.test(name))
        expect(answer[0], `${name} ${answer}`).not.to.be.within(200, 299);
    }
    for (const [name, { work }] of Object.entries(JOBS)) {
      if (name === "deleted organizations") continue;
      await work(app.runtime);
      expect(await rowsOf(deleted.organizationId), name).to.deep.equal(before);
    }
    await maintainLeases(app.runtime);
    expect(await rowsOf(deleted.organizationId)).to.deep.equal(before);
  });

  it("asks for the name twice, and reports an unknown name", async () => {
    const { urlKey } = await filled();
    const refusal = async (...args: string[]) =>
      runCommand(app.runtime, ["delete-organization", ...args]).then(String, (error: Error) => error.message);
    expect(await refusal(urlKey)).to.contain(`to confirm: delete-organization ${urlKey} ${urlKey}`);
    expect(await refusal("nobody", "nobody")).to.equal("there is no organization nobody");
  });
});
