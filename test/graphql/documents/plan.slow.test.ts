import { expect } from "chai";
import type { App } from "../../../server/app.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { entityModel } from "../../../server/resources/index.ts";
import { collectReads } from "../../support/db/statements.ts";
import { buildListCases, type ListCase, listFields } from "../../support/graphql/documents.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { sendGraphQL } from "../../support/server.ts";
import { type FilledTracker, fillTracker } from "../../support/tracker/tracker.ts";

/** Sequential scan of a table that grows without limit. */
const BIG = /Seq Scan on "?(issue|comment|issueLabelLink|change|project|projectTeam|delivery)"?\b/;

/** Rows of a large table that are read to be sorted. */
const SORTED = /Sort {2}\(.*\n *Sort Key.*\n.*Scan.* on "?(issue|comment)"?\b/;

/**
 * Tells whether a list may be long and must be read in index order. Rows that come through a link table or by rank
 * are sorted, and so are the issues and comments of one entity by their last update: every update would have to write
 * to an index for each such link.
 */
const isPaged = ({ name, node, query }: ListCase) =>
  (node === "Issue" ? !/(Labels|labels|search).*>|^search/.test(name) : node === "Comment") &&
  !(name.includes(">") && query.includes("updatedAt,"));

describe("the read planner", () => {
  let app: App;
  let tracker: FilledTracker;
  let end: () => Promise<void>;
  const ask = (query: string) => sendGraphQL(app.url, tracker.apiKey, { query });

  before(async () => {
    // The rows have fixed ids, so the test needs a separate database.
    ({ app, end } = await startOwnServer());
    const scale = { organizations: 8, teams: 3, users: 5, labels: 6, projects: 300, issues: 500, comments: 250 };
    tracker = await fillTracker(app.runtime.db, scale);
  });

  after(() => end());

  for (const { name, query } of buildListCases()) {
    // The server measures a statement that may return more than 32 MiB before reading, and only the server decrypts
    // secrets. A search measures the texts of a small organization before reading all of them. Lists of files and
    // commits first search for events whose actions are not derived yet.
    const two =
      /^recorded(Commits|Files)$| > (files|commits)$/.test(name) ||
      /^(?:recordedSessions(?:Expiring)? > events|teams > templates)$/.test(name) ||
      name.endsWith("webhooks") ||
      /^(searchIssues|similarIssues)/.test(name);
    const count = two ? 2 : 1;
    it(`reads ${name} with ${two ? "two statements" : "one statement"} and without scanning a large table`, async () => {
      const all = await collectReads(app, async () => expect((await ask(query)).errors).to.equal(undefined));
      // A job of the server looks for webhooks with a full queue at any time.
      const statements = all.filter(({ text }) => !text.includes("from webhook w join sync s"));
      expect(statements, statements.map(({ text }) => text.slice(0, 100)).join(" | ")).to.have.length(count);
      for (const each of statements) expect(await explained(each)).not.to.match(BIG);
    });
  }

  for (const orderBy of ["createdAt", "updatedAt"]) {
    for (const { name, query } of buildListCases(orderBy).filter(isPaged)) {
      it(`reads ${name} by ${orderBy} in the order of an index`, async () => {
        const statements = await collectReads(app, () => ask(query));
        expect(await explained(statements.at(-1))).not.to.match(SORTED);
      });
    }
  }

  const explained = async (statement?: { text: string; values?: readonly unknown[] }) => {
    const text = `explain ${statement?.text}`;
    const rows = await app.runtime.db.query({ text, values: statement?.values ?? [] });
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  it("uses only columns that cannot be null for non-null fields", async () => {
    const rows = await app.runtime.db.query<{ name: string }>({
      text: `select table_name || '.' || column_name as name from information_schema.columns where is_nullable = 'NO'`,
    });
    const present = new Set(rows.map(({ name }) => name));
    const stored = [...entityModel.values()].filter(({ table }) => table !== "");
    const wrong = stored.flatMap(({ name, table, columns, names = {}, one = {} }) => {
      const declared = listFields(combinedSchema.getType(name) as never).filter(({ type }) =>
        String(type).endsWith("!"),
      );
      const needed = declared.map((field) => one[field.name]?.by ?? (columns[field.name] && field.name));
      return needed
        .filter((column) => column && !present.has(`${table}.${names[column] ?? column}`))
        .map((column) => `${name}.${column}`);
    });
    expect(wrong).to.deep.equal([]);
  });
});
