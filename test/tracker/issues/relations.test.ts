import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../../support/run/runs.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const RELATION = "issueRelation { id type issue { id } relatedIssue { id } }";

describe("relations between issues", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });
  const relate = async (type: string, issueId: string, relatedIssueId: string) =>
    (await space.does("issueRelationCreate", { input: { type, issueId, relatedIssueId } }, RELATION)).issueRelation;

  it("are visible from both issues, usable in filters, and in the change log", async () => {
    const [one, other] = [await space.issue(), await space.issue()];
    const after = await space.last();
    const made = await relate("blocks", one.identifier, other.id);
    expect(made).to.deep.include({ type: "blocks", issue: { id: one.id }, relatedIssue: { id: other.id } });
    const { issue } = await space.gql(`{ issue(id: "${other.id}") { ready
      relations { nodes { id } } inverseRelations { nodes { type issue { identifier } } } } }`);
    expect(issue.relations.nodes).to.deep.equal([]);
    expect(issue.inverseRelations.nodes).to.deep.equal([{ type: "blocks", issue: { identifier: one.identifier } }]);
    const ids = `id: { in: ["${one.id}", "${other.id}"] }`;
    const found = async (filter: string) =>
      (await space.gql(`{ issues(filter: { ${ids}, ${filter} }) { nodes { id } } }`)).issues.nodes.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found("hasBlockedByRelations: { eq: true }")).to.deep.equal([other.id]);
    expect(await found("hasBlockingRelations: { eq: true }")).to.deep.equal([one.id]);
    expect(await found("hasBlockingRelations: { neq: true }")).to.deep.equal([other.id]);
    expect(await found('relations: { some: { type: { eq: "blocks" } } }')).to.deep.equal([one.id]);
    await space.does("issueRelationUpdate", { id: made.id, input: { type: "related" } });
    await space.does("issueRelationDelete", { id: made.id });
    const log = (await space.log(after)).filter(({ type }) => type === "IssueRelation");
    expect(log.map(({ event }) => event)).to.deep.equal([
      "issueRelation.created",
      "issueRelation.updated",
      "issueRelation.deleted",
    ]);
    expect(log[1]?.updatedFrom).to.include({ type: "blocks" });
  });

  it("are created once: the same relation again, or a mutual relation reversed, returns the existing relation", async () => {
    const [one, other] = [await space.issue(), await space.issue()];
    const { id } = await relate("related", one.id, other.id);
    expect((await relate("related", other.id, one.id)).id).to.equal(id);
    expect((await relate("discovered", other.id, one.id)).id).to.not.equal(id);
    const blocks = await relate("blocks", one.id, other.id);
    const refusal = await space.refuses("issueRelationUpdate", { id: blocks.id, input: { type: "related" } });
    expect(refusal).to.include({ code: "CONFLICT" });
    expect(
      (
        await space.refuses("issueRelationCreate", {
          input: { type: "similar", issueId: one.id, relatedIssueId: one.id },
        })
      ).field,
    ).to.equal("relatedIssueId");
  });

  it("move a duplicate to the state Duplicate", async () => {
    const [one, other] = [await space.issue(), await space.issue()];
    await relate("duplicate", one.id, other.id);
    expect((await space.read(one.id)).state.type).to.equal("duplicate");
    expect((await space.read(other.id)).state.type).to.equal("backlog");
  });

  it("are deleted with either of their issues", async () => {
    const [one, other] = [await space.issue(), await space.issue()];
    const { id } = await relate("blocks", one.id, other.id);
    await space.does("issueDelete", { id: one.id, permanentlyDelete: true });
    expect((await space.graphql(`{ issueRelation(id: "${id}") { id } }`)).errors?.[0]?.extensions.code).to.equal(
      "NOT_FOUND",
    );
    expect((await space.gql(`{ issue(id: "${other.id}") { ready } }`)).issue.ready).to.equal(true);
  });

  it("report the path of a circle of blocking issues, also longer than two", async () => {
    const [a, b, c] = [await space.issue(), await space.issue(), await space.issue()];
    await relate("blocks", a.id, b.id);
    await relate("blocks", b.id, c.id);
    const refusal = await space.refuses("issueRelationCreate", {
      input: { type: "blocks", issueId: c.id, relatedIssueId: a.id },
    });
    expect(refusal.code).to.equal("CONFLICT");
    expect(refusal.message).to.contain(`${c.identifier} → ${a.identifier} → ${b.identifier} → ${c.identifier}`);
  });

  it("never form a circle of blocking issues, compared with a model", async () => {
    const issues = await Promise.all(Array.from({ length: 6 }, () => space.issue()));
    const index = fc.nat(issues.length - 1);
    const command = fc.record({ from: index, to: index, drop: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const edges = new Map<string, { from: number; to: number }>();
        const reaches = (from: number, to: number): boolean =>
          from === to || [...edges.values()].some((edge) => edge.from === from && reaches(edge.to, to));
        for (const { from, to, drop } of commands) {
          const [old] = [...edges.keys()].slice(drop - 7);
          if (drop > 6 && old) {
            edges.delete(old);
            await space.does("issueRelationDelete", { id: old });
            continue;
          }
          const input = { type: "blocks", issueId: issues[from].id, relatedIssueId: issues[to].id };
          if (reaches(to, from)) {
            const refusal = await space.refuses("issueRelationCreate", { input });
            if (from !== to)
              checkPath(
                refusal.message,
                (one, other) =>
                  [...edges.values()].some((edge) => nameOf(edge.from) === one && nameOf(edge.to) === other),
                [nameOf(from), nameOf(to)],
              );
          } else
            edges.set((await space.does("issueRelationCreate", { input }, "issueRelation { id }")).issueRelation.id, {
              from,
              to,
            });
        }
        for (const id of edges.keys()) await space.does("issueRelationDelete", { id });
      }),
      { numRuns: scaleRuns(15) },
    );
    function nameOf(at: number): string {
      return issues[at].identifier;
    }
  }).timeout(120_000);
});

/**
 * Checks that the path in an error message starts with the new relation, and that each further step is an existing
 * relation.
 */
function checkPath(message: string, is: (one: string, other: string) => boolean, start: string[]): void {
  const path = message.match(/[A-Z]+-\d+( → [A-Z]+-\d+)+/)?.[0].split(" → ") ?? [];
  expect(path.slice(0, 2), message).to.deep.equal(start);
  expect(path.at(-1)).to.equal(path[0]);
  for (let at = 1; at + 1 < path.length; at += 1)
    expect(is(path[at] ?? "", path[at + 1] ?? ""), message).to.equal(true);
}
