import { createHash } from "node:crypto";
import { getOwnProperty } from "../../../formats/own.ts";
import { parseImportDay, parseImportTime } from "../dates.ts";
import { type CsvRecord, readCsvRecords } from "../read/csv.ts";
import {
  type ConvertedRecord,
  FaultyColumnError,
  type ImportFormat,
  type ImportProblem,
  type ImportRow,
  type ImportSettings,
  omitEmpty,
  parsePerson,
  toIssueState,
} from "../row.ts";

const KEY = ["Issue key", "Work item key", "Key"];
const PRIORITIES: Readonly<Record<string, number>> = {
  ...{ blocker: 1, critical: 1, highest: 1, urgent: 1, high: 2, major: 2, medium: 3, normal: 3 },
  ...{ low: 4, minor: 4, lowest: 4, trivial: 4 },
};
const CATEGORIES: Readonly<Record<string, string>> = {
  ...{ "to do": "unstarted", new: "unstarted", "in progress": "started", done: "completed", complete: "completed" },
};
const POINTS = ["Custom field (Story Points)", "Custom field (Story point estimate)", "Story Points"];

/** Format of Jira's "Export Excel CSV (all fields)", for Jira Server and Jira Cloud. */
export const jiraCsv: ImportFormat = {
  name: "jira-csv",
  title: "In Jira, search for issues, then choose Export > CSV (all fields)",
  source: "jira",
  records: (file, onBytes) => readCsvRecords(file, onBytes, [KEY, ["Summary"], ["Created"]]),
  convert: (record, at, settings) => convert(record as CsvRecord, at, settings),
  columns: {
    ...{ externalId: "Issue key", identifier: "Issue key", title: "Summary", description: "Description" },
    ...{ state: "Status", team: "Project key", key: "Project key", priority: "Priority", labels: "Labels" },
    ...{ creator: "Reporter", assignee: "Assignee", estimate: "Story Points", createdAt: "Created" },
    ...{ updatedAt: "Updated", completedAt: "Resolved", canceledAt: "Resolved", dueDate: "Due date" },
    ...{ parent: "Parent", body: "Comment", author: "Comment" },
  },
};

function convert(record: CsvRecord, at: number, settings: ImportSettings): ConvertedRecord {
  const { get } = record;
  const key = get(...KEY) ?? "";
  const row = (kind: ImportRow["kind"], fields: Record<string, unknown>): ImportRow => ({
    kind,
    at,
    name: key,
    fields: omitEmpty(fields),
  });
  const team = settings.team ?? get("Project key") ?? key.replace(/-\d+$/, "");
  const number = get("Issue id", "Work item id");
  const names = { externalId: key, externalIds: number ? [`${settings.source}:${number}`] : [], identifier: key };
  const { comments, problems } = commentsOf(record, { key, at, settings });
  return {
    rows: [
      ...(settings.team ? [] : [row("team", { key: team, name: get("Project name") ?? team })]),
      row("issue", { ...names, team, ...issueOf(record, settings) }),
      ...comments.map((fields) => row("comment", fields)),
      ...links(record, key).map((link) => row(link.kind, link.fields)),
    ],
    problems,
  };
}

function issueOf({ get, all }: CsvRecord, settings: ImportSettings) {
  const date = (...columns: string[]) => parseImportTime(get(...columns), columns[0] ?? "", settings);
  const category = getOwnProperty(CATEGORIES, get("Status Category")?.toLowerCase() ?? "");
  const resolvedAt = date("Resolved", "Resolution date");
  const state = toIssueState(get("Status"), category ?? (resolvedAt ? "completed" : undefined), settings);
  const canceled = "stateType" in state && /canceled|duplicate/.test(state.stateType ?? "");
  const points = Number(get(...POINTS));
  return {
    ...state,
    title: get("Summary"),
    description: get("Description"),
    priority: getOwnProperty(PRIORITIES, get("Priority")?.toLowerCase() ?? ""),
    estimate: points ? Math.round(points) : undefined,
    labels: [...new Set([...all("Labels"), ...all("Issue Type", "Work type")])],
    creator: parsePerson(get("Reporter", "Creator")),
    assignee: parsePerson(get("Assignee")),
    createdAt: date("Created"),
    updatedAt: date("Updated"),
    completedAt: canceled ? undefined : resolvedAt,
    canceledAt: canceled ? resolvedAt : undefined,
    dueDate: parseImportDay(get("Due date"), "Due date", settings),
  };
}

interface Of {
  key: string;
  at: number;
  settings: ImportSettings;
}

/**
 * Returns the comments. Each column contains one comment as date;author;text. An invalid comment is left out and
 * reported; the other comments are imported.
 */
function commentsOf({ all }: CsvRecord, { key, at, settings }: Of) {
  const comments: Record<string, unknown>[] = [];
  const problems: ImportProblem[] = [];
  const seen = new Map<string, number>();
  for (const text of all("Comment", "Comments")) {
    try {
      const [, date = "", author = "", body = ""] = /^([^;]*);([^;]*);([\s\S]*)$/.exec(text) ?? [];
      if (!body.trim())
        throw new FaultyColumnError(
          "Comment",
          `"${text.slice(0, 40)}" is not in the form date;author;text; export all fields`,
        );
      // The file contains no ids of comments, so the hash of the text identifies a comment in a second import.
      const hash = createHash("sha256").update(text).digest("hex").slice(0, 24);
      const times = (seen.get(hash) ?? 0) + 1;
      seen.set(hash, times);
      const externalId = `${key}/${hash}${times > 1 ? `-${times}` : ""}`;
      const createdAt = parseImportTime(date, "Comment", settings);
      comments.push({ externalId, issue: key, body, author: parsePerson(author), createdAt });
    } catch (error) {
      if (!(error instanceof FaultyColumnError)) throw error;
      problems.push({ at, name: key, column: error.column, message: error.message });
    }
  }
  return { comments, problems };
}

/**
 * Maps the beginning of Jira's name for a link type to a relation of Trackway. The name describes the link from the
 * issue at which the link starts.
 */
const LINKS: readonly (readonly [RegExp, string])[] = [
  [/^block/i, "blocks"],
  [/^(duplicate|clone)/i, "duplicate"],
];

function links({ get, like }: CsvRecord, key: string): Pick<ImportRow, "kind" | "fields">[] {
  const parent = get("Parent key", "Parent", "Parent id", "Custom field (Epic Link)");
  const relations = (start: string, inward: boolean) =>
    like(start).map(([rest, other]) => {
      const type = LINKS.find(([name]) => name.test(rest))?.[1] ?? "related";
      const [issue, relatedIssue] = inward ? [other, key] : [key, other];
      return { kind: "relation" as const, fields: { type, issue, relatedIssue } };
    });
  return [
    ...(parent ? [{ kind: "parent" as const, fields: { issue: key, parent } }] : []),
    ...relations("Inward issue link (", true),
    ...relations("Outward issue link (", false),
  ];
}
