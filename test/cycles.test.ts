import { expect } from "chai";
import { freshWorkspace } from "./support/workspace.ts";

const CYCLE = "cycle { id number name startsAt endsAt isActive isPast isFuture progress team { key } }";
const span = (from: number, days = 14) => ({
  startsAt: new Date(Date.now() + from * 86_400_000).toISOString(),
  endsAt: new Date(Date.now() + (from + days) * 86_400_000).toISOString(),
});

describe("cycles", () => {
  it("are numbered by team and know whether they run", async () => {
    const { does, gql } = await freshWorkspace();
    const made = async (from: number) =>
      (await does("cycleCreate", { input: { teamId: "ENG", ...span(from) } }, CYCLE)).cycle;
    expect(await made(-30)).to.include({ number: 1, isPast: true, isActive: false, isFuture: false });
    const active = await made(-1);
    expect(active).to.include({ number: 2, isActive: true });
    expect(await made(30)).to.include({ number: 3, isFuture: true });
    expect((await gql('{ team(id: "ENG") { activeCycle { id } } }')).team.activeCycle).to.deep.equal({ id: active.id });
  });

  it("end after they start, also after a change", async () => {
    const { does, refuses } = await freshWorkspace();
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

  it("measure the share of their issues that are completed", async () => {
    const { does, issue, gql, states } = await freshWorkspace();
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", ...span(0) } }, CYCLE);
    for (const state of ["Done", "Todo", "Canceled"]) await issue({ cycleId: cycle.id, stateId: states[state] });
    const query = "query ($id: String!) { cycle(id: $id) { progress issues { nodes { number } } } }";
    const { progress, issues } = (await gql(query, { id: cycle.id })).cycle;
    expect([progress, issues.nodes.length]).to.deep.equal([0.5, 3]);
  });

  it("are changed and archived, each with its change in the log", async () => {
    const { does, refuses, last, log } = await freshWorkspace();
    const { cycle } = await does("cycleCreate", { input: { teamId: "ENG", ...span(0) } }, CYCLE);
    const before = await last();
    await does("cycleUpdate", { id: cycle.id, input: { name: "Spring" } });
    await does("cycleArchive", { id: cycle.id });
    expect((await log(before)).map(({ event }) => event)).to.deep.equal(["cycle.updated", "cycle.archived"]);
    const refusal = await refuses("issueCreate", { input: { teamId: "ENG", title: "x", cycleId: cycle.id } });
    expect(refusal).to.include({ code: "INPUT_ERROR", field: "cycleId" });
  });
});
