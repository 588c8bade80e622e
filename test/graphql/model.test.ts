import { expect } from "chai";
import fc from "fast-check";
import {
  applyCommand,
  createModel,
  type ModelCommand,
  type ModelIssue,
  readModel,
  refusesCommand,
} from "../support/graphql/model.ts";
import { scaleRuns } from "../support/run/runs.ts";
import {
  createWorkspace,
  createWorkspaceIn,
  performMutation,
  toRefusal,
  type Workspace,
} from "../support/workspace.ts";

/**
 * Command before the existing entities are known. The numbers select among the entities that exist when the command
 * runs.
 */
type Draft = { kind: ModelCommand["kind"]; a: number; b: number };

const WORDS = ["red", "green", "blue"];
/** Few issues and labels, so that commands affect the same entities. */
const KINDS: ModelCommand["kind"][] = [
  ...(["create", "update", "update", "move", "move", "tag", "tag", "tag", "untag"] as const),
  ...(["tag", "tag", "move", "archive", "restore", "trash", "rename", "rename", "rename", "dropLabel"] as const),
];
const drafts = (maxLength: number) =>
  fc.array(fc.record<Draft>({ kind: fc.constantFrom(...KINDS), a: fc.nat(1000), b: fc.nat(1000) }), {
    minLength: maxLength / 2,
    maxLength,
  });

/** Creates an organization with two teams and three labels, and the matching model. */
async function modelled() {
  const space = await createWorkspace();
  const teams = [space, await createWorkspaceIn(space, "OPS")];
  const model = createModel();
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

/** Turns a draft into a command for the current state; undefined if no issue exists. */
function commandOf({ issues, labels, teams }: World, { kind, a, b }: Draft): ModelCommand | undefined {
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
  return pick<ModelCommand>(
    [
      { kind, id, title: pick(WORDS, b) },
      { kind, id, priority: b % 5 },
      { kind, id, stateId },
    ],
    b,
  );
}

/**
 * Sends a command. Returns the change number and the id of a new issue, or undefined if the server refused the
 * command.
 */
async function send(space: Workspace, command: ModelCommand): Promise<{ lastSyncId: number; id: string } | undefined> {
  const [mutation, args] = request(command);
  const made = command.kind === "create" ? " issue { id }" : "";
  const reply = await performMutation(space, mutation, args, `lastSyncId${made}`);
  if (reply.errors) {
    expect(toRefusal(reply).code).to.be.oneOf(["INPUT_ERROR", "NOT_FOUND", "CONFLICT"]);
    return undefined;
  }
  const { lastSyncId, issue } = reply.data[mutation];
  return { lastSyncId, id: issue?.id };
}

function request(command: ModelCommand): [string, Record<string, unknown>] {
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

/** Reads every issue from the server. */
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

describe("the tracker and its in-memory model", () => {
  it("contain the same issues after every random command", async () => {
    const property = fc.asyncProperty(drafts(60), async (all) => {
      const world = await modelled();
      for (const draft of all) {
        const command = commandOf(world, draft);
        if (!command) continue;
        const done = await send(world.space, command);
        expect([command, done === undefined]).to.deep.equal([command, refusesCommand(world.model, command)]);
        if (done) applyCommand(world.model, command, done.id);
        if (done?.id) world.issues.push(done.id);
      }
      await agree(world);
    });
    await fc.assert(property, { numRuns: scaleRuns(5), interruptAfterTimeLimit: 30_000 });
  }).timeout(60_000);

  it("contain the same issues after concurrent commands, applied in the order of the change log", async () => {
    const property = fc.asyncProperty(drafts(60), async (all) => {
      const world = await modelled();
      for (let n = 0; n < 5; n += 1)
        world.issues.push((await world.space.issue({ teamId: world.teams[n % 2]?.id })).id);
      for (const [n, id] of world.issues.entries()) {
        applyCommand(world.model, { kind: "create", teamId: world.teams[n % 2]?.id ?? "", title: "An issue" }, id);
      }
      const commands = all.flatMap((draft) => commandOf(world, draft) ?? []);
      const replies = await Promise.all(commands.map((command) => send(world.space, command)));
      const done = commands.flatMap((command, at) => {
        const reply = replies[at];
        return reply ? [{ command, ...reply }] : [];
      });
      done.sort((one, other) => one.lastSyncId - other.lastSyncId);
      for (const { command, id } of done) applyCommand(world.model, command, id);
      await agree(world);
    });
    await fc.assert(property, { numRuns: scaleRuns(5), interruptAfterTimeLimit: 30_000 });
  }).timeout(60_000);
});
