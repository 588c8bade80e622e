import { jsonLines } from "../read/json.ts";
import { type Converted, type Format, KINDS, type Kind, Wrong } from "../row.ts";
import { beadsJsonl } from "./beads-jsonl.ts";
import { githubJson } from "./github-json.ts";
import { jiraCsv } from "./jira-csv.ts";
import { linearCsv } from "./linear-csv.ts";
import { type Json, objectOf, textOf, within } from "./record.ts";

/** The format of `trackway export`: each line is a row as it is imported. */
const jsonl: Format = {
  name: "jsonl",
  title: "Trackway: trackway export",
  source: "trackway",
  records: jsonLines,
  convert: (record, at, { team }) => convert(objectOf(record), at, team),
  columns: {},
};

function convert(record: Json, at: number, team: string | undefined): Converted {
  const [[kind, value] = ["", undefined], ...more] = Object.entries(record);
  if (kind === "trackway") return { rows: [], problems: [] };
  if (!isKind(kind) || more.length > 0) {
    throw new Wrong("", `is no line of an export; each has one member: ${KINDS.join(", ")}`);
  }
  const fields: Record<string, unknown> = { ...within(value), ...(team && kind === "issue" && { team }) };
  const name = textOf(
    fields["identifier"] ?? fields["externalId"] ?? fields["key"] ?? fields["issue"] ?? fields["name"],
  );
  return { rows: [{ kind, fields, at, name: name ?? kind }], problems: [] };
}

const isKind = (name: string): name is Kind => (KINDS as readonly string[]).includes(name);

/** Every format that can be imported: a file of its own, and a place here. */
export const FORMATS: readonly Format[] = [linearCsv, githubJson, jiraCsv, beadsJsonl, jsonl];
