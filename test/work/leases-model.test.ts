import { expect } from "chai";
import fc from "fast-check";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { inviteGuest } from "../support/members.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { startSharedServer } from "../support/server.ts";
import { createAgent, moveLeaseTimes, type TestAgent, toTestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const STATES = ["Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled"];
const OPEN = ["Backlog", "Todo", "In Progress", "In Review"];
const READY = ["Backlog", "Todo"];
const TTL = 60;

/**
 * A step of the test. `by` and `to` choose among the users, `state` chooses among the states, for steps that need a
 * choice.
 */
interface Step {
  does:
    | "claim"
    | "release"
    | "expire"
    | "complete"
    | "archive"
    | "restore"
    | "move"
    | "moveMany"
    | "assign"
    | "delegate";
  by: number;
  to: number;
  state: string;
  /** True if a holder sends the fence. */
  fenced: boolean;
}

/** An issue with the expected values. */
interface Expected {
  state: string;
  assignee: string | null;
  delegate: string | null;
  archived: boolean;
  holder: string | null;
}
type Person = "assignee" | "delegate";

/** Changes by a claim that nobody has changed since. The end of the lease reverts only these changes. */
type Claimed = { fence: number; person: Person; former: string | null; state?: string };

describe("the end of a lease", () => {
  let space: Workspace;
  /** Two people, followed by two agents. */
  let users: TestAgent[];
  before(async () => {
    space = await createWorkspace();
    const input = { teamId: space.teamId, name: "In Review", type: "started", color: "#aabbcc" };
    const made = await space.does("workflowStateCreate", { input }, "workflowState { id }");
    space.states["In Review"] = made.workflowState.id;
    const member = await inviteGuest(space);
    const owner = { id: (await space.gql("{ viewer { id } }")).viewer.id, name: "owner", token: space.apiKey };
    const guest = { id: member.id, name: "member", token: `Bearer ${member.accessToken}` };
    users = [
      toTestAgent(space.url, owner),
      toTestAgent(space.url, guest),
      await createAgent(space),
      await createAgent(space),
    ];
  });

  const user = (at: number) => users[at] as TestAgent;
  const read = async (id: string): Promise<Expected & { ready: boolean }> => {
    const { issue } = await space.gql(`{ issue(id: "${id}") { ready archivedAt
      state { name } assignee { id } delegate { id } lease { holder { id } } } }`);
    return {
      state: issue.state.name,
      assignee: issue.assignee?.id ?? null,
      delegate: issue.delegate?.id ?? null,
      archived: issue.archivedAt !== null,
      holder: issue.lease?.holder.id ?? null,
      ready: issue.ready,
    };
  };

  /** Sends a step and returns true if the server accepted the step. */
  async function send(id: string, { does, by, to, state, fenced }: Step, now: Expected, claimed?: Claimed) {
    if (does === "expire") {
      await moveLeaseTimes(id, TTL + 1);
      await maintainLeases((await startSharedServer()).runtime);
      return true;
    }
    const stateId = space.states[state];
    const fence = fenced && now.holder === user(by).id ? claimed?.fence : null;
    const update = (input: object) => ["issueUpdate", { id, input: { ...input, fence } }] as const;
    const [mutation, args] = {
      claim: ["issueClaim", { input: { id, ttlSeconds: TTL } }] as const,
      release: ["issueRelease", { id, fence }] as const,
      complete: ["issueComplete", { id, fence }] as const,
      archive: ["issueArchive", { id }] as const,
      restore: ["issueUnarchive", { id }] as const,
      move: update({ stateId }),
      moveMany: ["issueBatchUpdate", { ids: [id], input: { stateId } }] as const,
      assign: update({ assigneeId: users[to]?.id ?? null }),
      delegate: update({ delegateId: users[to]?.id ?? null }),
    }[does];
    const done = user(by)
      .does(mutation, args)
      .then(() => true);
    return done.catch((error: Error) => {
      expect(error.message).to.match(/"code":"(CONFLICT|INPUT_ERROR|INVALID_INPUT)"/);
      return false;
    });
  }

  /** Applies an accepted step to the expected issue and to the changes of the claim. */
  function apply(now: Expected, claimed: Claimed | undefined, { does, by, to, state }: Step) {
    if (does === "claim" && now.holder === null) return claim(now, user(by).id, by > 1 ? "delegate" : "assignee");
    if (does === "release" || does === "expire") return end(now, claimed);
    const next = { ...now };
    if (does === "complete") next.state = now.state === "Done" ? now.state : "Done";
    if (does === "move" || does === "moveMany") next.state = state;
    if (does === "assign") next.assignee = users[to]?.id ?? null;
    if (does === "delegate") next.delegate = users[to]?.id ?? null;
    if (does === "archive" || does === "restore") next.archived = does === "archive";
    const holds = claimed && !next.archived && OPEN.includes(next.state) && next[claimed.person] === now.holder;
    if (!holds) return { now: { ...next, holder: null }, claimed: undefined };
    const { state: former, ...rest } = claimed;
    return { now: next, claimed: next.state === now.state && former ? claimed : rest };
  }

  function claim(now: Expected, holder: string, person: Person) {
    const begun = !READY.includes(now.state);
    const claimed: Claimed = { fence: 0, person, former: now[person], ...(!begun && { state: now.state }) };
    return { now: { ...now, holder, [person]: holder, ...(!begun && { state: "In Progress" }) }, claimed };
  }

  function end(now: Expected, claimed: Claimed | undefined) {
    if (!claimed) return { now, claimed };
    const { person, former, state = now.state } = claimed;
    return { now: { ...now, holder: null, [person]: former, state }, claimed: undefined };
  }

  async function follow(steps: readonly Step[]): Promise<void> {
    const { id } = await space.issue();
    const none = { assignee: null, delegate: null, archived: false, holder: null };
    let [now, claimed, fence]: [Expected, Claimed | undefined, number] = [{ state: "Backlog", ...none }, undefined, 0];
    for (const [at, step] of steps.entries()) {
      const free = now.holder === null;
      if (await send(id, step, now, claimed)) ({ now, claimed } = apply(now, claimed, step));
      if (free && now.holder !== null) fence += 1;
      if (claimed) claimed = { ...claimed, fence };
      const ready = READY.includes(now.state) && !now.archived && now.holder === null;
      expect(await read(id), `after ${JSON.stringify(steps.slice(0, at + 1))}`).to.deep.equal({ ...now, ready });
    }
  }

  it("reverts what the claim set and nobody has changed since, and no acknowledged change", async () => {
    const kinds: [Step["does"], number][] = [
      ...([
        ["claim", 6],
        ["release", 3],
        ["expire", 3],
        ["move", 6],
        ["moveMany", 1],
      ] as [Step["does"], number][]),
      ...([
        ["assign", 2],
        ["delegate", 2],
        ["complete", 1],
        ["archive", 1],
        ["restore", 1],
      ] as [Step["does"], number][]),
    ];
    const step = fc.record<Step>({
      does: fc.oneof(...kinds.map(([kind, weight]) => ({ arbitrary: fc.constant(kind), weight }))),
      by: fc.nat(3),
      to: fc.nat(4),
      state: fc.constantFrom(...STATES),
      fenced: fc.boolean(),
    });
    const first = { does: "claim", by: 2, to: 4, state: "Backlog", fenced: false } as const;
    const [reviewed, expired] = [
      { ...first, does: "move", by: 0, state: "In Review" },
      { ...first, does: "expire" },
    ] as const;
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), follow), {
      numRuns: scaleRuns(25),
      examples: [
        [[first, reviewed, expired]],
        [[first, reviewed, { ...reviewed, state: "In Progress" }, { ...expired, does: "release" }]],
        // An agent that is also the assignee holds the issue only as delegate.
        [[first, { ...first, does: "assign", by: 0, to: 2 }, { ...first, does: "delegate", by: 0 }, expired]],
      ],
    });
  }).timeout(120_000);
});
