export { type EncodedChangeBatch, encodeChangeBatch } from "./batch.ts";
export { createSocketConnection, type SocketConnection } from "./connection.ts";
