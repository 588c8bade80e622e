import { readJsonLines } from "../read/json.ts";
import { type ConvertedRecord, FaultyColumnError, type ImportFormat, ROW_KINDS, type RowKind } from "../row.ts";
import { beadsJsonl } from "./beads-jsonl.ts";
import { githubJson } from "./github-json.ts";
import { jiraCsv } from "./jira-csv.ts";
import { linearCsv } from "./linear-csv.ts";
import { type JsonObject, requireObject, toObjectOrEmpty, toText } from "./record.ts";

/** Format of `trackway export`: each line is one row. */
const jsonl: ImportFormat = {
  name: "jsonl",
  title: "Trackway: trackway export",
  source: "trackway",
  records: readJsonLines,
  convert: (record, at, { team }) => convert(requireObject(record), at, team),
  columns: {},
};

function convert(record: JsonObject, at: number, team: string | undefined): ConvertedRecord {
  const [[kind, value] = ["", undefined], ...more] = Object.entries(record);
  if (kind === "trackway") return { rows: [], problems: [] };
  if (!isKind(kind) || more.length > 0) {
    throw new FaultyColumnError(
      "",
      `is not a line of an export; each line has exactly one of the members ${ROW_KINDS.join(", ")}`,
    );
  }
  const fields: Record<string, unknown> = { ...toObjectOrEmpty(value), ...(team && kind === "issue" && { team }) };
  const name = toText(
    fields["identifier"] ?? fields["externalId"] ?? fields["key"] ?? fields["issue"] ?? fields["name"],
  );
  return { rows: [{ kind, fields, at, name: name ?? kind }], problems: [] };
}

const isKind = (name: string): name is RowKind => (ROW_KINDS as readonly string[]).includes(name);

/** All formats that can be imported. A new format needs a file of its own and an entry here. */
export const FORMATS: readonly ImportFormat[] = [linearCsv, githubJson, jiraCsv, beadsJsonl, jsonl];
