import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect } from "chai";
import { type CliUser, createCliUser, createSignedInUser } from "../../support/cli/cli.ts";
import { inviteGuest } from "../../support/members.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const HEAD = "ID,Title,Description,Status,Created,Due Date,Parent issue,Blocked by,Labels";
const AT = "2020-02-03T04:05:06.000Z";

/** Builds a row of CSV with the columns above. */
const row = (id: string, more: Partial<Record<string, string>> = {}): string => {
  const values: Record<string, string | undefined> = { ID: id, Title: `Title of ${id}`, Created: AT, ...more };
  return HEAD.split(",")
    .map((column) => `"${(values[column] ?? "").replaceAll('"', '""')}"`)
    .join();
};

const owner = async (): Promise<{ space: Workspace; person: CliUser }> => {
  const space = await createWorkspace();
  return { space, person: await createSignedInUser(space) };
};

const titles = async ({ gql }: Workspace): Promise<string[]> =>
  (await gql("{ issues(first: 250) { nodes { title } } }")).issues.nodes
    .map(({ title }: { title: string }) => title)
    .sort();

/** Builds many issues with a comment each, in the format of beads. */
const many = (count: number): string =>
  Array.from({ length: count }, (_, at) => {
    const id = `bd-${at}`;
    const comments = [{ id: 1, author: "ann", text: `On ${id}`, created_at: AT }];
    const dependencies = at > 0 ? [{ depends_on_id: `bd-${at - 1}`, type: at % 2 ? "blocks" : "parent-child" }] : [];
    const issue = { id, title: `Number ${at}`, status: "open", priority: 1, created_at: AT, updated_at: AT };
    return JSON.stringify({ ...issue, comments, dependencies });
  }).join("\n");

const counts = async ({ gql }: Workspace) => {
  const number = async (name: string) => {
    let [total, after] = [0, null as string | null];
    do {
      const query = `query ($after: String) { page: ${name}(first: 250, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
      const { page } = await gql(query, { after });
      total += page.nodes.length;
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after);
    return total;
  };
  return Promise.all(["issues", "comments", "issueRelations"].map(number));
};

describe("trackway import with faulty input", () => {
  it("reports each faulty row by number and column with a fix, and imports the other rows", async () => {
    const { space, person } = await owner();
    const rows = [
      HEAD,
      row("ENG-1", { Title: 'Fine, with "quotes",\r\nand lines' }),
      row("ENG-2", { Created: "yesterday" }),
      row("ENG-3", { Description: "x".repeat(1024 * 1024) }),
      row("ENG-4", { Status: "Nirvana" }),
      row("ENG-5", { "Due Date": "31/02/2020" }),
      row("ENG-1", { Title: "twice" }),
      row("ENG-6", { "Parent issue": "ENG-7" }),
      row("ENG-7", { "Parent issue": "ENG-6" }),
      row("ENG-8", { "Blocked by": "ENG-99" }),
      row("ENG-9", { Title: "" }),
      row("ENG-10", { Title: "\u001b[31mred", "Due Date": "03/04/2020" }),
      row("nonsense", {}),
      row("ENG-11", { Labels: "a, b", Status: "todo" }),
      row("ENG-12", { Description: "x".repeat(5 * 1024 * 1024) }),
      "ENG-13",
    ];
    person.write("all.csv", `\ufeff${rows.join("\r\n")}\r\n`);
    const { code, stdout, stderr } = await person.run(["import", "linear-csv", "all.csv"]);
    expect(stderr.trim().split("\n").sort()).to.deep.equal(
      [
        'row 3 (ENG-2), Created: "yesterday" is not a date; write dates like 2026-01-31T09:00:00Z',
        "row 4 (ENG-3), Description: must be at most 256 KiB",
        'row 5 (ENG-4), Status: ENG has no state "Nirvana"; use one of Backlog, Todo, In Progress, Done, Canceled, Duplicate, or add --state "Nirvana=Todo"',
        'row 6 (ENG-5), Due Date: "31/02/2020" is not a date; write dates like 2026-01-31',
        "row 7 (ENG-1), ID: has the same id as row 2; change the id, or remove the row",
        "row 9 (ENG-7), Parent issue: ENG-7 would be its own ancestor through ENG-6; remove one of the parents",
        "row 10 (ENG-8), issue: there is no issue ENG-99 from linear; import it first",
        "2 rows, Title: must be given; rows 11, 16",
        'row 12 (ENG-10), Due Date: "03/04/2020" is ambiguous; add --dates dmy or --dates mdy',
        "row 13 (nonsense), Team: must be the key of a team: a letter and up to six letters or digits, e.g. ENG",
        "row 15 (ENG-12), Description: is 5120 KiB long; the maximum is 256 KiB",
      ].sort(),
    );
    expect([code, stdout.split("\n")[0]]).to.deep.equal([1, "all.csv: 5 issues, 1 parent written."]);
    expect(await titles(space)).to.deep.equal([
      'Fine, with "quotes",\r\nand lines',
      "Title of ENG-11",
      "Title of ENG-6",
      "Title of ENG-7",
      "Title of ENG-8",
    ]);
    const mended = rows.filter((line) => /ENG-(4|10)"/.test(line)).map((line) => line.replace("\u001b[31m", ""));
    person.write("mended.csv", [HEAD, ...mended].join("\n"));
    const more = ["--state", "nirvana=Done", "--dates", "dmy"];
    expect((await person.run(["import", "linear-csv", "mended.csv", ...more])).stdout).to.match(/2 issues written/);
    const { issue } = await space.gql(`{ issue(id: "ENG-10") { dueDate } }`);
    expect(issue.dueDate).to.equal("2020-04-03");
  });

  it("refuses a file of another format in one line with a fix", async () => {
    const { person } = await owner();
    person.write("open.csv", `${HEAD}\n${row("ENG-1")}\n"ENG-2,never closed\n`);
    person.write("other.csv", "Name,Age\nBea,4\n");
    person.write("broken.json", '[{"number": 1, "title": "x"}, {"number": ');
    person.write("lines.jsonl", `{"id":"a"\nnull\n{"id":"b","title":"T","status":"open","created_at":"${AT}"}\n\n`);
    const said = async (...args: string[]) => {
      const { code, stderr } = await person.run(["import", ...args]);
      return [code, stderr.trim()];
    };
    expect(await said("linear-csv", "other.csv")).to.deep.equal([
      2,
      "trackway: other.csv has no column ID. try: use another format, or export all columns",
    ]);
    expect(await said("linear-csv", "none.csv")).to.deep.equal([
      3,
      "trackway: Cannot read the file none.csv. try: give another path",
    ]);
    expect((await said("linear-csv", "open.csv")).join()).to.match(/^2,.*open.csv, after row 2: .*close the quote/);
    expect((await said("github-json", "broken.json", "--team", "ENG")).join()).to.match(
      /2,.*broken.json is not valid JSON/s,
    );
    expect(await said("beads-jsonl", "lines.jsonl", "--team", "ENG")).to.deep.equal([
      1,
      "row 1: is not valid JSON; correct the row, or remove the row\nrow 2: is not an object; correct the row, or remove the row",
    ]);
    expect((await said("csv", "other.csv")).join()).to.match(
      /^2,.*linear-csv, github-json, jira-csv, beads-jsonl, jsonl/,
    );
  });

  it("reports a fault of many rows in one line", async () => {
    const { person } = await owner();
    const issue = (number: number) => ({ number, title: "T", url: `https://github.com/a/b/issues/${number}` });
    person.write("issues.json", JSON.stringify(Array.from({ length: 2_000 }, (_, at) => issue(at + 1))));
    const { code, stderr } = await person.run(["import", "github-json", "issues.json"]);
    const line = "2,000 rows: has no team; add --team KEY; rows 1–2000\n";
    expect([code, stderr]).to.deep.equal([1, line]);
  });

  it("refuses users who are no owners, and names an owner", async () => {
    const space = await createWorkspace();
    const { accessToken } = await inviteGuest(space);
    const made = await fetch(`${space.url}/api/api-keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ label: "guest" }),
    });
    const { token } = (await made.json()) as { token: string };
    const person = createCliUser();
    person.write("beads.jsonl", many(1));
    const env = { TRACKWAY_URL: space.url, TRACKWAY_API_KEY: token };
    const { code, stderr } = await person.run(["import", "beads-jsonl", "beads.jsonl", "--team", "ENG"], { env });
    expect(code).to.equal(5);
    expect(stderr).to.match(
      /^trackway: Only owners of Acme can import, and .* is not an owner\. try: ask Olive Owner </,
    );
    expect(await counts(space)).to.deep.equal([0, 0, 0]);
  });
});

describe("trackway import with interruptions", () => {
  const COUNT = 1_500;
  const WHOLE = [COUNT, COUNT, COUNT / 2];

  it("continues after it was killed", async () => {
    const { space, person } = await owner();
    person.write("beads.jsonl", many(COUNT));
    const args = ["import", "beads-jsonl", "beads.jsonl", "--team", "ENG"];
    // Once among the issues, and once among the comments.
    for (const list of ["issues", "comments"]) {
      const child = spawn(process.execPath, [resolve("cli/bin.js"), ...args], {
        cwd: person.home,
        env: { HOME: person.home, PATH: process.env["PATH"] },
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      const begun = async () =>
        (await space.graphql(`{ ${list}(first: 1) { nodes { id } } }`)).data?.[list]?.nodes.length > 0;
      while (child.exitCode === null && !(await begun())) await new Promise((next) => setTimeout(next, 5));
      child.kill("SIGKILL");
      await ended;
      expect(child.signalCode, "killed in the middle").to.equal("SIGKILL");
    }
    expect(await counts(space)).to.not.deep.equal(WHOLE);
    expect((await person.run(args)).code).to.equal(0);
    expect(await counts(space)).to.deep.equal(WHOLE);
  });

  it("gives the same result when two run concurrently", async () => {
    const { space, person } = await owner();
    person.write("beads.jsonl", many(COUNT));
    const args = ["import", "beads-jsonl", "beads.jsonl", "--team", "ENG", "--json"];
    const both = await Promise.all([person.run(args), person.run(args)]);
    expect(both.map(({ code, stderr }) => [code, stderr])).to.deep.equal([
      [0, ""],
      [0, ""],
    ]);
    expect(await counts(space)).to.deep.equal(WHOLE);
    const written = both.map(({ stdout }) => JSON.parse(stdout).written);
    expect((written[0].issue ?? 0) + (written[1].issue ?? 0)).to.equal(COUNT);
    expect((written[0].comment ?? 0) + (written[1].comment ?? 0)).to.equal(COUNT);
  });
});
