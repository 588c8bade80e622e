export { type Batch, encodeBatch } from "./batch.ts";
export { type Connection, connectionOf } from "./connection.ts";
