import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { mutations } from "../../server/resources/index.ts";
import { OWNER_ONLY_FIELD_NAMES } from "../../server/resources/team/write.ts";
import { inviteGuest } from "../support/members.ts";
import { sendGraphQL, startSharedServer } from "../support/server.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, performMutation, performSignedIn, toRefusal, type Workspace } from "../support/workspace.ts";

type Args = Record<string, unknown>;

/**
 * Input for a write of an issue: the issue, a second issue that nobody holds, and a fence if the mutation accepts a
 * fence.
 */
interface Means {
  teamId: string;
  id: string;
  other: string;
  label: string;
  /** Relation between the issue and the second issue. */
  relation: string;
  team: string;
  fence?: number;
}

const ofFence = ({ fence }: Means) => (fence === undefined ? {} : { fence });

const NO_MEANS: Means = { teamId: "", id: "", other: "", label: "", relation: "", team: "" };

/** Every write of an issue. Writes without a fence argument are tested without a fence. */
const WRITES: Readonly<Record<string, (means: Means) => Args>> = {
  issueUpdate: (of) => ({ id: of.id, input: { title: "Mine", ...ofFence(of) } }),
  "issueUpdate labels": (of) => ({ id: of.id, input: { addedLabelIds: [of.label], ...ofFence(of) } }),
  "issueUpdate moved": (of) => ({ id: of.id, input: { teamId: of.team, ...ofFence(of) } }),
  "issueUpdate trashed": (of) => ({ id: of.id, input: { trashed: true, ...ofFence(of) } }),
  issueComplete: (of) => ({ id: of.id, ...ofFence(of) }),
  issueRelease: (of) => ({ id: of.id, ...ofFence(of) }),
  issueRenew: (of) => ({ id: of.id, ttlSeconds: 60, ...ofFence(of) }),
  issueBatchUpdate: ({ id, other }) => ({ ids: [other, id], input: { priority: 1 } }),
  issueArchive: ({ id }) => ({ id }),
  "issueArchive trash": ({ id }) => ({ id, trash: true }),
  issueUnarchive: ({ id }) => ({ id }),
  issueDelete: ({ id }) => ({ id }),
  issueAddLabel: ({ id, label }) => ({ id, labelId: label }),
  issueRemoveLabel: ({ id, label }) => ({ id, labelId: label }),
  issueRelationCreate: ({ id, other }) => ({ input: { issueId: id, relatedIssueId: other, type: "blocks" } }),
  "issueRelationCreate to": ({ id, other }) => ({ input: { issueId: other, relatedIssueId: id, type: "duplicate" } }),
  issueRelationUpdate: ({ relation }) => ({ id: relation, input: { type: "similar" } }),
  issueRelationDelete: ({ relation }) => ({ id: relation }),
  issueBatchCreate: ({ teamId, id, other }) => ({
    input: {
      issues: [{ teamId, title: "A part" }],
      relations: [{ issueId: other, relatedIssueId: id, type: "blocks" }],
    },
  }),
};

/** Mutations with issue in the name that write no held issue, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  issueCreate: "makes an issue",
  issueCreateFromFailure: "makes an issue, comments on one, or opens a completed one again",
  issueBatchImport: "owners alone",
  issueDeletedSessionBlank: "owners alone",
  issueClaim: "has rules of its own",
  issueHandover: "writes what is recorded",
  issueLabelCreate: "a label",
  issueLabelUpdate: "a label",
  issueLabelDelete: "a label",
};

type Held = "self" | "agent" | "person" | "stopped self" | "stopped agent" | "stopped person" | "free";
type Fence = "none" | "old" | "right";

/** Returns true if an agent may write an issue, according to the rules. */
function mayWrite(name: string, held: Held, fence: Fence): boolean {
  if (held === "free" && (name === "issueRelease" || name === "issueRenew")) return false;
  if (fence === "old") return false;
  if (fence === "right") return !held.startsWith("stopped") || name === "issueRelease";
  return held === "self" || held === "person" || held === "free";
}

/** Returns true if the write accepts a fence. */
const takesFence = (name: string, means: Means): boolean =>
  JSON.stringify(WRITES[name]?.({ ...means, fence: 1 })).includes('"fence"');

describe("a write of an issue by an agent", () => {
  let space: Workspace;
  let agent: TestAgent;
  let another: TestAgent;
  let label: string;
  let team: string;
  before(async () => {
    space = await createWorkspace();
    [agent, another] = [await createAgent(space, "Ada"), await createAgent(space, "Bob")];
    const made = await space.does("issueLabelCreate", { input: { name: "bug" } }, "issueLabel { id }");
    label = made.issueLabel.id;
    team = (await space.does("teamCreate", { input: { name: "Other" } }, "team { id }")).team.id;
  });

  const stop = async (id: string) =>
    (await startSharedServer()).runtime.db.query({
      text: `update "issueLease" set "trippedBy" = 'tokens', "trippedAt" = now() where id = $1`,
      values: [id],
    });

  /** Creates issues with the given kind of holder. Each issue has a relation to an issue without a holder. */
  async function heldOnes(by: Held, count: number): Promise<(Means & { right: number })[]> {
    const pairs = Array.from({ length: count }, () => ({ id: uuidv7(), other: uuidv7(), relation: uuidv7() }));
    const issues = pairs.flatMap(({ id, other }) =>
      [id, other].map((each) => ({ id: each, teamId: space.teamId, title: "An issue", labelIds: [label] })),
    );
    const relations = pairs.map(({ id, other, relation }) => ({
      ...{ id: relation, issueId: id, relatedIssueId: other, type: "related" },
    }));
    await space.does("issueBatchCreate", { input: { issues, relations } });
    const who = by.replace("stopped ", "");
    const { does } = who === "self" ? agent : who === "agent" ? another : space;
    const claim = async (id: string) => (await does("issueClaim", { input: { id } }, "lease { fence }")).lease.fence;
    return Promise.all(
      pairs.map(async (pair) => {
        const right: number = by === "free" ? 0 : await claim(pair.id);
        if (by.startsWith("stopped")) await stop(pair.id);
        return { teamId: space.teamId, ...pair, label, team, right };
      }),
    );
  }
  const held = async (by: Held) => (await heldOnes(by, 1))[0] as Means & { right: number };

  it("is tested for every mutation whose name begins with issue", () => {
    const names = new Set([...Object.keys(WRITES).map((name) => name.split(" ")[0]), ...Object.keys(OTHERS)]);
    const all = Object.keys(mutations).filter((name) => name.startsWith("issue"));
    expect([...names].sort()).to.deep.equal(all.sort());
  });

  for (const by of ["self", "agent", "person", "stopped self", "stopped agent", "stopped person", "free"] as const)
    it(`is refused or accepted by the rules for an issue held by: ${by}`, async () => {
      const tries = Object.keys(WRITES).flatMap((name) =>
        (["none", "old", "right"] as const)
          .filter((fence) => fence === "none" || (takesFence(name, NO_MEANS) && !(fence === "right" && by === "free")))
          .map((fence) => ({ name, fence })),
      );
      const all = [...(await heldOnes(by, 14)), ...(await heldOnes(by, tries.length - 14))];
      await Promise.all(
        tries.map(async ({ name, fence }, at) => {
          const means = all[at];
          if (!means) throw new Error(name);
          const given = fence === "none" ? {} : { fence: fence === "right" ? means.right : means.right + 7 };
          const args = WRITES[name]?.({ ...means, ...given }) ?? {};
          const reply = await performMutation(agent, name.split(" ")[0] ?? "", args);
          const what = `${name}, fence: ${fence}, held by: ${by}`;
          if (mayWrite(name, by, fence)) expect(reply.errors, what).to.equal(undefined);
          else expect(toRefusal(reply).code, what).to.equal("CONFLICT");
        }),
      );
    }).timeout(30_000);

  it("is allowed to a person without a fence for any holder, but not by key after a stop", async () => {
    for (const by of ["agent", "person", "stopped agent"] as const)
      await space.does("issueUpdate", { id: (await held(by)).id, input: { title: "Ours" } });
    const { id } = await held("stopped person");
    expect(await space.refuses("issueComplete", { id })).to.include({ code: "CONFLICT", field: "fence" });
    await performSignedIn(space, "issueComplete", { id });
    await space.does("issueRelease", { id: (await held("stopped person")).id });
  });

  it("is refused with a fix after a stop, but comments are allowed", async () => {
    const { id } = await held("stopped self");
    await agent.does("commentCreate", { input: { issueId: id, body: "I was stopped." } });
    const { message, field } = await agent.refuses("issueUpdate", { id, input: { title: "Mine" } });
    expect(field).to.equal("fence");
    expect(message).to.match(/Ada holds ENG-\d+ .*reached the limit of tokens.*may comment/);
  });

  it("cannot take over a stopped claim, not even the agent's own", async () => {
    for (const by of ["stopped self", "stopped agent"] as const) {
      const { id, right } = await held(by);
      expect((await agent.refuses("issueClaim", { input: { id, fence: right } })).code).to.equal("CONFLICT");
      await space.does("issueClaim", { input: { id, fence: right } });
    }
  });
});

describe("the limits of a team", () => {
  it("can be set and removed only by owners", async () => {
    const space = await createWorkspace();
    const agent = await createAgent(space);
    const member = await inviteGuest(space);
    const asMember = (args: Args) =>
      performMutation(
        { graphql: (query, variables) => sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query, variables }) },
        "teamUpdate",
        args,
      );
    const limits = OWNER_ONLY_FIELD_NAMES.filter((name) => name.startsWith("lease"));
    expect(limits.length).to.equal(4);
    for (const name of limits)
      for (const value of [50, null]) {
        const args = { id: space.teamId, input: { name: "Ours", [name]: value } };
        expect((await agent.refuses("teamUpdate", args)).code, name).to.equal("FORBIDDEN");
        expect(toRefusal(await asMember(args)).code, name).to.equal("FORBIDDEN");
        await space.does("teamUpdate", args);
      }
    await agent.does("teamUpdate", { id: space.teamId, input: { name: "Theirs" } });
  });

  it("cap the limits of an agent's claim, and not of a person's claim", async () => {
    const space = await createWorkspace();
    const agent = await createAgent(space);
    await space.does("teamUpdate", { id: space.teamId, input: { leaseCostLimit: 3, leaseEqualCallLimit: 5 } });
    const limits = { costLimit: 100, equalCallLimit: 4, minuteLimit: 9 };
    const lease = "lease { costLimit equalCallLimit minuteLimit tokenLimit }";
    const claim = async (does: Workspace["does"]) =>
      (await does("issueClaim", { input: { id: (await space.issue()).id, ...limits } }, lease)).lease;
    expect(await claim(agent.does)).to.deep.equal({
      costLimit: 3,
      equalCallLimit: 4,
      minuteLimit: 9,
      tokenLimit: null,
    });
    expect(await claim(space.does)).to.deep.equal({ ...limits, tokenLimit: null });
  });
});
