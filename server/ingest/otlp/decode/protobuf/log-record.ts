import type { Attributes, LogRecord, Value } from "../../model.ts";
import { addAttribute, readAnyValue } from "./any-value.ts";
import { moment, noMoment } from "./numbers.ts";
import { hex, text, traceHex } from "./strings.ts";
import { message, type ReadField, type Wire } from "./wire.ts";

/** Reads a LogRecord. */
export function readLogRecord(wire: Wire, resource: Attributes): LogRecord {
  const before = wire.characters;
  const attributes = new Map<string, Value>();
  const log: LogRecord & { attributes: Map<string, Value> } = {
    resource,
    name: "",
    traceId: "",
    spanId: "",
    attributes,
    characters: 0,
    time: noMoment,
    observed: noMoment,
    body: null,
  };
  message(wire, log, logField);
  log.characters = wire.characters - before;
  return log;
}

const logField: ReadField<LogRecord & { attributes: Map<string, Value> }> = (tag, log, wire) => {
  if (tag === 6) return addAttribute(wire, log.attributes);
  if (tag === 1) log.time = moment(wire);
  else if (tag === 5) log.body = readAnyValue(wire) ?? null;
  else if (tag === 9) log.traceId = traceHex(wire);
  else if (tag === 10) log.spanId = hex(wire);
  else if (tag === 11) log.observed = moment(wire);
  else if (tag === 12) log.name = text(wire);
  else return false;
  return true;
};
