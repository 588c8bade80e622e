import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { runCommand } from "../server/admin/commands.ts";
import { countMarked } from "../server/jobs/counts/counts.ts";
import { sumGroups } from "../server/jobs/counts/groups.ts";
import { countIssues } from "../server/jobs/counts/issues.ts";
import { repairDerived } from "../server/jobs/derived/repair.ts";
import { linkMentions } from "../server/jobs/mentions/mentions.ts";
import type { Runtime } from "../server/runtime.ts";
import { connect } from "./support/oauth.ts";
import { call, sendGraphQL, sharedServer } from "./support/server.ts";
import { freshWorkspace, type Workspace } from "./support/workspace.ts";

/** Jobs that write rows of organizations. */
const JOBS: readonly ((runtime: Runtime) => Promise<unknown>)[] = [
  countIssues,
  repairDerived,
  ({ db }) => linkMentions(db),
  ({ db }) => countMarked(db),
  sumGroups,
];

/** Rows that hold an organization's id, by table and column, wherever a column could. */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  const { runtime } = await sharedServer();
  const columns = await runtime.db.query<{ table: string; column: string }>({
    text: `select c.relname as "table", a.attname as "column" from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      join pg_type t on t.oid = a.atttypid and t.typname = 'uuid' where a.attnum > 0 and not a.attisdropped`,
  });
  const counts: Record<string, number> = {};
  for (const { table, column } of columns) {
    const text = `select count(*)::int as count from "${table}" where "${column}" = $1`;
    const [row] = await runtime.db.query<{ count: number }>({ text, values: [organizationId] });
    if (row && row.count > 0) counts[`${table}.${column}`] = row.count;
  }
  return counts;
}

/** An organization with rows that refer to each other, a webhook, and something recorded. */
async function filled(): Promise<Workspace> {
  const space = await freshWorkspace();
  const { id } = await space.issue();
  await space.issue({ parentId: id });
  const comment = (await space.does("commentCreate", { input: { issueId: id, body: "one" } }, "comment { id }"))
    .comment;
  await space.does("commentCreate", { input: { parentId: comment.id, body: "two" } });
  await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: [] } });
  await space.does("projectCreate", { input: { name: "P", teamIds: ["ENG"] } });
  const event = { event_id: uuidv7(), session_id: uuidv7(), primitive_name: "agent", args: "", result: "" };
  const headers = { "x-api-key": space.ingestKey };
  await call(space.url, "POST", "/api/v1/capture-event", { body: event, headers });
  await connect(space);
  return space;
}

describe("deleting an organization", () => {
  it("leaves no row of it in any table, shuts its keys out, and touches no other organization", async () => {
    const { runtime } = await sharedServer();
    const [space, other] = [await filled(), await filled()];
    // Jobs roll up, count and scan what was recorded, and count issues, at any moment.
    const lasting = (rows: Record<string, unknown>) =>
      Object.entries(rows).filter(([name]) => !/^(recorded_(?!event|session)|issueCount)/.test(name));
    const before = lasting(await rowsOf(other.organizationId));
    expect(Object.keys(await rowsOf(space.organizationId)).length).to.be.greaterThan(15);
    const told = await runCommand(runtime.db, ["delete-organization", space.urlKey, space.urlKey]);
    expect(told).to.match(new RegExp(`issue: 2\n[^]*${space.urlKey} is deleted`));
    expect(await rowsOf(space.organizationId)).to.deep.equal({});
    expect(lasting(await rowsOf(other.organizationId))).to.deep.equal(before);
    expect((await sendGraphQL(space.url, space.apiKey, { query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("leaves nothing of what jobs write and requests under way bring meanwhile", async () => {
    const { runtime } = await sharedServer();
    for (let times = 0; times < 4; times += 1) {
      const space = await filled();
      const deletion = { ended: false };
      const deleted = runCommand(runtime.db, ["delete-organization", space.urlKey, space.urlKey]).finally(() => {
        deletion.ended = true;
      });
      while (!deletion.ended) for (const job of JOBS) await job(runtime).catch(() => {});
      expect(await deleted).to.match(/ is deleted$/);
      expect(await rowsOf(space.organizationId)).to.deep.equal({});
    }
  });

  it("asks for the name twice, and says so when there is none of that name", async () => {
    const { runtime } = await sharedServer();
    const { urlKey } = await filled();
    const refusal = async (...args: string[]) =>
      runCommand(runtime.db, ["delete-organization", ...args]).then(String, (error: Error) => error.message);
    expect(await refusal(urlKey)).to.contain(`to do so: delete-organization ${urlKey} ${urlKey}`);
    expect(await refusal("nobody", "nobody")).to.equal("there is no organization nobody");
  });
});
