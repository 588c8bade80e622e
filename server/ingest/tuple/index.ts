export { createBufferPool } from "./buffer-pool.ts";
export { column, columnArrays, columnNamesSql, unnestColumnsSql } from "./columns.ts";
export { bulkInsertByCopy, type CopyStatement, createCopyOfRows, sendCopyMessage } from "./copy.ts";
export {
  createEventCopy,
  type EncodedEvent,
  EVENT_COLUMN_NAMES_SQL,
  EVENT_COLUMNS,
  type EventColumn,
  type EventMeasurements,
  encodeEvent,
  tuplesToColumnArrays,
} from "./event.ts";
export { numeric } from "./numeric.ts";
export {
  bool,
  HEX_DIGIT_VALUES,
  int4,
  int8,
  json,
  jsonb,
  text,
  timestamptz,
  UUID_HEX_PAIR_POSITIONS,
  uuid,
} from "./types.ts";
export {
  createBufferWriter,
  putByteRange,
  putInt16,
  putInt32,
  putNull,
  reserve,
  setInt32,
  type Writer,
} from "./writer.ts";
