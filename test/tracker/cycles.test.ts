import { expect } from "chai";
import { createWorkspace } from "../support/workspace.ts";

const CYCLE = "cycle { id number name startsAt endsAt isActive isPast isFuture progress team { key } }";
const span = (from: number, days = 14) => ({
  startsAt: new Date(Date.now() + from * 86_400_000).toISOString(),
  endsAt: new Date(Date.now() + (from + days) * 86_400_000).toISOString(),
});

describe("cycles", () => {
  it("are numbered by team and report whether they run", async () => {
    const { does, gql } = await createWorkspace();
    const made = async (from: number) =>
      (await does("cycleCreate", { input: { teamId: "ENG", ...span(from) } }, CYCLE)).cycle;
    expect(await made(-30)).to.include({ number: 1, isPast: true, isActive: false, isFuture: false });
    const active = await made(-1);
    expect(active).to.include({ number: 2, isActive: true });
    expect(await made(30)).to.include({ number: 3, isFuture: true });
    expect((await gql('{ team(id: "ENG") { activeCycle { id } } }')).team.activeCycle).to.deep.equal({ id: active.id });
  });

  it("report the next and the previous cycle of the team, without archived cycles and other teams", async () => {
    const { does, gql, teamId } = await createWorkspace();
    const other = (await does("teamCreate", { input: { name: "Other" } }, "team { id }")).team.id;
    const made = async (from: number, team = teamId): Promise<string> =>
      (await does("cycleCreate", { input: { teamId: team, ...span(from, 5) } }, CYCLE)).cycle.id;
    const numbers = async (condition: string): Promise<number[]> =>
      (
        await gql(
          `{ team(id: "ENG") { cycles(filter: { ${condition}: { eq: true } }) { nodes { number ${condition} } } } }`,
        )
      ).team.cycles.nodes.map((cycle: { number: number }) => cycle.number);
    expect([await numbers("isNext"), await numbers("isPrevious")]).to.deep.equal([[], []]);
    for (const from of [30, -30, 10, -10, -2, 20]) await made(from);
    await made(5, other);
    await made(-5.5, other);
    expect([await numbers("isNext"), await numbers("isPrevious")]).to.deep.equal([[3], [4]]);
    const { nodes } = (await gql("{ cycles(filter: { isNext: { eq: true } }) { nodes { id } } }")).cycles;
    expect(nodes).to.have.length(2);
    const next = (await gql('{ team(id: "ENG") { cycles(filter: { number: { eq: 3 } }) { nodes { id } } } }')).team;
    await does("cycleArchive", { id: next.cycles.nodes[0].id });
    expect(await numbers("isNext")).to.deep.equal([6]);
  });

  it("lose their issues when archived, each issue with a change in the log", async () => {
    const { does, issue, read, last, log, gql, refuses } = await createWorkspace();
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", ...span(0) } }, CYCLE);
    const planned = [await issue({ cycleId: cycle.id }), await issue({ cycleId: cycle.id }), await issue()];
    await does("issueArchive", { id: planned[1].id });
    const [before, old] = [await last(), await read(planned[0].id)];
    await does("cycleArchive", { id: cycle.id });
    for (const { id } of planned) expect((await read(id)).cycle).to.equal(null);
    const changes = await log(before);
    expect(changes.map(({ event, entityId }) => [event, entityId])).to.have.deep.members([
      ["issue.updated", planned[0].id],
      ["issue.updated", planned[1].id],
      ["cycle.archived", cycle.id],
    ]);
    const change = changes.find(({ entityId }) => entityId === planned[0].id);
    expect(change?.updatedFrom).to.deep.equal({ cycleId: cycle.id, updatedAt: old.updatedAt });
    expect(change?.data.cycleId).to.equal(null);
    const query = "query ($id: String!) { cycle(id: $id) { issues(includeArchived: true) { nodes { id } } } }";
    expect((await gql(query, { id: cycle.id })).cycle.issues.nodes).to.deep.equal([]);
    await does("cycleArchive", { id: cycle.id });
    expect(await log(changes.at(-1)?.lastSyncId)).to.deep.equal([]);
    expect((await refuses("cycleArchive", { id: crypto.randomUUID() })).code).to.equal("NOT_FOUND");
  });

  it("must end after they start, also after an update", async () => {
    const { does, refuses } = await createWorkspace();
    const { startsAt, endsAt } = span(0);
    const backward = { teamId: "ENG", startsAt: endsAt, endsAt: startsAt };
    expect(await refuses("cycleCreate", { input: backward })).to.include({
      code: "INVALID_INPUT",
      field: "input.endsAt",
    });
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", startsAt, endsAt } }, CYCLE);
    const refusal = await refuses("cycleUpdate", { id: cycle.id, input: { startsAt: span(99).startsAt } });
    expect(refusal.field).to.equal("input.endsAt");
  });

  it("report the completed share of their issues", async () => {
    const { does, issue, gql, states } = await createWorkspace();
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", ...span(0) } }, CYCLE);
    for (const state of ["Done", "Todo", "Canceled"]) await issue({ cycleId: cycle.id, stateId: states[state] });
    const query = "query ($id: String!) { cycle(id: $id) { progress issues { nodes { number } } } }";
    const { progress, issues } = (await gql(query, { id: cycle.id })).cycle;
    expect([progress, issues.nodes.length]).to.deep.equal([0.5, 3]);
  });

  it("are updated and archived, each with a change in the log", async () => {
    const { does, refuses, last, log } = await createWorkspace();
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", ...span(0) } }, CYCLE);
    const before = await last();
    await does("cycleUpdate", { id: cycle.id, input: { name: "Spring" } });
    await does("cycleArchive", { id: cycle.id });
    expect((await log(before)).map(({ event }) => event)).to.deep.equal(["cycle.updated", "cycle.archived"]);
    const refusal = await refuses("issueCreate", { input: { teamId: "ENG", title: "x", cycleId: cycle.id } });
    expect(refusal).to.include({ code: "INPUT_ERROR", field: "cycleId" });
  });
});
