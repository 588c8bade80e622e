import { expect } from "chai";
import fc from "fast-check";
import { runs } from "../support/run/runs.ts";
import { freshAgent, type TestAgent } from "../support/tracker/work.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

/** An issue as the model knows it. */
interface Known {
  id: string;
  priority: number;
  createdAt: string;
  type: string;
  away: boolean;
  held: boolean;
  /** The type of state that the end of its lease leaves it in. */
  former?: Type;
}

interface Model {
  issues: Known[];
  /** Pairs of places: the first blocks the second. */
  blocks: [number, number][];
}

const OPEN = ["backlog", "unstarted", "started"];
const isOpen = ({ type, away }: Known) => OPEN.includes(type) && !away;
const count = (model: Model, at: number, from: 0 | 1) =>
  model.blocks.filter((pair) => pair[from] === at && isOpen(model.issues[pair[1 - from] as number] as Known)).length;

/** The ready issues in order, by the rules of the documentation. */
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

/** Makes issues, fifty at a time, each with a moment of its own. */
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

/** Does one thing to the issues, and to the model. */
async function step(space: Workspace, agent: TestAgent, model: Model, { kind, a, b }: Command): Promise<void> {
  const at = a % model.issues.length;
  const issue = model.issues[at] as Known;
  const { id } = issue;
  const enter = (each: Known, type: Type) => {
    // A state that was set since the claim is no longer the claim's to take back.
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
    // From the earlier to the later one, so that there is no circle.
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
    // Its present holder is answered, and nothing changes.
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

/** Between its claims the issue's holder puts it back to what has not begun. */
const CLAIMED_TWICE = (["claim", "state", "claim", "archive", "restore"] as const).map((kind) => ({
  kind,
  a: 1,
  b: 0,
}));

describe("what is ready", () => {
  it("is what a model of 2,000 issues says, in its order", async () => {
    const space = await freshWorkspace();
    const agent = await freshAgent(space);
    const model = await fill(space, 2_000);
    const [all = []] = fc.sample(commands(runs(1_000)), { numRuns: 1, seed: 7 });
    for (const [at, command] of all.entries()) {
      await step(space, agent, model, command);
      if (at % 50 === 49) expect(await readyThere(space)).to.deep.equal(readyIn(model));
    }
    expect(model.blocks.length).to.be.greaterThan(runs(100));
  }).timeout(240_000);

  it("is what a model of few issues says, whatever is done to them (property)", async () => {
    await fc.assert(
      fc.asyncProperty(commands(60), async (all) => {
        const space = await freshWorkspace();
        const agent = await freshAgent(space);
        const model = await fill(space, 6);
        for (const command of all) await step(space, agent, model, command);
        expect(await readyThere(space)).to.deep.equal(readyIn(model));
      }),
      { numRuns: runs(20), examples: [[CLAIMED_TWICE]] },
    );
  }).timeout(240_000);
});
