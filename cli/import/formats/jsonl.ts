import { jsonLines } from "../read/json.ts";
import { type Converted, type Format, KINDS, type Kind, Wrong } from "../row.ts";
import { type Json, objectOf, textOf, within } from "./record.ts";

/** The format of `trackway export`: each line is a row as it is imported. */
export const jsonl: Format = {
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
