import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createWorkspace } from "../../support/workspace.ts";

describe("a batch of issues", () => {
  it("creates up to 50 issues in order, each with a change in the log", async () => {
    const { does, teamId, log, last } = await createWorkspace();
    const before = await last();
    const issues = Array.from({ length: 50 }, (_, at) => ({ teamId, title: `Issue ${at + 1}` }));
    const made = await does("issueBatchCreate", { input: { issues } }, "issues { identifier title }");
    expect(made.issues.map(({ identifier }: any) => identifier)).to.deep.equal(issues.map((_, at) => `ENG-${at + 1}`));
    expect((await log(before)).map(({ data }) => data.title)).to.deep.equal(issues.map(({ title }) => title));
  });

  it("creates all issues or none, and reuses the numbers of a failed batch", async () => {
    const { refuses, issue, teamId, last } = await createWorkspace();
    const before = await last();
    const issues = [
      { teamId, title: "fine" },
      { teamId, title: "not", stateId: teamId },
    ];
    expect(await refuses("issueBatchCreate", { input: { issues } })).to.include({
      code: "INPUT_ERROR",
      field: "stateId",
    });
    expect(await last()).to.equal(before);
    expect((await issue()).identifier).to.equal("ENG-1");
  });

  it("creates parents and blockers with the issues by client ids, once when repeated", async () => {
    const { does, gql, issue, teamId, last } = await createWorkspace();
    const stored = await issue({ title: "There before" });
    const [epic, first, second] = [randomUUID(), randomUUID(), randomUUID()];
    const input = {
      issues: [
        { id: epic, teamId, title: "Epic" },
        { id: first, teamId, title: "First", parentId: epic },
        { id: second, teamId, title: "Second", parentId: epic },
      ],
      relations: [
        { type: "blocks", issueId: first, relatedIssueId: second },
        { type: "blocks", issueId: stored.identifier, relatedIssueId: first },
        { type: "related", issueId: epic, relatedIssueId: first },
        { type: "related", issueId: first, relatedIssueId: epic },
      ],
    };
    await does("issueBatchCreate", { input });
    const made = await last();
    await does("issueBatchCreate", { input });
    expect(await last(), "the same batch again").to.equal(made);
    const nodes = `nodes { title ready parent { title } inverseRelations { nodes { type issue { title } } } }`;
    const { issues } = await gql(`{ issues(filter: { title: { neq: "There before" } }) { ${nodes} } }`);
    const seen = issues.nodes.map(({ title, ready, parent, inverseRelations }: any) => [
      title,
      ready,
      parent?.title,
      inverseRelations.nodes.map(({ type, issue: from }: any) => `${type} ${from.title}`).sort(),
    ]);
    expect(seen).to.have.deep.members([
      ["Epic", true, undefined, []],
      ["First", false, "Epic", ["blocks There before", "related Epic"]],
      ["Second", false, "Epic", ["blocks First"]],
    ]);
  });

  it("creates nothing if the new issues would block each other in a circle", async () => {
    const { refuses, teamId, last } = await createWorkspace();
    const before = await last();
    const issues = ["One", "Two", "Three"].map((title) => ({ id: randomUUID(), teamId, title }));
    const relations = issues.map(({ id }, at) => ({
      ...{ type: "blocks", issueId: id, relatedIssueId: issues[(at + 1) % 3]?.id },
    }));
    const refusal = await refuses("issueBatchCreate", { input: { issues, relations } });
    expect(refusal.code).to.equal("CONFLICT");
    expect(refusal.message).to.include("Three → One → Two → Three");
    expect(await last()).to.equal(before);
  });

  it("updates several issues alike, and none if an issue does not exist", async () => {
    const { does, refuses, issue, read, teamId } = await createWorkspace();
    const ids = [(await issue()).id, (await issue()).id];
    const made = await does(
      "issueBatchUpdate",
      { ids: [...ids, ids[0]], input: { priority: 1 } },
      "issues { id priority }",
    );
    expect(made.issues).to.deep.equal(ids.map((id) => ({ id, priority: 1 })));
    const refusal = await refuses("issueBatchUpdate", { ids: [ids[0], teamId], input: { priority: 2 } });
    expect(refusal.code).to.equal("NOT_FOUND");
    expect((await read(String(ids[0]))).priority).to.equal(1);
  });

  it("is refused with 51 issues, and with no issue", async () => {
    const { refuses, teamId } = await createWorkspace();
    for (const count of [0, 51]) {
      const issues = Array.from({ length: count }, () => ({ teamId, title: "x" }));
      expect((await refuses("issueBatchCreate", { input: { issues } })).code).to.equal("INVALID_INPUT");
      const ids = issues.map(() => teamId);
      expect(await refuses("issueBatchUpdate", { ids, input: {} })).to.include({ code: "INPUT_ERROR", field: "ids" });
    }
  });
});
