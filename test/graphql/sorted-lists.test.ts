import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../support/run/runs.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const LIST = `query ($sort: [IssueSortInput!], $filter: IssueFilter, $first: Int, $after: String, $last: Int, $before: String) {
  issues(sort: $sort, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    nodes { id title priority createdAt state { position } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
const KEYS: Record<string, (issue: any) => string | number> = {
  createdAt: ({ createdAt }) => createdAt,
  priority: ({ priority }) => priority,
  title: ({ title }) => title,
  workflowState: ({ state }) => state.position,
};

const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0);

describe("sorted lists", () => {
  let space: Workspace;

  before(async () => {
    space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    for (let n = 0; n < 24; n += 1) {
      const { states } = n % 2 ? space : other;
      const all = Object.values(states as Record<string, string>);
      const stateId = all[n % all.length];
      await (n % 2 ? space : other).issue({ title: `Title ${n % 5}`, priority: n % 5, ...(stateId && { stateId }) });
    }
  });

  it("keep their order on every page, forwards and backwards, with and without a filter", async () => {
    const everything = (await space.gql(LIST, { first: 250 })).issues.nodes;
    const cases = fc.record({
      name: fc.constantFrom(...Object.keys(KEYS)),
      order: fc.constantFrom("Ascending", "Descending"),
      nulls: fc.constantFrom("first", "last"),
      backward: fc.boolean(),
      size: fc.integer({ min: 3, max: 11 }),
      filter: fc.constantFrom(undefined, { priority: { gt: 0 } }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ name, order, nulls, backward, size, filter }) => {
        const sort = [{ [name]: { order, nulls } }];
        const turn = order === "Descending" ? -1 : 1;
        const key = KEYS[name] as (issue: any) => string | number;
        const tie = ({ createdAt }: any) => (name === "workflowState" ? createdAt : "");
        const wanted = everything
          .filter(({ priority }: any) => !filter || priority > 0)
          .sort((a: any, b: any) => turn * (compare(key(a), key(b)) || compare(tie(a), tie(b)) || compare(a.id, b.id)));
        const seen: any[] = [];
        for (let cursor: string | undefined, more = true; more; ) {
          const place = backward ? { last: size, before: cursor } : { first: size, after: cursor };
          const { nodes, pageInfo } = (await space.gql(LIST, { sort, filter, ...place })).issues;
          seen.splice(backward ? 0 : seen.length, 0, ...nodes);
          cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
          more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
        }
        expect(seen.map(({ id }) => id)).to.deep.equal(wanted.map(({ id }: any) => id));
      }),
      { numRuns: scaleRuns(40) },
    );
  });

  it("are refused for many rows without an index in that order, unless filtered", async () => {
    const { gql, graphql, issue, organizationId } = await createWorkspace();
    await issue({ title: "One" });
    const { db } = (await startSharedServer()).runtime;
    const estimate = [{ estimate: {} }];
    expect((await gql(LIST, { sort: estimate })).issues.nodes).to.have.length(1);
    const text = 'update team set "issueCounter" = 300000 where "organizationId" = $1';
    await db.query({ text, values: [organizationId] });
    for (const field of ["estimate", "assignee", "manual", "ready", "completedAt"]) {
      const { errors } = await graphql(LIST, { sort: [{ [field]: {} }] });
      expect(errors?.[0]?.extensions, field).to.include({ code: "INPUT_ERROR", field: "sort" });
      expect(errors?.[0]?.message).to.match(/filter by team/);
    }
    for (const field of Object.keys(KEYS)) {
      expect((await gql(LIST, { sort: [{ [field]: {} }] })).issues.nodes, field).to.have.length(1);
    }
    const filter = { team: { key: { eq: "ENG" } } };
    expect((await gql(LIST, { sort: estimate, filter })).issues.nodes).to.have.length(1);
  });
});
