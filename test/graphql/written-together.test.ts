import { expect } from "chai";
import fc from "fast-check";
import type { Statement } from "../../db/open.ts";
import type { App } from "../../server/app.ts";
import { inviteGuest } from "../support/members.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { sendGraphQL, startSharedServer } from "../support/server.ts";
import { createWorkspace, type LoggedChange, performMutation, type Workspace } from "../support/workspace.ts";

const range = (length: number) => Array.from({ length }, (_, at) => at);

/** Returns the statements of each transaction that wrote issues of an organization while `work` ran. */
async function transactionsOf({ runtime: { db } }: App, space: Workspace, work: () => Promise<unknown>) {
  const all: Statement[][] = [];
  const { transaction } = db;
  db.transaction = (run) =>
    transaction((trx) => {
      const sent: Statement[] = [];
      all.push(sent);
      const query: typeof trx.query = (statement, limit) => {
        sent.push(statement);
        return trx.query(statement, limit);
      };
      return run({ ...trx, query });
    });
  try {
    await work();
  } finally {
    db.transaction = transaction;
  }
  const ofIt = (sent: Statement[]) => sent.some(({ values = [] }) => values.includes(space.organizationId));
  return all.filter(
    (sent) => ofIt(sent) && sent.some(({ text }) => /^(update|insert into) "issue"|"o0" as/.test(text)),
  );
}

/** Statements that run once per transaction, for any number of mutations. */
const ONCE = {
  "looks for issues": /^\(select 'Issue' as entity/,
  "looks for projects": /select 'Project' as entity/,
  "looks for people": /select 'User' as entity/,
  "changes of issues": /^insert into change\b.*'Issue'/s,
  deliveries: /^insert into delivery/,
  texts: /^insert into "issueText"/,
  counts: /^insert into "issueCount"/,
};

/** Tables that a transaction writes at its end, and `webhook`, which decides about deliveries. */
const LEFT_TO_THE_END = ["change", "delivery", "webhook", "issueText", "commentText", "issueCount"];
const mentions = ({ text }: Statement, table: string): boolean =>
  new RegExp(`\\b${table}\\b`).test(text.replaceAll(/'[^']*'/g, ""));

const WORDS = ["one", "two", "three"];
type Drawn = { issue: number; other: number; kind: number };
type Step = (space: Workspace, issues: readonly string[], drawn: Drawn) => Promise<unknown>;
const change = (space: Workspace, id: string | undefined, input: object) =>
  performMutation(space, "issueUpdate", { id, input });

/** Changes that other mutations of the transaction must notice. */
const STEPS: readonly Step[] = [
  (space, issues, { issue, other }) => change(space, issues[issue], { title: WORDS[other % 3] }),
  (space, issues, { issue, other }) => change(space, issues[issue], { priority: other }),
  (space, issues, { issue, other }) => change(space, issues[issue], { estimate: other, description: WORDS[other % 3] }),
  (space, issues, { issue, other }) => change(space, issues[issue], { stateId: Object.values(space.states)[other] }),
  (space, issues, { issue, other }) => change(space, issues[issue], { parentId: issues[other] }),
  (space, issues, { issue }) => performMutation(space, "issueArchive", { id: issues[issue] }),
  (space, issues, { issue }) => performMutation(space, "issueUnarchive", { id: issues[issue] }),
  (space, issues, { issue, other }) =>
    performMutation(space, "issueRelationCreate", {
      input: { issueId: issues[issue], relatedIssueId: issues[other], type: "blocks" },
    }),
  (space, issues, { issue }) =>
    performMutation(space, "commentCreate", { input: { issueId: issues[issue], body: "x" } }),
  (space, _, { other }) => performMutation(space, "teamUpdate", { id: space.teamId, input: { name: `T${other}` } }),
  (space, _, { other }) => performMutation(space, "teamUpdate", { id: space.teamId, input: { key: `T${other}` } }),
  (space, issues, { issue, other }) =>
    performMutation(space, "issueBatchUpdate", { ids: [issues[issue], issues[other]], input: { priority: other } }),
  async (space, issues, { issue, other }) => {
    const { data } = await performMutation(
      space,
      "issueLabelCreate",
      { input: { name: crypto.randomUUID() } },
      "issueLabel { id }",
    );
    await performMutation(space, "issueAddLabel", { id: issues[issue], labelId: data.issueLabelCreate.issueLabel.id });
    if (other % 2) await performMutation(space, "issueLabelDelete", { id: data.issueLabelCreate.issueLabel.id });
  },
  (space, issues, { issue }) => performMutation(space, "issueDelete", { id: issues[issue], permanentlyDelete: true }),
];

const drawn = fc.record({ issue: fc.nat(4), other: fc.nat(4), kind: fc.nat(STEPS.length - 1) });

/** Returns the changes whose previous values differ from the values that the preceding change left. */
function broken(log: readonly LoggedChange[]): unknown[] {
  const last = new Map<string, LoggedChange["data"]>();
  return log.flatMap((entry) => {
    const before = last.get(entry.entityId);
    last.set(entry.entityId, entry.data);
    const told = Object.entries(entry.updatedFrom ?? {});
    const wrong = told.filter(([name, value]) => before && JSON.stringify(value) !== JSON.stringify(before[name]));
    return wrong.length > 0 ? [{ entry, wrong, before }] : [];
  });
}

/** Returns the changes of issues whose identifier does not have the team's key at that time. */
function misnamed(log: readonly LoggedChange[]): unknown[] {
  let key = "";
  return log.filter(({ type, data }) => {
    if (type === "Team") key = data.key;
    return type === "Issue" && !data.identifier.startsWith(`${key}-`);
  });
}

describe("mutations that share a transaction", () => {
  it("read their issues in one query, and write change log, search index and counts at the end", async () => {
    const app = await startSharedServer();
    const space = await createWorkspace();
    const { project } = await space.does(
      "projectCreate",
      { input: { name: "P", teamIds: [space.teamId] } },
      "project { id }",
    );
    const { viewer } = await space.gql("{ viewer { id } }");
    await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: ["Issue"] } });
    const issues = await Promise.all(range(40).map(async () => (await space.issue()).id));
    const transactions = await transactionsOf(app, space, () =>
      Promise.all(
        issues.map((id, at) =>
          change(space, id, { title: `Title ${at}`, projectId: project.id, assigneeId: viewer.id }),
        ),
      ),
    );
    const times = (sent: Statement[], what: RegExp) => sent.filter(({ text }) => what.test(text)).length;
    for (const [what, pattern] of Object.entries(ONCE)) {
      const most = Math.max(...transactions.map((sent) => times(sent, pattern)));
      expect([what, most]).to.deep.equal([what, 1]);
    }
    expect(transactions.length).to.be.lessThan(20);
  });

  it("write nothing for webhooks when none is registered", async () => {
    const app = await startSharedServer();
    const space = await createWorkspace();
    const fewest = async () => {
      const sent = await transactionsOf(app, space, async () => {
        for (let at = 0; at < 4; at += 1) await space.issue();
      });
      return Math.min(...sent.map((all) => all.filter(({ text }) => ONCE.deliveries.test(text)).length));
    };
    expect(await fewest()).to.equal(0);
    await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: ["Issue"] } });
    expect(await fewest()).to.equal(1);
  });

  it("declare what their statements read and write", async () => {
    const app = await startSharedServer();
    const space = await createWorkspace();
    const issues = await Promise.all(range(5).map(async () => (await space.issue()).id));
    await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: ["Issue"] } });
    const selection =
      'issue { identifier history { nodes { id } } team { issueCount } comments(filter: { body: { contains: "abc" } }) { nodes { id } } }';
    const transactions = await transactionsOf(app, space, async () => {
      for (const [at, step] of STEPS.entries()) await step(space, issues, { issue: at % 4, other: 4, kind: 0 });
      await performMutation(space, "issueUpdate", { id: issues[4], input: { title: "New" } }, selection);
    });
    const silent = transactions.flat().filter((sent) => {
      const said = [...(sent.reads ?? []), ...(sent.writes ?? [])];
      return sent.reads && !LEFT_TO_THE_END.every((table) => said.includes(table) || !mentions(sent, table));
    });
    expect(silent.map(({ text }) => text)).to.deep.equal([]);
    expect(new Set(transactions.flat().flatMap(({ reads }) => reads))).to.include.all.keys(
      "change",
      "issueCount",
      "commentText",
    );
  });

  it("see and report the changes of earlier mutations", async () => {
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 10, maxLength: 30 }), async (steps) => {
      const space = await createWorkspace();
      await space.does("webhookCreate", { input: { url: "https://example.com/", resourceTypes: ["Issue"] } });
      const issues = await Promise.all(range(5).map(async () => (await space.issue()).id));
      const first = (await space.last()) - 5;
      await Promise.all(steps.map((one) => STEPS[one.kind]?.(space, issues, one)));
      const log = await space.log(0);
      expect(log.map(({ lastSyncId }) => lastSyncId)).to.deep.equal(range(log.length).map((at) => at + 1));
      expect(broken(log)).to.deep.equal([]);
      expect(misnamed(log)).to.deep.equal([]);
      const ofIssues = log.filter(({ type, lastSyncId }) => type === "Issue" && lastSyncId > first);
      expect(await toldOf(space)).to.deep.equal(ofIssues.map(({ lastSyncId }) => lastSyncId));
      expect(await unlike(space)).to.deep.equal([]);
    });
    await fc.assert(property, { numRuns: scaleRuns(12) });
  });

  it("record who made each change", async () => {
    const space = await createWorkspace();
    const others = await Promise.all(range(3).map(() => inviteGuest(space)));
    const issues = await Promise.all(range(24).map(async () => (await space.issue()).id));
    const last = await space.last();
    const { viewer } = await space.gql("{ viewer { id } }");
    const ids = [viewer.id, ...others.map(({ id }) => id)];
    const keys = [space.apiKey, ...others.map(({ accessToken }) => `Bearer ${accessToken}`)];
    const query = "mutation ($id: String!) { issueUpdate(id: $id, input: { priority: 1 }) { success } }";
    await Promise.all(issues.map((id, at) => sendGraphQL(space.url, `${keys[at % 4]}`, { query, variables: { id } })));
    const authors = new Map((await space.log(last)).map(({ entityId, actor }) => [entityId, actor.id]));
    expect(issues.map((id) => authors.get(id))).to.deep.equal(issues.map((_, at) => ids[at % 4]));
  });

  it("record users and agents alike, with and without a cached actor", async () => {
    const space = await createWorkspace();
    const agent = (await space.rest("POST", "/api/agents", { name: "Robot" })).body as { token: string };
    const last = await space.last();
    const query = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }";
    const input = { teamId: space.teamId, title: "x" };
    for (let at = 0; at < 8; at += 1)
      await sendGraphQL(space.url, at % 2 ? agent.token : space.apiKey, { query, variables: { input } });
    const { viewer } = await space.gql("{ viewer { id name email } }");
    const robot = (await sendGraphQL(space.url, agent.token, { query: "{ viewer { id name email } }" })).data.viewer;
    const person = { type: "user", ...viewer };
    const onBehalfOf = { id: viewer.id, name: viewer.name };
    const actors = (await space.log(last)).map(({ actor }) => actor);
    expect(actors).to.deep.equal(
      Array.from({ length: 8 }, (_, at) => (at % 2 ? { type: "app", ...robot, onBehalfOf } : person)),
    );
  });

  it("read their own changes in the history that they return", async () => {
    const space = await createWorkspace();
    const issues = await Promise.all(range(20).map(async () => (await space.issue()).id));
    const history = "issue { history(last: 50) { nodes { toEstimate } } }";
    const replies = await Promise.all(
      issues.map((id, at) => performMutation(space, "issueUpdate", { id, input: { estimate: at + 1 } }, history)),
    );
    const told = replies.map(({ data }) =>
      data.issueUpdate.issue.history.nodes.flatMap(({ toEstimate }: { toEstimate: number | null }) => toEstimate ?? []),
    );
    expect(told).to.deep.equal(issues.map((_, at) => [at + 1]));
  });
});

const inDatabase = async ({ organizationId }: Workspace, text: string) =>
  (await startSharedServer()).runtime.db.query<Record<string, unknown>>({ text, values: [organizationId] });

/** Returns the changes that the webhook receives. */
const toldOf = async (space: Workspace) =>
  (await inDatabase(space, `select "lastSyncId" as n from delivery where "organizationId" = $1 order by 1`)).map(
    ({ n }) => n,
  );

/** Returns the issues whose search text is out of date. */
const unlike = (space: Workspace) =>
  inDatabase(
    space,
    `select i.id, x.text from issue i left join "issueText" x on x."organizationId" = i."organizationId" and x.id = i.id
     where i."organizationId" = $1 and x.text is distinct from ' ' || i.title || ' ' || coalesce(i.description, '')`,
  );
