import type { Attributes, LogRecord } from "../../model.ts";
import { anyValue, attributes } from "./any-value.ts";
import { type Json, textAt } from "./members.ts";
import { hexId, momentOf } from "./scalars.ts";

/** Reads a LogRecord. */
export function readLogRecord(record: Json, resource: Attributes, path: string): LogRecord {
  const counter = { characters: 0 };
  const log: LogRecord = {
    resource,
    name: textAt(record, "eventName", path, counter),
    traceId: hexId(record["traceId"], 16, `${path}.traceId`),
    spanId: hexId(record["spanId"], 8, `${path}.spanId`),
    attributes: attributes(record, path, counter),
    characters: 0,
    time: momentOf(record["timeUnixNano"], `${path}.timeUnixNano`),
    observed: momentOf(record["observedTimeUnixNano"], `${path}.observedTimeUnixNano`),
    body: anyValue(record["body"], `${path}.body`, 1, counter) ?? null,
  };
  log.characters = counter.characters;
  return log;
}
