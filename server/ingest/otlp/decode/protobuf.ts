import {
  type Attributes,
  type Export,
  type LogRecord,
  MAX_RECORDS,
  newExport,
  type Span,
  type Value,
} from "../model.ts";
import { addAttribute } from "./protobuf/any-value.ts";
import { readLogRecord, readSpan } from "./protobuf/records.ts";
import { message, openWire, type ReadField, readFields, type Wire } from "./protobuf/wire.ts";

/** Reads an ExportTraceServiceRequest. @throws AppError 400 */
export const spansOfProtobuf = (bytes: Buffer): Export<Span> => readExport(bytes, readSpan);

/** Reads an ExportLogsServiceRequest. @throws AppError 400 */
export const logsOfProtobuf = (bytes: Buffer): Export<LogRecord> => readExport(bytes, readLogRecord);

type ReadRecord<T> = (wire: Wire, resource: Attributes) => T;

/** Spans and logs are wrapped alike: resources (1) of scopes (2) of records (2). */
function readExport<T>(bytes: Buffer, readRecord: ReadRecord<T>): Export<T> {
  const found = newExport<T>();
  const group: ReadField<Map<string, Value>> = (tag, resource, wire) => {
    if (tag === 1) message(wire, resource, resourceField);
    else if (tag === 2) message(wire, resource, scope);
    else return false;
    return true;
  };
  const scope: ReadField<Map<string, Value>> = (tag, resource, wire) => {
    if (tag !== 2) return false;
    found.count += 1;
    if (found.count > MAX_RECORDS) return false;
    found.records.push(readRecord(wire, resource));
    return true;
  };
  const root: ReadField<undefined> = (tag, _, wire) => {
    if (tag !== 1) return false;
    message(wire, new Map(), group);
    return true;
  };
  readFields(openWire(bytes), undefined, root);
  return found;
}

const resourceField: ReadField<Map<string, Value>> = (tag, into, wire) => tag === 1 && addAttribute(wire, into);
