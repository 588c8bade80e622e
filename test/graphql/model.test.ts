import { expect } from "chai";
import fc from "fast-check";
import { apply, type Command, type ModelIssue, newModel, readModel, refuses } from "../support/graphql/model.ts";
import { runs } from "../support/run/runs.ts";
import { freshWorkspace, perform, refusalOf, type Workspace, workspaceOf } from "../support/workspace.ts";

/** A command before it is known what there is: the numbers choose among whatever exists when its turn comes. */
type Draft = { kind: Command["kind"]; a: number; b: number };

const WORDS = ["red", "green", "blue"];
/** Few issues and labels, so that commands meet. */
const KINDS: Command["kind"][] = [
  ...(["create", "update", "update", "move", "move", "tag", "tag", "tag", "untag"] as const),
  ...(["tag", "tag", "move", "archive", "restore", "trash", "rename", "rename", "rename", "dropLabel"] as const),
];
const drafts = (maxLength: number) =>
  fc.array(fc.record<Draft>({ kind: fc.constantFrom(...KINDS), a: fc.nat(1000), b: fc.nat(1000) }), {
    minLength: maxLength / 2,
    maxLength,
  });

/** An organization with two teams and three labels, known to a model. */
async function modelled() {
  const space = await freshWorkspace();
  const teams = [space, await workspaceOf(space, "OPS")];
  const model = newModel();
  for (const [at, { teamId, states }] of teams.entries()) {
    const key = ["ENG", "OPS"][at] ?? "";
    model.teams.set(teamId, { id: teamId, key, keys: new Set([key]), counter: 0, states });
  }
  for (const [at, team] of [null, null, ...teams, ...teams].entries()) {
    const input = { name: `label ${at}`, ...(team && { teamId: team.teamId }) };
    const { issueLabel } = await space.does("issueLabelCreate", { input }, "issueLabel { id }");
    model.labels.set(issueLabel.id, { team: team?.teamId ?? null });
  }
  return { space, model, issues: [] as string[], labels: [...model.labels.keys()], teams: [...model.teams.values()] };
}

type World = Awaited<ReturnType<typeof modelled>>;

/** The command a draft means now; none while there is no issue. */
function commandOf({ issues, labels, teams }: World, { kind, a, b }: Draft): Command | undefined {
  const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;
  const teamId = pick(teams, b).id;
  if (kind === "create") return { kind, teamId, title: pick(WORDS, a) };
  if (kind === "rename") return { kind, teamId, key: pick(["ENG", "OPS", "DEV"], a) };
  if (kind === "dropLabel") return { kind, labelId: pick(labels, a) };
  if (issues.length === 0) return undefined;
  const id = pick(issues.slice(0, 3), a);
  if (kind === "move") return { kind, id, teamId };
  if (kind === "tag" || kind === "untag") return { kind, id, labelId: pick(labels, b) };
  if (kind !== "update") return { kind, id };
  const stateId = pick(Object.values(pick(teams, Math.floor(b / 6)).states), b);
  return pick<Command>(
    [
      { kind, id, title: pick(WORDS, b) },
      { kind, id, priority: b % 5 },
      { kind, id, stateId },
    ],
    b,
  );
}

/** Sends a command; answers the number of its change and the new issue's id, or that it was refused. */
async function send(space: Workspace, command: Command): Promise<{ lastSyncId: number; id: string } | undefined> {
  const [mutation, args] = request(command);
  const made = command.kind === "create" ? " issue { id }" : "";
  const reply = await perform(space, mutation, args, `lastSyncId${made}`);
  if (reply.errors) {
    expect(refusalOf(reply).code).to.be.oneOf(["INPUT_ERROR", "NOT_FOUND", "CONFLICT"]);
    return undefined;
  }
  const { lastSyncId, issue } = reply.data[mutation];
  return { lastSyncId, id: issue?.id };
}

function request(command: Command): [string, Record<string, unknown>] {
  const { kind, ...rest } = command;
  const { id, ...input } = { id: "", ...rest };
  if (kind === "create") return ["issueCreate", { input }];
  if (kind === "update" || kind === "move") return ["issueUpdate", { id, input }];
  if (kind === "tag") return ["issueAddLabel", rest];
  if (kind === "untag") return ["issueRemoveLabel", rest];
  if (kind === "rename") return ["teamUpdate", { id: command.teamId, input: { key: command.key } }];
  if (kind === "dropLabel") return ["issueLabelDelete", { id: command.labelId }];
  return [{ archive: "issueArchive", restore: "issueUnarchive", trash: "issueDelete" }[kind], { id }];
}

/** Every issue as the server reads it. */
async function read({ gql }: Workspace): Promise<ModelIssue[]> {
  const { issues } = await gql(`{ issues(first: 250, includeArchived: true) { nodes {
    id identifier title priority state { name } labelIds archivedAt trashed previousIdentifiers } } }`);
  return issues.nodes.map(({ state, labelIds, archivedAt, trashed, previousIdentifiers, ...rest }: any) => ({
    ...rest,
    state: state.name,
    labels: [...labelIds].sort(),
    archived: archivedAt !== null,
    trashed: trashed === true,
    previous: previousIdentifiers,
  }));
}

const agree = async ({ space, model }: World) => expect(await read(space)).to.have.deep.members(readModel(model));

describe("the tracker and its model in memory", () => {
  it("agree after every random command", async () => {
    const property = fc.asyncProperty(drafts(60), async (all) => {
      const world = await modelled();
      for (const draft of all) {
        const command = commandOf(world, draft);
        if (!command) continue;
        const done = await send(world.space, command);
        expect([command, done === undefined]).to.deep.equal([command, refuses(world.model, command)]);
        if (done) apply(world.model, command, done.id);
        if (done?.id) world.issues.push(done.id);
      }
      await agree(world);
    });
    await fc.assert(property, { numRuns: runs(5), interruptAfterTimeLimit: 30_000 });
  }).timeout(60_000);

  it("agree after concurrent commands, taken in the order of their changes", async () => {
    const property = fc.asyncProperty(drafts(60), async (all) => {
      const world = await modelled();
      for (let n = 0; n < 5; n += 1)
        world.issues.push((await world.space.issue({ teamId: world.teams[n % 2]?.id })).id);
      for (const [n, id] of world.issues.entries()) {
        apply(world.model, { kind: "create", teamId: world.teams[n % 2]?.id ?? "", title: "An issue" }, id);
      }
      const commands = all.flatMap((draft) => commandOf(world, draft) ?? []);
      const replies = await Promise.all(commands.map((command) => send(world.space, command)));
      const done = commands.flatMap((command, at) => {
        const reply = replies[at];
        return reply ? [{ command, ...reply }] : [];
      });
      done.sort((one, other) => one.lastSyncId - other.lastSyncId);
      for (const { command, id } of done) apply(world.model, command, id);
      await agree(world);
    });
    await fc.assert(property, { numRuns: runs(5), interruptAfterTimeLimit: 30_000 });
  }).timeout(60_000);
});
