import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { removeFormulaGuard, toCsvCell } from "../../../cli/export/csv.ts";
import { readCsvRecords } from "../../../cli/import/read/csv.ts";
import { type CliUser, createSignedInUser } from "../../support/cli/cli.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** Prefixes that spreadsheets interpret as a formula, from OWASP's list, and the quote that guards against them. */
const STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'", "'=", "''"];

const FILES = [
  ["linear-csv", "linear.csv"],
  ["github-json", "github.json", "--team", "ENG"],
  ["jira-csv", "jira.csv"],
  ["beads-jsonl", "beads.jsonl", "--team", "ENG"],
];

/**
 * Creates an organization with data imported from four other trackers, and with data that only members of Trackway
 * can create.
 */
async function everything(): Promise<{ space: Workspace; person: CliUser }> {
  const space = await createWorkspace();
  const person = await createSignedInUser(space);
  for (const [format = "", file = "", ...more] of FILES) {
    person.write(file, readFileSync(`test/fixtures/import/${file}`, "utf8"));
    const { code, stderr } = await person.run(["import", format, file, ...more]);
    expect([code, stderr]).to.deep.equal([0, ""]);
  }
  await ourOwn(space);
  return { space, person };
}

async function ourOwn({ does, issue, teamId, states, gql }: Workspace): Promise<void> {
  const group = (await does("issueLabelCreate", { input: { name: "Kind", isGroup: true } }, "issueLabel { id }"))
    .issueLabel;
  const input = { name: "Chore", parentId: group.id, teamId };
  const label = (await does("issueLabelCreate", { input }, "issueLabel { id }")).issueLabel;
  await does("workflowStateCreate", {
    input: { teamId, name: "Odd", type: "started", color: "#123456", position: 2.5 },
  });
  await does("workflowStateArchive", { id: states["Duplicate"] });
  const { viewer } = await gql("{ viewer { id } }");
  const one = await issue({
    title: ' spaces, "quotes" and 😀 ',
    labelIds: [label.id],
    assigneeId: viewer.id,
    sortOrder: -1.5,
  });
  const other = await does("teamCreate", { input: { key: "OTH", name: "Other" } }, "team { id }");
  await does("issueUpdate", { id: one.id, input: { teamId: other.team.id } });
  const archived = await issue({ title: "archived", parentId: one.id });
  await does("issueArchive", { id: archived.id });
  await does("issueDelete", { id: (await issue({ title: "trash", parentId: one.id })).id });
  const said = await does("commentCreate", { input: { issueId: one.id, body: "first\r\nsecond" } }, "comment { id }");
  await does("commentCreate", { input: { parentId: said.comment.id, body: "answer" } });
  await does("commentUpdate", { id: said.comment.id, input: { body: "edited" } });
  await does("commentResolve", { id: said.comment.id });
  await does("teamCreate", { input: { key: "NIL", name: "Without issues" } });
  const { projects } = await gql("{ projects(last: 1) { nodes { id } } }");
  const [{ id: projectId }] = projects.nodes;
  const milestone = { input: { name: "Beta", projectId, targetDate: "2027-01-31" } };
  const { projectMilestone } = await does("projectMilestoneCreate", milestone, "projectMilestone { id }");
  await does("issueUpdate", { id: one.id, input: { projectId, projectMilestoneId: projectMilestone.id } });
  const values = { title: "A bug", priority: 2, stateId: states["In Progress"], labelIds: [label.id], projectId };
  const ofTeam = { name: "Bug", type: "issue", teamId, templateData: { ...values, assigneeId: viewer.id } };
  await does("templateCreate", { input: ofTeam });
  await does("templateCreate", { input: { name: "Any", type: "issue", templateData: { description: "Why" } } });
  const filterData = { project: { id: { eq: projectId } }, createdAt: { gt: "-P7D" } };
  await does("customViewCreate", { input: { name: "Ours", filterData, shared: true, projectId } });
  await does("customViewCreate", { input: { name: "Mine", teamId } });
}

async function exported(person: CliUser, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await person.run(["export", ...more]);
  expect([code, stderr]).to.deep.equal([0, ""]);
  return stdout;
}

async function importInto(tenant: Tenant, text: string): Promise<CliUser> {
  const person = await createSignedInUser(tenant);
  person.write("all.jsonl", text);
  const { code, stderr } = await person.run(["import", "jsonl", "all.jsonl"]);
  expect([code, stderr]).to.deep.equal([0, ""]);
  return person;
}

describe("trackway export", () => {
  it("writes lines that an empty server imports and exports again, byte for byte", async () => {
    const { person } = await everything();
    const text = await exported(person);
    const lines = text.trimEnd().split("\n");
    expect(lines.length).to.be.greaterThan(40);
    expect(text).not.to.match(/"trash"|Without issues/);
    expect(text).to.contain('"previousIdentifiers":["ENG-');
    const kinds = lines.map((line) => Object.keys(JSON.parse(line))[0]);
    expect(kinds.slice(-4)).to.deep.equal(["template", "template", "view", "view"]);
    expect(text).to.match(/"milestone":"[0-9a-f-]{36}"/);
    expect(text)
      .to.match(/"state":"In Progress","labels":\["Chore"\]/)
      .and.not.to.contain("assigneeId");
    // One organization without a team, and one with a team that has the default states.
    for (const tenant of [await createOrganization(), await createWorkspace()]) {
      const there = await importInto(tenant, text);
      expect((await exported(there)).split("\n")).to.deep.equal(text.split("\n"));
      expect(await exported(there)).to.equal(text);
      const again = await there.run(["import", "jsonl", "all.jsonl"]);
      expect([again.code, again.stdout.split("\n")[0]]).to.deep.equal([0, "all.jsonl: nothing written."]);
      const { issue } = await tenant.gql(`{ issue(id: "bd-a1") { title } }`);
      expect(issue).to.deep.equal({ title: "Ship it" });
      // The ids of the first import are still known.
      there.write("beads.jsonl", readFileSync("test/fixtures/import/beads.jsonl", "utf8"));
      const beads = await there.run(["import", "beads-jsonl", "beads.jsonl", "--team", "ENG"]);
      expect(beads.stdout).to.match(/^beads.jsonl: nothing written/);
    }
  });

  it("writes issues as CSV that no spreadsheet reads as formulas and that the importer reads", async () => {
    const { space, person } = await everything();
    await space.issue({ title: '=1+1 "two"\nlines', description: "@here" });
    for (const start of STARTS) {
      const { project } = await space.does(
        "projectCreate",
        { input: { name: `${start}p`, teamIds: [space.teamId] } },
        "project { id }",
      );
      const description = `${start}${start}=1\r\n${start}`;
      await space.issue({ title: `${start}cmd|' /C calc'!A0`, description, projectId: project.id });
    }
    await person.run(["export", "--csv", "--output", "issues.csv"]);
    const text = person.read("issues.csv");
    expect(text.split("\r\n")[0]).to.match(/^"ID","Team","Title","Description","Status",/);
    expect(text).to.contain(`"'=1+1 ""two"" lines","'@here"`.replace(" lines", "\nlines"));
    const there = await createOrganization();
    const other = await createSignedInUser(there);
    other.write("issues.csv", text);
    const state = ["--state", "Waiting for oil=In Progress"];
    const { code, stderr, stdout } = await other.run(["import", "linear-csv", "issues.csv", ...state, "--json"]);
    expect([code, stderr, JSON.parse(stdout).problems]).to.deep.equal([0, "", []]);
    const texts = async ({ gql }: Pick<Tenant, "gql">) => {
      const query = "{ issues(first: 200) { nodes { identifier title description project { name } } } }";
      const { issues } = await gql(query);
      return issues.nodes
        .map(({ identifier, title, description, project }: Record<string, any>) => ({
          ...{ identifier, title, description: description ?? "", project: project?.name },
        }))
        .sort((one: any, two: any) => (one.identifier < two.identifier ? -1 : 1));
    };
    expect(await texts(there)).to.deep.equal(await texts(space));
  });

  it("writes any text so that no spreadsheet runs it, and imports it unchanged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trackway-csv-"));
    const start = fc.constantFrom(...STARTS, "", " ", '"', ",", "x");
    const text = fc.tuple(fc.array(start, { maxLength: 3 }), fc.string({ unit: "grapheme" })).map(([some, rest]) => {
      return some.join("") + rest;
    });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 30 }), async (texts) => {
        const cells = texts.map(toCsvCell);
        expect(cells.filter((one) => /^"[=+\-@\t\r\n＝＋－＠]/.test(one))).to.deep.equal([]);
        const file = join(folder, "texts.csv");
        writeFileSync(file, ['"Text","End"', ...cells.map((one) => `${one},"x"`)].join("\r\n"));
        const read: string[] = [];
        for await (const { record } of readCsvRecords(file, () => {}, [["Text"]]))
          read.push(removeFormulaGuard(record.text("Text") ?? ""));
        expect(read).to.deep.equal(texts);
      }),
      { numRuns: scaleRuns(100) },
    );
  });

  it("keeps an old file when the export fails", async () => {
    const person = await createSignedInUser(await createWorkspace());
    person.write("old.jsonl", "old");
    const { code, stderr } = await person.run(["export", "--output", "old.jsonl"], {
      env: { TRACKWAY_URL: "http://127.0.0.1:9", TRACKWAY_API_KEY: `trk_api_${"0".repeat(40)}` },
    });
    expect([code, person.read("old.jsonl"), person.has("old.jsonl.part")]).to.deep.equal([1, "old", false]);
    expect(stderr).to.match(/No server responds/);
  });
});
