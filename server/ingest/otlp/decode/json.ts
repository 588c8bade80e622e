import { AppError } from "../../../errors.ts";
import { parseBody } from "../../capture/json.ts";
import {
  type Attributes,
  type Export,
  type LogRecord,
  MAX_JSON_VALUES,
  MAX_RECORDS,
  MAX_VALUE_LEVELS,
  newExport,
  type Span,
} from "../model.ts";
import { attributes } from "./json/any-value.ts";
import { type Json, objectAt, objects } from "./json/members.ts";
import { readLogRecord, readSpan } from "./json/records.ts";

/** Reads an ExportTraceServiceRequest in JSON. @throws AppError 400 */
export const spansOfJson = (bytes: Buffer): Export<Span> =>
  readExport(bytes, { groups: "resourceSpans", scopes: "scopeSpans", records: "spans" }, readSpan);

/** Reads an ExportLogsServiceRequest in JSON. @throws AppError 400 */
export const logsOfJson = (bytes: Buffer): Export<LogRecord> =>
  readExport(bytes, { groups: "resourceLogs", scopes: "scopeLogs", records: "logRecords" }, readLogRecord);

interface Names {
  groups: string;
  scopes: string;
  records: string;
}

/** From the body down to a value: twelve levels; a value inside a value is four further down. */
const EXTENT = { levels: 12 + 4 * MAX_VALUE_LEVELS, values: MAX_JSON_VALUES };

function readExport<T>(
  bytes: Buffer,
  names: Names,
  readRecord: (record: Json, resource: Attributes, path: string) => T,
): Export<T> {
  const { value: body } = parseBody(bytes, EXTENT);
  if (!(names.groups in body) && Object.keys(body).length > 0) throw noExport(names, body);
  const found = newExport<T>();
  for (const [group, groupPath] of objects(body, names.groups, "")) {
    const resource = attributes(objectAt(group, "resource", groupPath), `${groupPath}.resource`, { characters: 0 });
    for (const [scope, scopePath] of objects(group, names.scopes, groupPath)) {
      for (const [record, path] of objects(scope, names.records, scopePath)) {
        found.count += 1;
        if (found.count <= MAX_RECORDS) found.records.push(readRecord(record, resource, path));
      }
    }
  }
  return found;
}

/** Fields that a receiver does not know are ignored, yet a body of such fields alone is something else than an export. */
function noExport({ groups }: Names, body: Json): AppError {
  const other = Object.keys(SENT_TO).find((name) => name in body);
  const cure = other ? `; send ${other} to ${SENT_TO[other]}` : "";
  return new AppError("input", `The body must be an object with ${groups}${cure}`, { tag: "invalid_body" });
}

/** The path for each kind of export. */
const SENT_TO: Json = { resourceSpans: "/v1/traces", resourceLogs: "/v1/logs", resourceMetrics: "/v1/metrics" };
