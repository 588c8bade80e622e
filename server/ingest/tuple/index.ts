export { createBufferPool as bufferPool } from "./buffer-pool.ts";
export { column, columnArrays as arrays, nameList, unnestList } from "./columns.ts";
export { type Copy, copyAll, copyIn, createCopy as copyOf } from "./copy.ts";
export {
  createEventCopy as copyOfEvents,
  type EncodedEvent,
  EVENT_COLUMNS,
  EVENT_NAMES,
  type EventColumn,
  encodeEvent,
  type Measured,
  tupleArrays,
} from "./event.ts";
export { numeric } from "./numeric.ts";
export { bool, HEX, int4, int8, json, jsonb, PAIRS, text, timestamptz, uuid } from "./types.ts";
export {
  createWriter as writer,
  putCopy,
  putInt16,
  putInt32,
  putNull,
  reserve,
  setInt32,
  type Writer,
} from "./writer.ts";
