import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../support/run/runs.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** An issue in the model. */
interface Known {
  id: string;
  priority: number;
  createdAt: string;
  type: string;
  away: boolean;
  held: boolean;
  /** Type of the state that the issue has after its lease ends. */
  former?: Type;
}

interface Model {
  issues: Known[];
  /** Pairs of positions: the first issue blocks the second issue. */
  blocks: [number, number][];
}

const OPEN = ["backlog", "unstarted", "started"];
const isOpen = ({ type, away }: Known) => OPEN.includes(type) && !away;
const count = (model: Model, at: number, from: 0 | 1) =>
  model.blocks.filter((pair) => pair[from] === at && isOpen(model.issues[pair[1 - from] as number] as Known)).length;

/** Returns the ready issues in order, by the rules of the documentation. */
function readyIn(model: Model): string[] {
  return model.issues
    .map((issue, at) => ({ ...issue, blockers: count(model, at, 1), unblocks: count(model, at, 0) }))
    .filter((issue) => ["backlog", "unstarted"].includes(issue.type) && isOpen(issue) && !issue.held && !issue.blockers)
    .sort(
      (a, b) =>
        (a.priority || 5) - (b.priority || 5) ||
        b.unblocks - a.unblocks ||
        a.createdAt.localeCompare(b.createdAt) ||
        a.id.localeCompare(b.id),
    )
    .map(({ id }) => id);
}

async function readyThere(space: Workspace, after?: string): Promise<string[]> {
  const query = `query ($after: String) { issues(filter: { ready: { eq: true } }, sort: [{ ready: {} }], first: 250, after: $after) {
    nodes { id ready } pageInfo { hasNextPage endCursor } } }`;
  const { nodes, pageInfo } = (await space.gql(query, { after })).issues;
  for (const { ready } of nodes) expect(ready).to.equal(true);
  const ids = nodes.map(({ id }: { id: string }) => id);
  return pageInfo.hasNextPage ? [...ids, ...(await readyThere(space, pageInfo.endCursor))] : ids;
}

const STATES = {
  backlog: "Backlog",
  unstarted: "Todo",
  started: "In Progress",
  completed: "Done",
  canceled: "Canceled",
};
type Type = keyof typeof STATES;

/** Creates issues, fifty at a time, each with a different creation time. */
async function fill(space: Workspace, size: number): Promise<Model> {
  const issues: Known[] = [];
  for (let from = 0; from < size; from += 50) {
    const inputs = Array.from({ length: Math.min(50, size - from) }, (_, at) => ({
      teamId: space.teamId,
      title: `Issue ${from + at}`,
      priority: (from + at) % 5,
      createdAt: new Date(Date.UTC(2026, 0, 1) + ((from + at) % 97) * 60_000).toISOString(),
    }));
    const made = await space.does(
      "issueBatchCreate",
      { input: { issues: inputs } },
      "issues { id priority createdAt }",
    );
    for (const issue of made.issues) issues.push({ ...issue, type: "backlog", away: false, held: false });
  }
  return { issues, blocks: [] };
}

type Command = {
  kind: "state" | "archive" | "restore" | "trash" | "block" | "unblock" | "claim" | "release" | "many" | "priority";
  a: number;
  b: number;
};
const TYPES = Object.keys(STATES) as Type[];

/** Applies a command to the issues and to the model. */
async function step(space: Workspace, agent: TestAgent, model: Model, { kind, a, b }: Command): Promise<void> {
  const at = a % model.issues.length;
  const issue = model.issues[at] as Known;
  const { id } = issue;
  const enter = (each: Known, type: Type) => {
    // A state set after the claim remains when the claim ends.
    if (each.type !== type) each.former = type;
    each.type = type;
    if (!isOpen(each)) each.held = false;
  };
  const type = TYPES[b % TYPES.length] as Type;
  if (kind === "state") {
    await space.does("issueUpdate", { id, input: { stateId: space.states[STATES[type]] } });
    enter(issue, type);
  } else if (kind === "many") {
    const some = model.issues.slice(at, at + 20);
    await space.does("issueBatchUpdate", {
      ids: some.map((each) => each.id),
      input: { stateId: space.states[STATES[type]] },
    });
    for (const each of some) enter(each, type);
  } else if (kind === "archive" || kind === "trash") {
    await space.does(kind === "trash" ? "issueDelete" : "issueArchive", { id });
    Object.assign(issue, { away: true, held: false });
  } else if (kind === "restore") {
    await space.does("issueUnarchive", { id });
    issue.away = false;
  } else if (kind === "priority") {
    await space.does("issueUpdate", { id, input: { priority: b % 5 } });
    issue.priority = b % 5;
  } else if (kind === "block") {
    const other = b % model.issues.length;
    if (other === at || model.blocks.some(([x, y]) => x === Math.min(at, other) && y === Math.max(at, other))) return;
    // Relations lead from earlier to later issues, so that no circle arises.
    const pair: [number, number] = [Math.min(at, other), Math.max(at, other)];
    const [issueId, relatedIssueId] = pair.map((place) => model.issues[place]?.id);
    await space.does("issueRelationCreate", { input: { type: "blocks", issueId, relatedIssueId } });
    model.blocks.push(pair);
  } else if (kind === "unblock") {
    const pair = model.blocks[b % (model.blocks.length || 1)];
    if (!pair) return;
    const [one, other] = pair.map((place) => model.issues[place]?.id);
    const { issue: found } = await space.gql(
      `{ issue(id: "${one}") { relations(first: 250) { nodes { id relatedIssue { id } } } } }`,
    );
    const relation = found.relations.nodes.find((each: any) => each.relatedIssue.id === other);
    await space.does("issueRelationDelete", { id: relation.id });
    model.blocks.splice(model.blocks.indexOf(pair), 1);
  } else if (kind === "claim") {
    const free = isOpen(issue) && (issue.held || count(model, at, 1) === 0);
    if (!free) return void (await agent.refuses("issueClaim", { input: { id } }));
    await agent.claim({ id });
    // A second claim by the current holder succeeds and changes nothing.
    if (!issue.held) Object.assign(issue, { held: true, type: "started", former: issue.type });
  } else if (issue.held) {
    await agent.does("issueRelease", { id });
    Object.assign(issue, { held: false, type: issue.former });
  }
}

const KINDS: Command["kind"][] = [
  "state",
  "state",
  "many",
  "archive",
  "restore",
  "trash",
  "block",
  "block",
  "block",
  "block",
  "unblock",
  "claim",
  "claim",
  "release",
  "priority",
];
const commands = (length: number) =>
  fc.array(fc.record<Command>({ kind: fc.constantFrom(...KINDS), a: fc.nat(100_000), b: fc.nat(100_000) }), {
    minLength: length,
    maxLength: length,
  });

/** Between two claims, the holder moves the issue back to a state that has not begun. */
const CLAIMED_TWICE = (["claim", "state", "claim", "archive", "restore"] as const).map((kind) => ({
  kind,
  a: 1,
  b: 0,
}));

describe("the list of ready issues", () => {
  it("contains the same issues in the same order as a model with 2,000 issues", async () => {
    const space = await createWorkspace();
    const agent = await createAgent(space);
    const model = await fill(space, 2_000);
    const [all = []] = fc.sample(commands(scaleRuns(1_000)), { numRuns: 1, seed: 7 });
    for (const [at, command] of all.entries()) {
      await step(space, agent, model, command);
      if (at % 50 === 49) expect(await readyThere(space)).to.deep.equal(readyIn(model));
    }
    expect(model.blocks.length).to.be.greaterThan(scaleRuns(100));
  }).timeout(240_000);

  it("matches a model of few issues after random commands", async () => {
    await fc.assert(
      fc.asyncProperty(commands(60), async (all) => {
        const space = await createWorkspace();
        const agent = await createAgent(space);
        const model = await fill(space, 6);
        for (const command of all) await step(space, agent, model, command);
        expect(await readyThere(space)).to.deep.equal(readyIn(model));
      }),
      { numRuns: scaleRuns(20), examples: [[CLAIMED_TWICE]] },
    );
  }).timeout(240_000);
});
