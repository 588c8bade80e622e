import { connect } from "node:net";

/** Names of properties that every JavaScript object inherits. */
export const INHERITED_NAMES: readonly string[] = ["constructor", "__proto__"];

/** JSON values that have broken servers, for any place that takes JSON. */
export const JSON_VALUES: readonly unknown[] = [
  ...INHERITED_NAMES,
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e308, -0],
  ...["", " ", "\0", "a\0b", "\ud800", "a\udc00b", "\ufeff", "%00", "../..", "'; select 1; --", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ...["x".repeat(300), "x".repeat(60_000), "9007199254740993", "0000-00-00T00:00:00Z", "275760-09-13T00:00:00.001Z"],
  ...["-271821-04-20T00:00:00.000Z", "9999-12-31T23:59:59.999999999Z", "http://[::1", "https://\0/", "a@b", "NaN"],
  ...[[], [[]], [null], ["\0"], ["\ud800"], {}, { a: "\0" }, { toString: 1 }, Array(2_000).fill("x")],
];

/** Strings that have broken servers, for paths, queries and headers, as sent over the wire. */
export const WIRE_VALUES: readonly string[] = [
  ...INHERITED_NAMES,
  ...["", "%00", "a%00b", "%ff", "%ED%A0%80", "%", "%zz", "%2e%2e", "%2e%2e%2f%2e%2e%2f", "..%5c", "%0d%0aX: y", "+"],
  ...["0", "-1", "1.5", "NaN", "1e400", "9007199254740993", "99999999999999999999999", "0x10", "null", "[]", "{}"],
  ...["2020-13-45", "0000-00-00T00:00:00Z", "275760-09-13T00%3A00%3A00.001Z", "00000000-0000-0000-0000-000000000000"],
  ...["00000000-0000-0000-0000-00000000000%00", "\xff\xfe", "\x7f", "'", '"', "\\", ";", "a".repeat(5_000), "*", "//"],
];

/** Bodies that are no JSON object, as bytes in latin1. */
export const HOSTILE_BODIES: readonly string[] = [
  ...["", " ", "null", "true", "0", '"x"', "[]", "[{}]", "{", "}", '{"a":}', "{}{}", "\xff\xfe", '{"a":"\xff"}', "\0"],
  ...INHERITED_NAMES.map((name) => `{"${name}":{"a":1},"a":{"${name}":"${name}"}}`),
  ...['{"__proto__":{"a":1}}', '{"a":1,"a":2}', '{"\\u0000":1}', '{"\\ud800":1}', "\xef\xbb\xbf{}", '{"a":1e999}'],
  ...["[".repeat(20_000), '{"a":'.repeat(20_000), "x".repeat(70_000), `"${"x".repeat(1_000_000)}"`],
];

/** HTTP request as sent over the wire, in latin1. */
export interface WireRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

const DEADLINE_MS = 20_000;
const STATUS = /^HTTP\/1\.1 (?!100)(\d{3})/m;

/** Sends a request on a new connection. Resolves to the status, or to 0 without a response. */
export function requestStatus(url: string, { method, path, headers, body }: WireRequest): Promise<number> {
  const { hostname, port } = new URL(url);
  const all = { Host: "localhost", Connection: "close", ...(body !== undefined && lengthOf(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname).setTimeout(DEADLINE_MS, () => socket.destroy());
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      // The connection may be kept alive, and only the status is needed.
      if (STATUS.test(text)) socket.destroy();
    });
    // A server that refuses a request early may reset the connection after the response.
    socket.once("error", () => {}).once("close", () => resolve(Number(STATUS.exec(text)?.[1] ?? 0)));
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`, "latin1");
  });
}

const lengthOf = (body: string) => ({ "Content-Length": String(Buffer.byteLength(body, "latin1")) });
