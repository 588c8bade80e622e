import { readOwn } from "../../../formats/own.ts";
import { moment } from "../dates.ts";
import { jsonLines } from "../read/json.ts";
import { type Converted, type Format, given, person, type Row, type Settings, stateOf, Wrong } from "../row.ts";
import { type Json, listOf, objectOf, textOf } from "./record.ts";

const STATES: Readonly<Record<string, string>> = {
  ...{ open: "Todo", in_progress: "In Progress", blocked: "Blocked", closed: "Done", deferred: "Backlog" },
};
/** Priorities begin at 0, the most urgent; here 0 is none. */
const LOWEST = 4;

/** The format of beads' `.beads/issues.jsonl` and of `bd export`. */
export const beadsJsonl: Format = {
  name: "beads-jsonl",
  title: "beads: .beads/issues.jsonl, or bd export",
  source: "beads",
  records: jsonLines,
  convert: (record, at, settings) => convert(objectOf(record), at, settings),
  columns: {
    ...{ externalId: "id", identifier: "id", state: "status", creator: "created_by", createdAt: "created_at" },
    ...{ updatedAt: "updated_at", completedAt: "closed_at", dueDate: "due_at", body: "comments", author: "comments" },
    ...{ parent: "dependencies", relatedIssue: "dependencies", previousIdentifiers: "external_ref" },
  },
};

function convert(record: Json, at: number, settings: Settings): Converted {
  if (record["_type"] && record["_type"] !== "issue")
    return { rows: [], problems: [], skipped: `${record["_type"]} lines` };
  if (record["status"] === "tombstone") return { rows: [], problems: [], skipped: "deleted issues" };
  const id = textOf(record["id"]);
  if (!id) throw new Wrong("id", "is missing; give the issue one");
  if (!settings.team) throw new Wrong("", "is in no team; say which with --team KEY");
  const row = (kind: Row["kind"], fields: Json): Row => ({ kind, at, name: id, fields: given(fields) });
  const problems = listOf(record["dependencies"]).flatMap((dependency) => unknownType(dependency, { at, name: id }));
  return {
    rows: [
      row("issue", { externalId: id, identifier: id, team: settings.team, ...issueOf(record, settings) }),
      ...commentsOf(record, id, settings).map((fields) => row("comment", fields)),
      ...listOf(record["dependencies"]).flatMap((each) => link(each, id).map(({ kind, fields }) => row(kind, fields))),
    ],
    problems,
  };
}

function issueOf(record: Json, settings: Settings) {
  const date = (field: string) => moment(textOf(readOwn(record, field)), field, settings);
  const status = textOf(record["status"]) ?? "open";
  const priority = Number(record["priority"]);
  const type = textOf(record["issue_type"]);
  return {
    ...stateOf(settings.states.get(status) ?? readOwn(STATES, status) ?? status, undefined, settings),
    title: textOf(record["title"]),
    description: textsOf(record),
    priority: Number.isInteger(priority) && priority >= 0 ? Math.min(priority + 1, LOWEST) : undefined,
    labels: [...new Set([...(Array.isArray(record["labels"]) ? record["labels"] : []), ...(type ? [type] : [])])],
    creator: person(textOf(record["created_by"])),
    assignee: person(textOf(record["assignee"])),
    previousIdentifiers: [textOf(record["external_ref"])].filter(Boolean),
    createdAt: date("created_at"),
    updatedAt: date("updated_at"),
    startedAt: date("started_at"),
    completedAt: date("closed_at"),
    dueDate: date("due_at")?.slice(0, 10),
  };
}

/** The texts that beads keeps apart, under headings. */
function textsOf(record: Json): string {
  const part = (heading: string, field: string) => {
    const text = textOf(readOwn(record, field));
    return text?.trim() ? `## ${heading}\n\n${text}` : "";
  };
  const parts = [part("Design", "design"), part("Acceptance criteria", "acceptance_criteria"), part("Notes", "notes")];
  return [textOf(record["description"]), ...parts].filter(Boolean).join("\n\n");
}

function commentsOf(record: Json, id: string, settings: Settings): Json[] {
  const reason = textOf(record["close_reason"]);
  const closed = moment(textOf(record["closed_at"]), "closed_at", settings);
  const comments = listOf(record["comments"]).map((comment) => ({
    externalId: `${id}/${textOf(comment["id"]) ?? textOf(comment["created_at"])}`,
    issue: id,
    body: textOf(comment["text"] ?? comment["body"]),
    author: person(textOf(comment["author"])),
    createdAt: moment(textOf(comment["created_at"]), "comments.created_at", settings),
  }));
  const last = { externalId: `${id}/close_reason`, issue: id, body: `Closed: ${reason}`, createdAt: closed };
  return reason?.trim() && closed ? [...comments, last] : comments;
}

/** The relation for each type of dependency, and if it is read from the other issue. */
const TYPES: Readonly<Record<string, readonly [type: string, turned: boolean]>> = {
  blocks: ["blocks", true],
  "conditional-blocks": ["blocks", true],
  related: ["related", false],
  "relates-to": ["related", false],
  "discovered-from": ["discovered", false],
  duplicates: ["duplicate", false],
  supersedes: ["duplicate", true],
};

const typeOf = (dependency: Json): string => textOf(dependency["type"] ?? dependency["dep_type"]) ?? "blocks";

function link(dependency: Json, id: string): Pick<Row, "kind" | "fields">[] {
  const other = textOf(dependency["depends_on_id"]);
  const type = typeOf(dependency);
  if (!other) return [];
  if (type === "parent-child") return [{ kind: "parent", fields: { issue: id, parent: other } }];
  const [name, turned] = readOwn(TYPES, type) ?? [];
  if (!name) return [];
  const [issue, relatedIssue] = turned ? [other, id] : [id, other];
  return [{ kind: "relation", fields: { type: name, issue, relatedIssue } }];
}

function unknownType(dependency: Json, of: { at: number; name: string }) {
  const type = typeOf(dependency);
  if (type === "parent-child" || readOwn(TYPES, type)) return [];
  const known = ["parent-child", ...Object.keys(TYPES)].join(", ");
  return [{ ...of, column: "dependencies", message: `"${type}" is no relation here; make it one of ${known}` }];
}
