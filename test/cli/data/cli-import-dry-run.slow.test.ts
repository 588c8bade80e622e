import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { FORMATS } from "../../../cli/import/formats/formats.ts";
import { importFile } from "../../../cli/import/import.ts";
import { formatProblem, type ImportReport } from "../../../cli/import/report.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** Issue of a file in any format. Other issues are referred to by their index in the file. */
interface Draft {
  team: string;
  title: string;
  state: string;
  labels: string[];
  milestone: string;
  cycle: number;
  parent: number;
  blockers: number[];
  related: number[];
  comments: number;
  /** True if the record repeats the id of the previous record. */
  repeats: boolean;
}

const AT = "2020-02-03T04:05:06Z";
/** Picks the first value with a weight of `times`, and each other value with a weight of one. */
const mostly = <T>(times: number, first: T, ...others: T[]) =>
  fc.constantFrom(...Array.from({ length: times }, () => first), ...others);

const draftOf = (length: number): fc.Arbitrary<Draft> => {
  const far = fc.integer({ min: -3, max: length });
  return fc.record({
    team: mostly(9, "NEW", "NEW", "ENG", "ENG", "ENG", "OPS", "NOTATEAM9"),
    title: mostly(20, "A title", ""),
    state: mostly(9, "", "Todo", "In Review", "Nirvana", "Done", "todo"),
    labels: fc.subarray(["bug", "Bug", "chore", "kind"]),
    milestone: fc.constantFrom("", "", "Spring", "spring", "Autumn"),
    cycle: fc.constantFrom(0, 0, 4, 5),
    parent: fc.oneof(fc.constant(-1), far),
    blockers: fc.array(far, { maxLength: 2 }),
    related: fc.array(far, { maxLength: 1 }),
    comments: fc.constantFrom(0, 0, 0, 1, 2),
    repeats: mostly(15, false, true),
  });
};

/** Random files: some end before or after the first call of 100 rows, and some need several calls. */
const drafts = fc
  .oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 95, max: 130 }), fc.integer({ min: 220, max: 330 }))
  .chain((length) => fc.array(draftOf(length), { minLength: length, maxLength: length }));

const csv = (rows: (string | number)[][]) =>
  rows.map((row) => row.map((value) => `"${String(value).replaceAll('"', '""')}"`).join()).join("\n");

/** Creates a function that names the records of a file. An index after the end stands for a missing issue. */
const namer = (all: readonly Draft[]) => {
  const nameAt = (at: number): string =>
    all[at]?.repeats && at > 0 ? nameAt(at - 1) : `${all[at]?.team ?? "NEW"}-${at + 1}`;
  return nameAt;
};
const whole = (places: readonly number[]) => places.filter((at) => at >= 0);

/** Writer of each format. */
const WRITERS: Record<string, (all: readonly Draft[]) => string> = {
  "linear-csv": (all) => {
    const name = namer(all);
    const head =
      "ID,Team,Title,Status,Labels,Project,Cycle Number,Cycle Start,Cycle End,Created,Parent issue,Blocked by,Related to";
    return csv([
      head.split(","),
      ...all.map((one, at) => [
        ...[name(at), `${one.team} ${one.labels.length}`, one.title, one.state, one.labels.join(", "), one.milestone],
        ...[one.cycle || "", AT, "2020-03-03T04:05:06Z", AT, one.parent < 0 ? "" : name(one.parent)],
        ...[whole(one.blockers).map(name).join(", "), whole(one.related).map(name).join(", ")],
      ]),
    ]);
  },
  "jira-csv": (all) => {
    const name = namer(all);
    const links = ["Inward issue link (Blocks)", "Inward issue link (Blocks)", "Outward issue link (Relates)"];
    return csv([
      [
        "Issue key",
        "Issue id",
        "Project name",
        "Summary",
        "Status",
        "Labels",
        "Created",
        "Parent",
        ...links,
        "Comment",
      ],
      ...all.map((one, at) => [
        ...[name(at), at + 10_000, one.team, one.title, one.state, one.labels[0] ?? "", AT],
        // Jira also refers to a parent by number.
        one.parent < 0 ? "" : one.parent % 2 ? name(one.parent) : one.parent + 10_000,
        ...[0, 1].map((place) => ((one.blockers[place] ?? -1) < 0 ? "" : name(Number(one.blockers[place])))),
        (one.related[0] ?? -1) < 0 ? "" : name(Number(one.related[0])),
        one.comments > 0 ? `${AT};ann;Said` : "",
      ]),
    ]);
  },
  "github-json": (all) => {
    const number = (at: number): number => (all[at]?.repeats && at > 0 ? number(at - 1) : at + 1);
    const of = (at: number) => ({ number: number(at), url: `https://github.com/acme/site/issues/${number(at)}` });
    return JSON.stringify(
      all.map((one, at) => ({
        ...of(at),
        title: one.title,
        state: one.state === "Done" ? "CLOSED" : "OPEN",
        labels: one.labels.map((label) => ({ name: label, color: "ff0000" })),
        milestone: one.milestone ? { title: one.milestone } : null,
        comments: Array.from({ length: one.comments }, (_, n) => ({
          id: at * 10 + n,
          body: n ? "" : "Said",
          createdAt: AT,
        })),
        parent: one.parent < 0 ? null : of(one.parent),
        blockedBy: whole(one.blockers).map(of),
        createdAt: AT,
      })),
    );
  },
  "beads-jsonl": (all) => {
    const name = namer(all);
    const states: Record<string, string> = { "": "open", Done: "closed", Todo: "in_progress" };
    return all
      .map((one, at) =>
        JSON.stringify({
          ...{ id: name(at), title: one.title, status: states[one.state] ?? one.state, created_at: AT },
          labels: one.labels,
          comments: Array.from({ length: one.comments }, (_, n) => ({ id: n, text: n ? "" : "Said", created_at: AT })),
          dependencies: [
            ...(one.parent < 0 ? [] : [{ depends_on_id: name(one.parent), type: "parent-child" }]),
            ...whole(one.blockers).map((other) => ({ depends_on_id: name(other), type: "blocks" })),
            ...whole(one.related).map((other) => ({ depends_on_id: name(other), type: "related" })),
          ],
        }),
      )
      .join("\n");
  },
  jsonl: (all) => {
    const name = namer(all);
    const rows = all.flatMap((one, at) => [
      ...(at % 7 === 0 ? [{ team: { key: one.team, states: statesOf(at) } }] : []),
      ...(at % 5 === 0 ? [{ label: { name: "kind", isGroup: true, ...(one.cycle && { team: one.team }) } }] : []),
      ...(at % 5 === 1 ? [{ label: { name: "chore", group: "kind", team: one.team } }] : []),
      ...(at % 6 === 2 && one.milestone ? [{ project: { name: one.milestone, teams: [one.team] } }] : []),
      ...(at % 4 === 3 && one.cycle
        ? [{ cycle: { team: one.team, number: one.cycle, startsAt: AT, endsAt: "2020-03-03T04:05:06Z" } }]
        : []),
      {
        issue: {
          ...{ externalId: name(at), team: one.team, title: one.title, labels: one.labels, createdAt: AT },
          ...(one.state && { state: one.state }),
          ...(one.state === "In Review" && { stateType: "started" }),
          ...(one.milestone && { project: one.milestone }),
          ...(one.cycle && { cycle: one.cycle }),
        },
      },
      ...Array.from({ length: one.comments }, (_, n) => ({
        comment: {
          ...{ externalId: `${at}/${n}`, issue: name(one.related[0] ?? at), body: "Said", createdAt: AT },
          ...(at > 3 && { parent: `${at - 2}/0` }),
        },
      })),
      ...(one.parent < 0 ? [] : [{ parent: { issue: name(at), parent: name(one.parent) } }]),
      ...whole(one.blockers).map((other) => ({
        relation: { type: "blocks", issue: name(other), relatedIssue: name(at) },
      })),
      ...whole(one.related).map((other) => ({
        relation: { type: "related", issue: name(at), relatedIssue: name(other) },
      })),
    ]);
    return rows.map((row) => JSON.stringify(row)).join("\n");
  },
};

const statesOf = (at: number) =>
  ["Todo", "Done", "Nirvana"].slice(at % 3).map((name, position) => ({ name, type: "started", position }));

const counts = ({ written, there, skipped, refused }: ImportReport) => ({ written, there, skipped, refused });
/** Returns the lines of one report that the other lacks. With different call sizes, the order of the lines differs. */
const missing = (one: ImportReport, other: ImportReport): string[] => {
  const lines = new Set(other.problems.map(formatProblem));
  return one.problems.map(formatProblem).filter((line) => !lines.has(line));
};

describe("trackway import --dry-run", () => {
  const folder = mkdtempSync(join(tmpdir(), "trackway-dry-"));

  /** Returns the drafts without parents that form a cycle. */
  const withoutCircles = (all: readonly Draft[]): Draft[] =>
    all.map((one, at) => {
      const passed = new Set([at]);
      for (let up = one.parent; up >= 0; up = all[up]?.parent ?? -1) {
        if (passed.has(up)) return { ...one, parent: -1 };
        passed.add(up);
      }
      return one;
    });

  /** Creates a team, whose key stays reserved, and moves the team to the trash. */
  const trashed = async ({ does }: Workspace) => {
    const { team } = await does("teamCreate", { input: { key: "OPS", name: "Operations" } }, "team { id }");
    await does("teamDelete", { id: team.id });
  };

  const run = async ({ url, apiKey }: Workspace, name: string, text: string, dryRun: boolean) => {
    const format = FORMATS.find((one) => one.name === name);
    if (!format) throw new Error(`there is no format ${name}`);
    const file = join(folder, "file");
    writeFileSync(file, text);
    const team = /github|beads/.test(name) ? "ENG" : undefined;
    const settings = { source: format.source, team, states: new Map(), offset: 0, dates: undefined };
    return importFile({ caller: { url, apiKey }, format, file, settings, dryRun, json: true });
  };

  for (const [name, write] of Object.entries(WRITERS))
    it(`of ${name} reports for each row what the import then does`, async () => {
      const given = fc.record({
        all: drafts,
        before: fc.constantFrom("nothing", "the half", "all", "a team in the trash"),
      });
      await fc.assert(
        fc.asyncProperty(given, async ({ all: drafted, before }) => {
          const space = await createWorkspace();
          const all = before === "all" ? withoutCircles(drafted) : drafted;
          // Existing issues have no links, or only links without a cycle. Only the import itself detects a cycle
          // through links of existing issues.
          const bare = all.slice(0, all.length / 2).map((one) => ({ ...one, parent: -1, blockers: [], related: [] }));
          if (before === "a team in the trash") await trashed(space);
          if (before === "all" || before === "the half")
            await run(space, name, write(before === "all" ? all : bare), false);
          const at = await space.last();
          const said = await run(space, name, write(all), true);
          expect(await space.last(), "a dry run writes nothing").to.equal(at);
          const done = await run(space, name, write(all), false);
          expect([counts(said), missing(said, done), missing(done, said)]).to.deep.equal([counts(done), [], []]);
        }),
        { numRuns: 3, endOnFailure: true },
      );
    });
});
