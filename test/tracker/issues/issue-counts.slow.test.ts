import { expect } from "chai";
import fc from "fast-check";
import { repairOrganizationValues } from "../../../server/jobs/derived/repair.ts";
import { emptyTrash } from "../../../server/jobs/trash.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { startSharedServer } from "../../support/server.ts";
import { computeCounts, findWrongCounts } from "../../support/tracker/issue-counts.ts";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { createWorkspace, performMutation, type Workspace } from "../../support/workspace.ts";

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;
const COUNTS = `{ teams(includeArchived: true) { nodes { id issueCount } } users { nodes { id createdIssueCount } }
  projects(includeArchived: true) { nodes { id progress } } cycles(includeArchived: true) { nodes { id progress } }
  organization { id openIssueCount } }`;
const VALUES = ["issueCount", "createdIssueCount", "progress", "openIssueCount"];

/** The rows that an issue can belong to: teams with states, projects and cycles. */
interface World {
  space: Workspace;
  agent: TestAgent;
  teams: { id: string; key: string; states: string[] }[];
  projects: string[];
  cycles: string[];
  issues: string[];
}

/** Random numbers of a step. Each number, modulo a length, picks an element. */
interface Drawn {
  one: number;
  two: number;
  three: number;
}

const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const maybe = <T>(list: readonly T[], n: number): T | null => (n % 3 === 0 ? null : at(list, n));

/** Every operation of the APIs that changes a count. A refused operation changes nothing. */
const STEPS: Record<string, (world: World, drawn: Drawn) => Promise<unknown>> = {
  async create(world, drawn) {
    const { data } = await performMutation(world.space, "issueCreate", { input: fresh(world, drawn) }, "issue { id }");
    if (data?.issueCreate) world.issues.push(data.issueCreate.issue.id);
  },
  async createSome(world, drawn) {
    const issues = [fresh(world, drawn), fresh(world, { ...drawn, one: drawn.two }), fresh(world, drawn)];
    const { data } = await performMutation(world.space, "issueBatchCreate", { input: { issues } }, "issues { id }");
    world.issues.push(...(data?.issueBatchCreate?.issues ?? []).map(({ id }: { id: string }) => id));
  },
  async import(world, { one, two, three }) {
    const team = at(world.teams, two);
    const more = {
      project: `Imported ${one % 2}`,
      state: at(["Todo", "Done", "Canceled"], three),
      archivedAt: maybe([TODAY], one),
    };
    const row = {
      issue: { externalId: `I-${one % 5}`, team: team.key, title: `Imported ${three}`, createdAt: TODAY, ...more },
    };
    await performMutation(world.space, "issueBatchImport", { input: { source: "site", rows: [row] } });
  },
  project: (world, { one, two }) => update(world, one, { projectId: maybe(world.projects, two) }),
  cycle: (world, { one, two }) => update(world, one, { cycleId: maybe(world.cycles, two) }),
  state: (world, { one, two, three }) => update(world, one, { stateId: at(at(world.teams, two).states, three) }),
  move: (world, { one, two, three }) =>
    update(world, one, { teamId: at(world.teams, two).id, projectId: maybe(world.projects, three) }),
  trashByUpdate: (world, { one, two }) => update(world, one, { trashed: two % 2 === 0 }),
  several: ({ space, issues, projects }, { one, two, three }) =>
    performMutation(space, "issueBatchUpdate", {
      ids: [at(issues, one), at(issues, two)],
      input: { projectId: maybe(projects, three) },
    }),
  archive: ({ space, issues }, { one }) => performMutation(space, "issueArchive", { id: at(issues, one) }),
  unarchive: ({ space, issues }, { one }) => performMutation(space, "issueUnarchive", { id: at(issues, one) }),
  trash: ({ space, issues }, { one }) => performMutation(space, "issueDelete", { id: at(issues, one) }),
  remove: ({ space, issues }, { one }) =>
    performMutation(space, "issueDelete", { id: at(issues, one), permanentlyDelete: true }),
  duplicate: ({ space, issues }, { one, two }) =>
    performMutation(space, "issueRelationCreate", {
      input: { type: "duplicate", issueId: at(issues, one), relatedIssueId: at(issues, two) },
    }),
  finish: async ({ agent, issues }, { one }) => {
    await performMutation(agent, "issueClaim", { input: { id: at(issues, one) } });
    await performMutation(agent, "issueComplete", { id: at(issues, one) });
  },
  trashTeam: ({ space, teams }, { one }) => performMutation(space, "teamDelete", { id: at(teams, one).id }),
  restoreTeam: ({ space, teams }, { one }) => performMutation(space, "teamUnarchive", { id: at(teams, one).id }),
  trashProject: ({ space, projects }, { one }) => performMutation(space, "projectDelete", { id: at(projects, one) }),
  archiveCycle: ({ space, cycles }, { one }) => performMutation(space, "cycleArchive", { id: at(cycles, one) }),
  purge: async () => emptyTrash((await startSharedServer()).runtime, Date.now() + MONTH_MS),
};
const TODAY = new Date().toISOString();

const update = ({ space, issues }: World, which: number, input: object) =>
  performMutation(space, "issueUpdate", { id: at(issues, which), input });

const fresh = ({ teams, projects, cycles }: World, { one, two, three }: Drawn) => {
  const team = at(teams, one);
  const linked = { projectId: maybe(projects, two), ...(three % 2 && { cycleId: maybe(cycles, one) }) };
  return { title: "An issue", teamId: team.id, stateId: at(team.states, three), ...linked };
};

async function freshWorld(): Promise<World> {
  const space = await createWorkspace();
  const world: World = { space, agent: await createAgent(space), teams: [], projects: [], cycles: [], issues: [] };
  for (const key of ["ONE", "TWO"]) await space.does("teamCreate", { input: { key, name: key } });
  const { teams } = await space.gql("{ teams { nodes { id key states { nodes { id } } } } }");
  for (const { id, key, states } of teams.nodes) {
    world.teams.push({ id, key, states: states.nodes.map((state: { id: string }) => state.id) });
    const times = { startsAt: TODAY, endsAt: new Date(Date.now() + MONTH_MS).toISOString() };
    const made = await space.does("cycleCreate", { input: { teamId: id, ...times } }, "cycle { id }");
    world.cycles.push(made.cycle.id);
  }
  const teamIds = world.teams.map(({ id }) => id);
  for (const name of ["P", "Q"])
    world.projects.push((await space.does("projectCreate", { input: { name, teamIds } }, "project { id }")).project.id);
  for (let n = 0; n < 3; n += 1) await STEPS["create"]?.(world, { one: n, two: n, three: n });
  return world;
}

describe("stored counts of issues", () => {
  const run = async (text: string, values: unknown[]) => (await startSharedServer()).runtime.db.query({ text, values });
  const shown = (answer: Record<string, any>) =>
    new Map(
      Object.values(answer)
        .flatMap((part) => part.nodes ?? [part])
        .map((node) => [node.id, node[VALUES.find((name) => name in node) ?? ""]] as const),
    );

  const step = fc.record({
    name: fc.constantFrom(...Object.keys(STEPS)),
    one: fc.nat(30),
    two: fc.nat(30),
    three: fc.nat(30),
  });

  it("equal the counted issues after random writes through any API", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const world = await freshWorld();
        for (const { name, ...drawn } of steps) await STEPS[name]?.(world, drawn);
        const { gql, organizationId } = world.space;
        const { db } = (await startSharedServer()).runtime;
        expect(await findWrongCounts(db, organizationId), JSON.stringify(steps)).to.deep.equal([]);
        expect(shown(await gql(COUNTS)), JSON.stringify(steps)).to.deep.equal(await computeCounts(db, organizationId));
      }),
      { numRuns: scaleRuns(12) },
    );
  }).timeout(180_000);

  it("change with every kind of step, except when a project is trashed", async () => {
    const unchanged: string[] = [];
    let world: World | undefined;
    for (const [at, [name, work]] of Object.entries(STEPS).entries()) {
      // A new world every five steps, because earlier steps archive and delete most rows.
      if (at % 5 === 0 || !world) world = await freshWorld();
      for (let n = 0; n < 6; n += 1) await STEPS["create"]?.(world, { one: n, two: n + 1, three: 3 });
      const { gql, organizationId } = world.space;
      const counts = async () => JSON.stringify([await run(ALL, [organizationId]), await gql(COUNTS)]);
      let changed = false;
      for (let n = 0; n < 12 && !changed; n += 1) {
        await STEPS[UNDONE[name] ?? ""]?.(world, { one: n, two: 0, three: 0 });
        const before = await counts();
        await work(world, { one: n, two: (n * 7 + 3) % 11, three: n + 2 });
        changed = (await counts()) !== before;
      }
      if (!changed) unchanged.push(name);
    }
    expect(unchanged, "these steps test nothing").to.deep.equal(["trashProject"]);
  }).timeout(180_000);
  const UNDONE: Record<string, string> = { restoreTeam: "trashTeam", unarchive: "archive", purge: "trash" };
  const ALL = `select kind, id, "teamId", issues, shown, completed from "issueCount" where "organizationId" = $1
    and issues <> 0 order by 1, 2, 3`;

  it("are recomputed correctly while issues are written", async () => {
    const world = await freshWorld();
    const { organizationId } = world.space;
    for (let n = 0; n < 30; n += 1) await STEPS["create"]?.(world, { one: n, two: n + 1, three: n + 2 });
    await run(`delete from "issueCount" where "organizationId" = $1`, [organizationId]);
    const { runtime } = await startSharedServer();
    const repairing = repairOrganizationValues(runtime, organizationId);
    for (let n = 0; n < 20; n += 1) {
      const names = Object.keys(STEPS).filter((name) => !/team|purge/i.test(name));
      await STEPS[at(names, n)]?.(world, { one: n * 7, two: n + 1, three: n + 2 });
    }
    await repairing;
    await repairOrganizationValues(runtime, organizationId);
    expect(await findWrongCounts(runtime.db, organizationId)).to.deep.equal([]);
  }).timeout(60_000);
});
