import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { getNamedType, isInputObjectType } from "graphql";
import { type Database, openDatabase } from "../../db/open.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { HOLDER_TEXTS } from "../../server/resources/lease/holder-texts.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { setEarlierSql } from "../support/db/database.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { startOwnServer } from "../support/own-server.ts";
import { callRestApi, createOrganization, sendGraphQL } from "../support/server.ts";
import { createWorkspaceIn, performMutation, type Workspace } from "../support/workspace.ts";

interface Person {
  name: string;
  email: string;
  id: string;
  token: string;
}

/** Returns a name that JSON escapes and that contains special characters of regular expressions and replacements. */
const hostileName = () => `Mö "M" O'N (a|b) [c] \\1 $& ${randomUUID().slice(0, 8)}`;

async function joined({ url, rest }: Workspace): Promise<Person> {
  const [name, email] = [hostileName(), `mona.m+x-${randomUUID()}@example.com`];
  const { body } = await rest("POST", "/api/invitations", { email });
  const accepted = { token: body["token"], name, password: `password ${randomUUID()}` };
  const reply = await callRestApi(url, "POST", "/api/invitations/accept", { body: accepted });
  const { id } = reply.body["user"] as { id: string };
  return { name, email, id, token: `Bearer ${reply.body["accessToken"]}` };
}

/** Lists the tables of a database that contain a name or an address, in any spelling of JSON. */
async function tablesOf({ name, email }: Person, db: Database): Promise<string[]> {
  const text = `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const table of await db.query<{ name: string }>({ text })) {
    const [row] = await db.as("upkeep", () =>
      db.query<{ there: boolean }>({
        text: `select exists (select from "${table.name}" r where strpos(to_jsonb(r)::text, $1) > 0 or strpos(lower(to_jsonb(r)::text), $2) > 0) as there`,
        values: [JSON.stringify(name).slice(1, -1), email],
      }),
    );
    if (row?.there) found.push(table.name);
  }
  return found.sort();
}

/** Makes Trackway write the name of a person in text and settings, in every way that exists. */
async function plantWritten(app: App, space: Workspace, elsewhere: Workspace, person: Person): Promise<void> {
  const { name, email } = person;
  const { db } = app.runtime;
  const issue = await space.issue();
  const claim = "mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { success } }";
  const claimed = await sendGraphQL(space.url, person.token, { query: claim, variables: { input: { id: issue.id } } });
  expect(claimed.errors).to.equal(undefined);
  const past = setEarlierSql(["grantedAt", "renewedAt", "expiresAt", "checkAt"], "interval '2 hours'");
  await db.query({ text: `update "issueLease" set ${past} where id = $1`, values: [issue.id] });
  await maintainLeases(app.runtime);
  const { comments } = (await space.gql(`{ issue(id: "${issue.id}") { comments { nodes { body } } } }`)).issue;
  expect(comments.nodes[0].body).to.contain(HOLDER_TEXTS.held(name)).and.to.contain(HOLDER_TEXTS.silent(name));
  // The other texts that 0.2.0 also wrote, with their entries in the change log.
  for (const phrase of [HOLDER_TEXTS.keyEnded, HOLDER_TEXTS.limited]) {
    const body = `${issue.identifier} tells: ${phrase(name)} And more.`;
    const { comment } = await space.does("commentCreate", { input: { issueId: issue.id, body } }, "comment { id }");
    await db.query({ text: `update comment set "userId" = null where id = $1`, values: [comment.id] });
    await db.query({
      text: `update change set data = (data::jsonb || '{"userId": null}')::json where "entityId" = $1`,
      values: [comment.id],
    });
  }
  for (const each of [space, elsewhere]) {
    for (const emails of [[email], [email.toUpperCase(), "other@example.com"]])
      await each.does("noticeRuleCreate", {
        input: { name: "Rule", condition: "leaseExpired", channel: "email", emails },
      });
    const filters = [
      { assignee: { email: { eqIgnoreCase: email.toUpperCase() } } },
      { or: [{ creator: { email: { in: [email] } } }] },
    ];
    for (const filterData of filters) {
      const { customView } = await each.does(
        "customViewCreate",
        { input: { name: "View", shared: true, filterData } },
        "customView { id }",
      );
      await each.does("customViewUpdate", {
        id: customView.id,
        input: { filterData: { ...filterData, title: { eq: "x" } } },
      });
    }
  }
  const named = { creator: { name: { in: [name, "Another"] } }, or: [{ assignee: { name: { eq: name } } }] };
  await space.does("customViewCreate", { input: { name: "View", shared: false, filterData: named } });
  const mailServer = { host: "127.0.0.1", port: 2525, security: "none" };
  await space.rest("PATCH", "/api/mail-server", {
    ...mailServer,
    from: `Trackway <${email}>`,
    username: email,
    password: "x",
  });
  const from = `"${name.replace(/["\\]/g, "\\$&")}" <notices@example.com>`;
  await elsewhere.rest("PATCH", "/api/mail-server", { ...mailServer, from });
}

/**
 * Enters the name and the address in every text that a mutation accepts. Returns the mutations that accepted the
 * text.
 */
async function plantTyped(space: Workspace, { name, email }: Person): Promise<string[]> {
  const text = `${name} ${email}`;
  const took: string[] = [];
  for (const [mutation, sample] of Object.entries(MUTATION_SAMPLES)) {
    if (!/(Create|Update)$/.test(mutation)) continue;
    const args = (await sample(space)) as Record<string, unknown>;
    const field = combinedSchema.getMutationType()?.getFields()[mutation];
    const type = getNamedType(field?.args.find(({ name: each }) => each === "input")?.type);
    if (!isInputObjectType(type)) continue;
    const texts = Object.values(type.getFields()).filter(
      ({ type: each, name: own }) =>
        String(getNamedType(each)) === "String" && !/Id$|^id$|^(color|key|urlKey|icon|url|secret)$/.test(own),
    );
    for (const { name: own } of texts) {
      const { errors } = await performMutation(space, mutation, {
        ...args,
        input: { ...(args["input"] as object), [own]: text },
      });
      if (!errors) took.push(`${mutation}.${own}`);
    }
  }
  return took;
}

/** Tables with text that users enter. docs/privacy.md lists the tables. */
const TYPED = [
  ...["change", "comment", "commentText", "customView", "cycle", "issue", "issueLabel", "issueText", "noticeRule"],
  ...["organization", "project", "projectMilestone", "projectStatus", "team", "template", "webhook", "workflowState"],
];

describe("the name and address of an account after delete-account", () => {
  let app: App;
  let space: Workspace;
  let elsewhere: Workspace;
  let end: () => Promise<void>;
  let folder: string;

  before(async () => {
    ({ app, end } = await startOwnServer());
    space = await createWorkspaceIn(await createOrganization(app));
    elsewhere = await createWorkspaceIn(await createOrganization(app));
    folder = await mkdtemp(join(tmpdir(), "trackway-texts-"));
  });
  after(async () => end());

  const remove = ({ email }: Person) => runCommand(app.runtime, ["delete-account", email, email]);
  const backup = async (name: string, part: "all" | "deletions") => {
    const file = join(folder, name);
    await writeFileAtomically(file, (target) => writeBackup(app.runtime.db, app.runtime.secret, target, part));
    return file;
  };

  it("are removed from text that Trackway wrote and from settings, also after a restore of an older backup", async () => {
    const [person, other] = [await joined(space), await joined(space)];
    await plantWritten(app, space, elsewhere, person);
    const unlike = `un${person.email}`;
    const alike = { name: "View", shared: true, filterData: { assignee: { email: { eq: unlike } } } };
    await space.does("customViewCreate", { input: alike });
    const planted = [
      "account",
      "audit",
      "change",
      "comment",
      "commentText",
      "customView",
      "mailServer",
      "noticeRule",
      "user",
    ];
    expect(await tablesOf(person, app.runtime.db)).to.include.members(planted);
    const old = await backup("old", "all");
    await remove(person);
    expect(await tablesOf(person, app.runtime.db)).to.deep.equal(["change", "customView"]);
    const { customViews } = await space.gql("{ customViews { nodes { id filterData } } }");
    const kept = customViews.nodes.find((each: { filterData: object }) =>
      JSON.stringify(each.filterData).includes(unlike),
    );
    expect(kept.filterData).to.deep.equal(alike.filterData);
    await space.does("customViewDelete", { id: kept.id });
    const log = await space.log();
    expect(
      log
        .filter(({ type }) => type === "Comment")
        .map(({ data }) => data.body)
        .join(),
    ).to.contain(HOLDER_TEXTS.held("Deleted user"));
    expect(await tablesOf(other, app.runtime.db)).to.include("user");
    const rules = await elsewhere.gql("{ noticeRules { nodes { emails enabled } } }");
    expect(rules.noticeRules.nodes).to.have.deep.members([
      { emails: [], enabled: false },
      { emails: ["other@example.com"], enabled: true },
    ]);
    const deletions = await backup("deletions", "deletions");
    const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    if (!fresh) copyEmptyDatabase(join(folder, "data"));
    const db = await openDatabase({ dataDir: join(folder, "data"), url: fresh?.url, poolSize: 2 });
    try {
      const { deleted } = await restoreBackup(db, readBackup(old), app.runtime.secret, readBackup(deletions));
      expect(Object.fromEntries(deleted)).to.include({ account: 1 });
      await db.query({ text: `delete from change where data::text like $1`, values: [`%${unlike}%`] });
      await db.query({ text: `delete from "customView" where "filterData"::text like $1`, values: [`%${unlike}%`] });
      expect(await tablesOf(person, db)).to.deep.equal([]);
    } finally {
      await db.close();
      await fresh?.drop();
    }
  });

  it("remain only in text that users entered, in the documented tables", async () => {
    const person = await joined(space);
    expect(await plantTyped(space, person)).to.have.length.above(20);
    await remove(person);
    expect(await tablesOf(person, app.runtime.db)).to.deep.equal(TYPED);
  });
});
