export { type Batch, encodeBatch } from "./batch.ts";
export { type Connection, wrapConnection as connectionOf } from "./connection.ts";
