import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type CliUser, createSignedInUser } from "../../support/cli/cli.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** Creates an owner at a machine with a file. */
async function withFile(name: string, text?: string): Promise<{ space: Workspace; person: CliUser }> {
  const space = await createWorkspace();
  const person = await createSignedInUser(space);
  person.write(name, text ?? readFileSync(`test/fixtures/import/${name}`, "utf8"));
  return { space, person };
}

const FIXTURES = [
  { format: "linear-csv", file: "linear.csv", more: [], ids: ["SHIP-1", "SHIP-2", "SHIP-3"] },
  { format: "github-json", file: "github.json", more: ["--team", "ENG"], ids: ["acme/parcels#12", "acme/parcels#13"] },
  { format: "jira-csv", file: "jira.csv", more: [], ids: ["SITE-12", "SITE-14", "jira:10003"] },
  { format: "beads-jsonl", file: "beads.jsonl", more: ["--team", "ENG"], ids: ["bd-a1", "bd-a1.1", "BD-F00D", "gh-9"] },
];

const ISSUE = `identifier title description priority estimate dueDate createdAt updatedAt startedAt completedAt canceledAt
  previousIdentifiers state { name type } labels { nodes { name } } creator { name } externalUserCreator { name email }
  externalUserAssignee { name email } parent { title } project { name } cycle { number name }
  relations { nodes { type relatedIssue { title } } } comments { nodes { body createdAt externalUser { name email } } }`;

const read = async ({ gql }: Workspace, id: string) =>
  (await gql(`query ($id: String!) { issue(id: $id) { ${ISSUE} } }`, { id })).issue;

describe("trackway import", () => {
  for (const { format, file, more, ids } of FIXTURES) {
    it(`imports a file of ${format} once, however often it runs`, async () => {
      const { space, person } = await withFile(file);
      const before = await space.last();
      const dry = await person.run(["import", format, file, ...more, "--dry-run"]);
      expect([dry.code, dry.stderr, await space.last()]).to.deep.equal([0, "", before]);
      const first = await person.run(["import", format, file, ...more]);
      expect([first.code, first.stderr]).to.deep.equal([0, ""]);
      expect(dry.stdout.replace("would be written", "written")).to.equal(first.stdout);
      for (const id of ids) expect((await read(space, id)).title, id).to.be.a("string");
      const after = await space.last();
      const again = await person.run(["import", format, file, ...more]);
      expect([again.code, again.stderr, await space.last()]).to.deep.equal([0, "", after]);
      expect(again.stdout).to.match(/^\S+: nothing written\.\nAlready imported and not changed/);
    });
  }

  it("keeps the fields of an issue from Linear", async () => {
    const { space, person } = await withFile("linear.csv");
    await person.run(["import", "linear-csv", "linear.csv"]);
    const shown = await read(space, "SHIP-1");
    shown.labels.nodes.sort(({ name: one }: any, { name: other }: any) => (one < other ? -1 : 1));
    expect(shown).to.deep.equal({
      identifier: "SHIP-1",
      title: "Send parcels abroad",
      description: "Line one\nline two, “quoted” ✓",
      priority: 1,
      estimate: null,
      dueDate: "2026-06-26",
      createdAt: "2026-05-13T11:21:41.000Z",
      updatedAt: "2026-07-01T11:51:28.000Z",
      startedAt: "2026-05-14T09:00:00.000Z",
      completedAt: null,
      canceledAt: null,
      previousIdentifiers: [],
      state: { name: "In Progress", type: "started" },
      labels: { nodes: [{ name: "customs" }, { name: "printer" }] },
      creator: null,
      externalUserCreator: { name: "bea@example.com", email: "bea@example.com" },
      externalUserAssignee: { name: "Carl Courier", email: null },
      parent: null,
      project: { name: "Autumn" },
      cycle: { number: 4, name: "Cycle 4" },
      relations: { nodes: [{ type: "related", relatedIssue: { title: "=SUM of all parcels" } }] },
      comments: { nodes: [] },
    });
    const second = await read(space, "SHIP-2");
    expect([second.parent, second.relations.nodes]).to.deep.equal([
      { title: "Send parcels abroad" },
      [{ type: "blocks", relatedIssue: { title: "Send parcels abroad" } }],
    ]);
    expect((await read(space, "SHIP-3")).relations.nodes[0].type).to.equal("duplicate");
  });

  it("keeps the fields of issues from GitHub's command line and API", async () => {
    const { space, person } = await withFile("github.json");
    const { stdout } = await person.run(["import", "github-json", "github.json", "--team", "ENG"]);
    expect(stdout).to.equal(
      "github.json: 1 label, 3 issues, 2 comments, 2 parents, 1 relation written.\nSkipped: 1 pull requests.\n",
    );
    const first = await read(space, "acme/parcels#12");
    expect(first).to.deep.include({
      identifier: "ENG-1",
      previousIdentifiers: ["acme/parcels#12"],
      createdAt: "2026-02-01T10:00:00.000Z",
      updatedAt: "2026-02-03T10:00:00.000Z",
      state: { name: "Todo", type: "unstarted" },
      labels: { nodes: [{ name: "bug" }] },
      externalUserCreator: { name: "carl", email: null },
      externalUserAssignee: { name: "bea", email: null },
      project: { name: "Version 2" },
      relations: { nodes: [{ type: "blocks", relatedIssue: { title: "Paint it blue" } }] },
    });
    expect(first.comments.nodes.map(({ createdAt }: any) => createdAt)).to.deep.equal(["2026-02-02T10:00:00.000Z"]);
    const shown = await person.run(["show", "acme/parcels#12", "--json"]);
    const { issue, comments } = JSON.parse(shown.stdout);
    expect([issue.creator, issue.assignee, comments[0].author]).to.deep.equal([
      "carl",
      "bea",
      first.comments.nodes[0].externalUser.name,
    ]);
    const second = await read(space, "acme/parcels#13");
    expect([second.state.name, second.canceledAt, second.completedAt]).to.deep.equal([
      "Canceled",
      "2026-02-05T10:00:00.000Z",
      null,
    ]);
    const third = await read(space, "acme/parcels#14");
    expect([third.parent.title, third.completedAt, third.comments.nodes.length]).to.deep.equal([
      "The parcel rattles",
      "2026-02-07T10:00:00.000Z",
      1,
    ]);
    const { issueLabels } = await space.gql("{ issueLabels { nodes { name color description } } }");
    expect(issueLabels.nodes).to.deep.equal([{ name: "bug", color: "#d73a4a", description: "Something is broken" }]);
  });

  it("keeps the fields of an issue from Jira, in the given time zone", async () => {
    const { space, person } = await withFile("jira.csv");
    const { code } = await person.run(["import", "jira-csv", "jira.csv", "--offset", "+02:00"]);
    expect(code).to.equal(0);
    const first = await read(space, "SITE-12");
    expect(first).to.deep.include({
      description: 'Left, then right;\n"carefully"',
      priority: 2,
      estimate: 3,
      dueDate: "2026-09-30",
      createdAt: "2026-09-03T07:05:00.000Z",
      completedAt: "2026-09-20T14:30:00.000Z",
      state: { name: "Done", type: "completed" },
      relations: { nodes: [{ type: "related", relatedIssue: { title: "An old one" } }] },
    });
    expect(first.comments.nodes).to.deep.equal([
      { body: "Oiled it", createdAt: "2026-09-06T12:00:00.000Z", externalUser: { name: "Carl Courier", email: null } },
      {
        body: "It jams; often",
        createdAt: "2026-09-05T09:00:00.000Z",
        externalUser: { name: "bea@example.com", email: "bea@example.com" },
      },
    ]);
    const second = await read(space, "SITE-14");
    expect([second.parent.title, second.state, second.relations.nodes[0].type]).to.deep.equal([
      "Sort the parcels",
      { name: "Waiting for oil", type: "started" },
      "blocks",
    ]);
    expect((await read(space, "SITE-3")).canceledAt).to.equal("2026-06-02T07:00:00.000Z");
  });

  it("keeps the fields of an issue from beads", async () => {
    const { space, person } = await withFile("beads.jsonl");
    await person.run(["import", "beads-jsonl", "beads.jsonl", "--team", "ENG"]);
    const [epic, task, bug] = await Promise.all(["bd-a1", "bd-a1.1", "bd-f00d"].map((id) => read(space, id)));
    expect(epic).to.deep.include({
      description: "All of it\n\n## Design\n\nIn a box",
      priority: 1,
      createdAt: "2026-01-15T10:00:00.123Z",
      previousIdentifiers: ["gh-9", "bd-a1"],
      externalUserCreator: { name: "bea", email: null },
    });
    expect(task.comments.nodes.map(({ body }: any) => body)).to.deep.equal(["Closed: Found one", "In the cellar?"]);
    expect([task.parent.title, task.state.name, bug.priority]).to.deep.equal(["Ship it", "Done", 4]);
    expect(bug.relations.nodes).to.deep.equal([{ type: "discovered", relatedIssue: { title: "Find a box" } }]);
    expect(bug.createdAt).to.equal("2026-01-18T10:00:00.000Z");
  });
});
