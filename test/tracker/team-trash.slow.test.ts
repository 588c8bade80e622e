import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { measureLongestStatement } from "../support/db/statements.ts";
import { buildListCases } from "../support/graphql/documents.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const empty = async (days: number) => emptyTrash((await startSharedServer()).runtime, Date.now() + days * DAY_MS);
const GONE = { id: "GO" };

/** Creates one entity of each kind that belongs to a team, linked to entities outside of the team. Returns the ids. */
async function fill(space: Workspace): Promise<string[]> {
  const make = async (mutation: string, input: object, field: string): Promise<string> =>
    (await space.does(mutation, { input }, `${field} { id }`))[field].id;
  const teamId = (await createWorkspaceIn(space, "GO")).teamId;
  const labelId = await make("issueLabelCreate", { name: "own", teamId }, "issueLabel");
  const stateId = await make(
    "workflowStateCreate",
    { teamId, name: "Odd", type: "started", color: "#000000" },
    "workflowState",
  );
  const span = { startsAt: "2026-01-01T00:00:00Z", endsAt: "2030-01-02T00:00:00Z" };
  const cycleId = await make("cycleCreate", { teamId, ...span }, "cycle");
  const { viewer } = await space.gql("{ viewer { id } }");
  const projectId = await make("projectCreate", { name: "P", teamIds: [teamId, space.teamId] }, "project");
  const links = { labelIds: [labelId], stateId, cycleId, projectId, assigneeId: viewer.id };
  const first = await make("issueCreate", { title: "a word", teamId, ...links }, "issue");
  const part = await make("issueCreate", { title: "a part", teamId, parentId: first }, "issue");
  await make("issueCreate", { title: "a stay", teamId: space.teamId, parentId: first, projectId }, "issue");
  const comment = await make("commentCreate", { issueId: first, body: "a word" }, "comment");
  const answer = await make("commentCreate", { parentId: comment, body: "another" }, "comment");
  const archived = await make("issueCreate", { title: "a rest", teamId }, "issue");
  await space.does("issueArchive", { id: archived });
  return [teamId, labelId, stateId, cycleId, first, part, comment, answer, archived];
}

/** Returns every object id in a response. */
function idsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "id" in value ? [String(value.id)] : [];
  return [...own, ...Object.values(value).flatMap(idsIn)];
}

describe("a team in the trash", () => {
  it("is hidden from all lists with everything in it, and is restored unchanged", async () => {
    const space = await createWorkspace();
    const ids = await fill(space);
    const lists = buildListCases().filter(({ name }) => !/^(changes|recorded)/.test(name));
    // Sent in sequence, because the server may respond to many parallel requests with 503.
    const all = async () => {
      const answers: unknown[] = [];
      for (const { query } of lists) answers.push(await space.gql(query));
      return answers;
    };
    const before = await all();
    const seen = new Set(before.flatMap(idsIn));
    expect(ids.filter((id) => !seen.has(id))).to.deep.equal(ids.slice(-1));
    await space.does("teamDelete", GONE);
    const shown = (await all()).map((data, at) => [lists[at]?.name, idsIn(data).filter((id) => ids.includes(id))]);
    expect(shown.filter(([, some]) => some?.length)).to.deep.equal([]);
    const asked = await space.gql("{ teams(includeArchived: true) { nodes { key archivedAt } } }");
    expect(asked.teams.nodes.find(({ key }: { key: string }) => key === "GO")?.archivedAt).to.be.a("string");
    expect((await space.read("GO-1")).id).to.equal(ids[4]);
    await space.does("teamUnarchive", GONE);
    const stamped = (text: string) => text.replaceAll(/"updatedAt":"[^"]*"/g, "");
    const after = await all();
    for (const [at, { name }] of lists.entries()) {
      if (name === "teams") continue;
      expect(stamped(JSON.stringify(after[at])), name).to.equal(stamped(JSON.stringify(before[at])));
    }
  });

  it("is logged once as removed, and once as restored", async () => {
    const space = await createWorkspace();
    const [teamId] = await fill(space);
    const before = await space.last();
    const { success, entityId } = await space.does("teamDelete", GONE, "success entityId");
    expect([success, entityId]).to.deep.equal([true, teamId]);
    await space.does("teamDelete", GONE);
    const { entity } = await space.does("teamUnarchive", GONE, "entity { id archivedAt }");
    expect(entity).to.deep.equal({ id: teamId, archivedAt: null });
    const log = await space.log(before);
    expect(log.map(({ action, event, entityId: id }) => [action, event, id])).to.deep.equal([
      ["remove", "team.deleted", teamId],
      ["update", "team.unarchived", teamId],
    ]);
    expect(log[1]?.updatedFrom.archivedAt).to.equal(log[0]?.data.archivedAt).and.to.be.a("string");
  });

  it("accepts no new entities, and keeps its key and its numbers", async () => {
    const space = await createWorkspace();
    await fill(space);
    const { id } = await space.issue();
    await space.does("teamDelete", GONE);
    const span = { startsAt: "2026-01-01T00:00:00Z", endsAt: "2030-01-02T00:00:00Z" };
    const state = { name: "s", type: "started", color: "#000000" };
    const hook = { url: "https://example.com/", resourceTypes: [] };
    const teamId = (await space.gql('{ team(id: "GO") { id } }')).team.id;
    for (const [mutation, args] of [
      ["issueCreate", { input: { teamId: "GO", title: "x" } }],
      ["issueUpdate", { id, input: { teamId: "GO" } }],
      ["cycleCreate", { input: { teamId: "GO", ...span } }],
      ["workflowStateCreate", { input: { teamId: "GO", ...state } }],
      ["issueLabelCreate", { input: { teamId: "GO", name: "x" } }],
      ["projectCreate", { input: { teamIds: ["GO"], name: "x" } }],
      ["webhookCreate", { input: { ...hook, teamId } }],
    ] as const) {
      const refusal = await space.refuses(mutation, args);
      expect(refusal.code, mutation).to.equal("INPUT_ERROR");
      if (mutation !== "webhookCreate") expect(refusal.message).to.match(/in the trash.*teamUnarchive/);
    }
    expect(await space.refuses("teamCreate", { input: { name: "Gone", key: "GO" } })).to.include({ code: "CONFLICT" });
    const { team } = await space.does("teamCreate", { input: { name: "Go" } }, "team { key }");
    expect(team.key).not.to.equal("GO");
    await space.does("teamUnarchive", GONE);
    const { issue } = await space.does("issueCreate", { input: { teamId: "GO", title: "x" } }, "issue { identifier }");
    expect(issue.identifier).to.equal("GO-4");
  });

  it("is deleted with its content after 30 days, in slices and without log entries for the content", async () => {
    const space = await createWorkspace();
    const ids = await fill(space);
    const titles = Array.from({ length: 50 }, (_, at) => ({ teamId: "GO", title: `many ${at}` }));
    for (let n = 0; n < 12; n += 1) await space.does("issueBatchCreate", { input: { issues: titles } });
    const { runtime } = await startSharedServer();
    await runtime.db.query({
      text: `insert into comment ("organizationId", id, body, "issueId", "createdAt", "updatedAt")
        select "organizationId", gen_random_uuid(), 'x', $2, now(), now() from issue, generate_series(1, 3)
        where "organizationId" = $1 and "teamId" = $3`,
      values: [space.organizationId, ids[4], ids[0]],
    });
    await space.does("teamDelete", GONE);
    const before = await space.last();
    await empty(29);
    expect((await space.gql('{ team(id: "GO") { id } }')).team.id).to.equal(ids[0]);
    // The length of the statement must not grow with the number of removed rows. A statement with a part for each row
    // takes seconds to plan.
    expect(
      await measureLongestStatement(await startSharedServer(), space.organizationId, () => empty(31)),
    ).to.be.within(1, 10_000);
    for (const field of ["team", "issueLabel", "workflowState", "cycle", "issue"]) {
      const id = ids[["team", "issueLabel", "workflowState", "cycle", "issue"].indexOf(field)];
      const { errors } = await space.graphql(`{ ${field}(id: "${id}") { id } }`);
      expect(errors?.[0]?.extensions.code, field).to.equal("NOT_FOUND");
    }
    const [{ left } = { left: -1 }] = await runtime.db.query<{ left: number }>({
      text: `select (select count(*) from issue where "organizationId" = $1 and "teamId" = $2)::int
        + (select count(*) from comment where "organizationId" = $1)::int as left`,
      values: [space.organizationId, ids[0]],
    });
    expect(left).to.equal(0);
    const told = (await space.log(before)).map(({ event, actor }) => `${event} by ${actor.type}`);
    // The project lost a team, and the remaining issue lost a parent.
    expect(told.sort()).to.deep.equal(["issue.updated by system", "project.updated by system"]);
    await space.does("teamCreate", { input: { name: "Again", key: "GO" } });
  });

  it("of another organization cannot be deleted or restored", async () => {
    const space = await createWorkspace();
    const other = await createWorkspace();
    for (const mutation of ["teamDelete", "teamUnarchive"]) {
      expect((await space.refuses(mutation, { id: other.teamId })).code).to.equal("NOT_FOUND");
    }
    expect((await other.gql("{ teams { nodes { id } } }")).teams.nodes).to.have.length(1);
  });

  it("does not count in the progress of a project", async () => {
    const space = await createWorkspace();
    const gone = await createWorkspaceIn(space, "GO");
    const input = { name: "P", teamIds: ["GO", "ENG"] };
    const { project } = await space.does("projectCreate", { input }, "project { id }");
    await space.issue({ projectId: project.id, stateId: space.states["Done"] });
    await gone.issue({ projectId: project.id });
    const progress = async () => (await space.gql(`{ project(id: "${project.id}") { progress } }`)).project.progress;
    expect(await progress()).to.equal(0.5);
    await space.does("teamDelete", GONE);
    expect(await progress()).to.equal(1);
  });
});
