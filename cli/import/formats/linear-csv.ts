import { getOwnProperty } from "../../../formats/own.ts";
import { removeFormulaGuard } from "../../export/csv.ts";
import { parseImportDay, parseImportTime } from "../dates.ts";
import { type CsvRecord, readCsvRecords } from "../read/csv.ts";
import {
  type ConvertedRecord,
  type ImportFormat,
  type ImportRow,
  type ImportSettings,
  omitEmpty,
  parsePerson,
  toIssueState,
} from "../row.ts";

const PRIORITIES: Readonly<Record<string, number>> = { "no priority": 0, urgent: 1, high: 2, medium: 3, low: 4 };

/** Format of Linear's "Export data" and "Export issues as CSV". */
export const linearCsv: ImportFormat = {
  name: "linear-csv",
  title: "In Linear, open Settings > Import / export > Export CSV",
  source: "linear",
  records: (file, onBytes) => readCsvRecords(file, onBytes, [["ID"], ["Title"], ["Created"]]),
  convert: (record, at, settings) => convert(record as CsvRecord, at, settings),
  columns: {
    ...{ externalId: "ID", identifier: "ID", title: "Title", description: "Description", state: "Status" },
    ...{ team: "Team", key: "ID", priority: "Priority", labels: "Labels", creator: "Creator", assignee: "Assignee" },
    ...{ estimate: "Estimate", project: "Project", cycle: "Cycle Number", createdAt: "Created", updatedAt: "Updated" },
    ...{ startedAt: "Started", completedAt: "Completed", canceledAt: "Canceled", archivedAt: "Archived" },
    ...{ dueDate: "Due Date", parent: "Parent issue" },
  },
};

function convert(record: CsvRecord, at: number, settings: ImportSettings): ConvertedRecord {
  const get: CsvRecord["get"] = (...names) => removeFormulaGuard(record.get(...names));
  const id = get("ID") ?? "";
  const row = (kind: ImportRow["kind"], fields: Record<string, unknown>): ImportRow => ({
    kind,
    at,
    name: id,
    fields: omitEmpty(fields),
  });
  const team = settings.team ?? id.replace(/-\d+$/, "");
  const number = Number(get("Cycle Number"));
  const cycle = number ? cycleOf({ get }, { team, number }, settings) : undefined;
  return {
    rows: [
      ...(settings.team ? [] : [row("team", { key: team, name: get("Team") ?? team })]),
      ...(cycle ? [row("cycle", cycle)] : []),
      row("issue", {
        ...issueOf({ get }, settings),
        ...textsOf(record),
        externalId: id,
        identifier: id,
        team,
        cycle: cycle?.number,
      }),
      ...links({ get }, id).map((link) => row(link.kind, link.fields)),
    ],
    problems: [],
  };
}

const textsOf = ({ text }: CsvRecord) => ({
  title: removeFormulaGuard(text("Title")),
  description: removeFormulaGuard(text("Description")),
});

type Get = Pick<CsvRecord, "get">;

function issueOf({ get }: Get, settings: ImportSettings) {
  const date = (column: string) => parseImportTime(get(column), column, settings);
  const moments = {
    createdAt: date("Created"),
    updatedAt: date("Updated"),
    startedAt: date("Started"),
    completedAt: date("Completed"),
    canceledAt: date("Canceled"),
    archivedAt: date("Archived"),
  };
  const { completedAt, canceledAt, startedAt } = moments;
  const hint = completedAt ? "completed" : canceledAt ? "canceled" : startedAt ? "started" : undefined;
  return {
    ...moments,
    ...toIssueState(get("Status"), hint, settings),
    priority: getOwnProperty(PRIORITIES, get("Priority")?.toLowerCase() ?? ""),
    estimate: get("Estimate") ? Math.round(Number(get("Estimate"))) : undefined,
    labels: get("Labels")
      ?.split(/\s*,\s*/)
      .filter(Boolean),
    creator: parsePerson(get("Creator")),
    assignee: parsePerson(get("Assignee")),
    project: get("Project"),
    dueDate: parseImportDay(get("Due Date"), "Due Date", settings),
  };
}

function cycleOf({ get }: Get, cycle: { team: string; number: number }, settings: ImportSettings) {
  const startsAt = parseImportTime(get("Cycle Start"), "Cycle Start", settings);
  const endsAt = parseImportTime(get("Cycle End"), "Cycle End", settings);
  return startsAt && endsAt ? { ...cycle, name: get("Cycle Name"), startsAt, endsAt } : undefined;
}

function links({ get }: Get, id: string): Pick<ImportRow, "kind" | "fields">[] {
  const parent = get("Parent issue");
  const listed = (column: string) =>
    get(column)
      ?.split(/\s*,\s*/)
      .filter(Boolean) ?? [];
  const relation = (type: string, issue: string, relatedIssue: string) => ({
    ...{ kind: "relation" as const, fields: { type, issue, relatedIssue } },
  });
  return [
    ...(parent ? [{ kind: "parent" as const, fields: { issue: id, parent } }] : []),
    ...listed("Blocked by").map((other) => relation("blocks", other, id)),
    ...listed("Duplicate of").map((other) => relation("duplicate", id, other)),
    ...listed("Related to").map((other) => relation("related", id, other)),
  ];
}
