import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createWorkspace, createWorkspaceIn } from "../../support/workspace.ts";

const MIB = 1024 * 1024;

/** Inputs that issueCreate must refuse, with the error code and the field of the error. */
const REFUSED: [what: string, input: object, code: string, field: string][] = [
  ["priority 9", { priority: 9 }, "INVALID_INPUT", "input.priority"],
  ["priority -1", { priority: -1 }, "INVALID_INPUT", "input.priority"],
  ["an empty title", { title: "  " }, "INVALID_INPUT", "input.title"],
  ["a title of 513 characters", { title: "x".repeat(513) }, "INVALID_INPUT", "input.title"],
  ["a title of 2 MiB", { title: "x".repeat(2 * MIB) }, "INVALID_INPUT", "input.title"],
  ["a title with U+0000", { title: "a\0b" }, "INVALID_INPUT", "input.title"],
  ["a title with half a character", { title: "a\ud800b" }, "INVALID_INPUT", "input.title"],
  ["a description over 256 KiB", { description: "é".repeat(128 * 1024 + 1) }, "INVALID_INPUT", "input.description"],
  ["an estimate of -1", { estimate: -1 }, "INVALID_INPUT", "input.estimate"],
  ["a creation in the future", { createdAt: "2999-01-01T00:00:00Z" }, "INVALID_INPUT", "input.createdAt"],
  ["an id that is no UUID", { id: "mine" }, "INVALID_INPUT", "input.id"],
  ["101 labels", { labelIds: Array(101).fill(randomUUID()) }, "INVALID_INPUT", "input.labelIds"],
  ["an unknown team", { teamId: randomUUID() }, "INPUT_ERROR", "teamId"],
  ["an unknown state", { stateId: randomUUID() }, "INPUT_ERROR", "stateId"],
  ["an unknown assignee", { assigneeId: "nobody" }, "INPUT_ERROR", "assigneeId"],
  ["an unknown parent", { parentId: "ENG-99" }, "INPUT_ERROR", "parentId"],
  ["an unknown project", { projectId: randomUUID() }, "INPUT_ERROR", "projectId"],
  ["an unknown label", { labelIds: [randomUUID()] }, "INPUT_ERROR", "labelIds.0"],
  ["a reference with U+0000", { stateId: "a\0" }, "INVALID_INPUT", "input.stateId"],
];

describe("issue mutations", () => {
  for (const [what, input, code, field] of REFUSED) {
    it(`refuse ${what}, naming ${field}, and write nothing`, async () => {
      const { refuses, teamId, last } = await createWorkspace();
      const before = await last();
      const refusal = await refuses("issueCreate", { input: { teamId, title: "x", ...input } });
      expect(refusal).to.deep.include({ code, field });
      expect(await last()).to.equal(before);
    });
  }

  it("refuse wrong types before anything runs", async () => {
    const { refuses, teamId } = await createWorkspace();
    for (const input of [{ priority: "high" }, { dueDate: "soon" }, { title: 5 }, { nonsense: true }]) {
      const refusal = await refuses("issueCreate", { input: { teamId, title: "x", ...input } });
      expect(refusal.code).to.equal("GRAPHQL_VALIDATION_FAILED");
    }
  });

  it("refuse a state, cycle or label of another team, and a label group as a label", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    const label = async (input: object) =>
      (await space.does("issueLabelCreate", { input }, "issueLabel { id }")).issueLabel.id;
    const [foreign, group] = [await label({ name: "o", teamId: "OPS" }), await label({ name: "g", isGroup: true })];
    const faults = { stateId: other.states["Todo"], labelIds: [foreign] };
    for (const [field, value] of Object.entries({ ...faults, addedLabelIds: [group] })) {
      await space.issue();
      const refusal = await space.refuses("issueUpdate", { id: "ENG-1", input: { [field]: value } });
      expect(refusal.code).to.equal("INPUT_ERROR");
      expect(refusal.field).to.match(new RegExp(`^${field}`));
    }
  });

  it("respond with NOT_FOUND for an issue that does not exist, in every mutation", async () => {
    const { refuses } = await createWorkspace();
    for (const id of [randomUUID(), "ENG-1", "nonsense", "", "'; drop table issue", "ENG-99999999999999"]) {
      for (const mutation of ["issueArchive", "issueUnarchive", "issueDelete"]) {
        expect((await refuses(mutation, { id })).code).to.equal("NOT_FOUND");
      }
      expect((await refuses("issueUpdate", { id, input: { title: "x" } })).code).to.equal("NOT_FOUND");
    }
  });

  it("report all failed checks of an input together", async () => {
    const { graphql, teamId } = await createWorkspace();
    const query = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }";
    const { errors } = await graphql(query, { input: { teamId, title: "", priority: 7, estimate: 5000 } });
    const paths = errors?.[0]?.extensions.validationErrors.map(({ path }: { path: string }) => path);
    expect(paths).to.have.members(["input.title", "input.priority", "input.estimate"]);
  });
});
