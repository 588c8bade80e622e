import { getOwnProperty } from "../../../formats/own.ts";
import { parseImportTime } from "../dates.ts";
import { readJsonLines } from "../read/json.ts";
import {
  type ConvertedRecord,
  FaultyColumnError,
  type ImportFormat,
  type ImportRow,
  type ImportSettings,
  omitEmpty,
  parsePerson,
  toIssueState,
} from "../row.ts";
import { type JsonObject, listObjects, requireObject, toText } from "./record.ts";

const STATES: Readonly<Record<string, string>> = {
  ...{ open: "Todo", in_progress: "In Progress", blocked: "Blocked", closed: "Done", deferred: "Backlog" },
};
/**
 * Number of the lowest priority in Trackway. Priorities are converted, because 0 is the most urgent priority in beads
 * but means "no priority" in Trackway.
 */
const LOWEST = 4;

/** Format of beads' `.beads/issues.jsonl` and of `bd export`. */
export const beadsJsonl: ImportFormat = {
  name: "beads-jsonl",
  title: "beads: .beads/issues.jsonl, or bd export",
  source: "beads",
  records: readJsonLines,
  convert: (record, at, settings) => convert(requireObject(record), at, settings),
  columns: {
    ...{ externalId: "id", identifier: "id", state: "status", creator: "created_by", createdAt: "created_at" },
    ...{ updatedAt: "updated_at", completedAt: "closed_at", dueDate: "due_at", body: "comments", author: "comments" },
    ...{ parent: "dependencies", relatedIssue: "dependencies", previousIdentifiers: "external_ref" },
  },
};

function convert(record: JsonObject, at: number, settings: ImportSettings): ConvertedRecord {
  if (record["_type"] && record["_type"] !== "issue")
    return { rows: [], problems: [], skipped: `${record["_type"]} lines` };
  if (record["status"] === "tombstone") return { rows: [], problems: [], skipped: "deleted issues" };
  const id = toText(record["id"]);
  if (!id) throw new FaultyColumnError("id", "is missing; add a value to the issue");
  if (!settings.team) throw new FaultyColumnError("", "has no team; add --team KEY");
  const row = (kind: ImportRow["kind"], fields: JsonObject): ImportRow => ({
    kind,
    at,
    name: id,
    fields: omitEmpty(fields),
  });
  const problems = listObjects(record["dependencies"]).flatMap((dependency) =>
    unknownType(dependency, { at, name: id }),
  );
  return {
    rows: [
      row("issue", { externalId: id, identifier: id, team: settings.team, ...issueOf(record, settings) }),
      ...commentsOf(record, id, settings).map((fields) => row("comment", fields)),
      ...listObjects(record["dependencies"]).flatMap((each) =>
        link(each, id).map(({ kind, fields }) => row(kind, fields)),
      ),
    ],
    problems,
  };
}

function issueOf(record: JsonObject, settings: ImportSettings) {
  const date = (field: string) => parseImportTime(toText(getOwnProperty(record, field)), field, settings);
  const status = toText(record["status"]) ?? "open";
  const priority = Number(record["priority"]);
  const type = toText(record["issue_type"]);
  return {
    ...toIssueState(settings.states.get(status) ?? getOwnProperty(STATES, status) ?? status, undefined, settings),
    title: toText(record["title"]),
    description: textsOf(record),
    priority: Number.isInteger(priority) && priority >= 0 ? Math.min(priority + 1, LOWEST) : undefined,
    labels: [...new Set([...(Array.isArray(record["labels"]) ? record["labels"] : []), ...(type ? [type] : [])])],
    creator: parsePerson(toText(record["created_by"])),
    assignee: parsePerson(toText(record["assignee"])),
    previousIdentifiers: [toText(record["external_ref"])].filter(Boolean),
    createdAt: date("created_at"),
    updatedAt: date("updated_at"),
    startedAt: date("started_at"),
    completedAt: date("closed_at"),
    dueDate: date("due_at")?.slice(0, 10),
  };
}

/**
 * Joins the description and the other texts that beads stores in separate fields. Each of the other texts gets a
 * heading.
 */
function textsOf(record: JsonObject): string {
  const part = (heading: string, field: string) => {
    const text = toText(getOwnProperty(record, field));
    return text?.trim() ? `## ${heading}\n\n${text}` : "";
  };
  const parts = [part("Design", "design"), part("Acceptance criteria", "acceptance_criteria"), part("Notes", "notes")];
  return [toText(record["description"]), ...parts].filter(Boolean).join("\n\n");
}

function commentsOf(record: JsonObject, id: string, settings: ImportSettings): JsonObject[] {
  const reason = toText(record["close_reason"]);
  const closed = parseImportTime(toText(record["closed_at"]), "closed_at", settings);
  const comments = listObjects(record["comments"]).map((comment) => ({
    externalId: `${id}/${toText(comment["id"]) ?? toText(comment["created_at"])}`,
    issue: id,
    body: toText(comment["text"] ?? comment["body"]),
    author: parsePerson(toText(comment["author"])),
    createdAt: parseImportTime(toText(comment["created_at"]), "comments.created_at", settings),
  }));
  const last = { externalId: `${id}/close_reason`, issue: id, body: `Closed: ${reason}`, createdAt: closed };
  return reason?.trim() && closed ? [...comments, last] : comments;
}

/**
 * Maps the type of a beads dependency to a relation of Trackway. `turned` is true if the two issues of the relation are
 * swapped.
 */
const TYPES: Readonly<Record<string, readonly [type: string, turned: boolean]>> = {
  blocks: ["blocks", true],
  "conditional-blocks": ["blocks", true],
  related: ["related", false],
  "relates-to": ["related", false],
  "discovered-from": ["discovered", false],
  duplicates: ["duplicate", false],
  supersedes: ["duplicate", true],
};

const typeOf = (dependency: JsonObject): string => toText(dependency["type"] ?? dependency["dep_type"]) ?? "blocks";

function link(dependency: JsonObject, id: string): Pick<ImportRow, "kind" | "fields">[] {
  const other = toText(dependency["depends_on_id"]);
  const type = typeOf(dependency);
  if (!other) return [];
  if (type === "parent-child") return [{ kind: "parent", fields: { issue: id, parent: other } }];
  const [name, turned] = getOwnProperty(TYPES, type) ?? [];
  if (!name) return [];
  const [issue, relatedIssue] = turned ? [other, id] : [id, other];
  return [{ kind: "relation", fields: { type: name, issue, relatedIssue } }];
}

function unknownType(dependency: JsonObject, of: { at: number; name: string }) {
  const type = typeOf(dependency);
  if (type === "parent-child" || getOwnProperty(TYPES, type)) return [];
  const known = ["parent-child", ...Object.keys(TYPES)].join(", ");
  return [{ ...of, column: "dependencies", message: `"${type}" is not a known relation; use one of ${known}` }];
}
