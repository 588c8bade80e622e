import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { findSecrets } from "../../redaction/index.ts";
import type { Config } from "../config.ts";

/** Names under which a secret might be logged by mistake, at the top level of an object or up to two levels below. */
const SECRET_NAMES = [
  "authorization",
  "cookie",
  "password",
  "passwordHash",
  "secret",
  "token",
  "accessToken",
  "refreshToken",
  "key",
  '["x-api-key"]',
];

const paths = SECRET_NAMES.flatMap((name) => {
  const under = (prefix: string) => (name.startsWith("[") ? prefix + name : `${prefix}.${name}`);
  return [name, under("*"), under("*.*")];
});

/**
 * Creates the server's log: one JSON object per line on stdout. The code logs no secrets; this redaction and the
 * search for secrets in error texts are a second protection.
 */
export function createLog(level: Config["LOG_LEVEL"], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: "[redacted]" },
    serializers: { err: (error: Error) => blankedError(stdSerializers.err(error)) },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Maximum characters of buffered log lines while standard output is blocked, for example by a full disk. Further
 * lines are lost.
 */
const WAITING = 1024 * 1024;

/** Standard output, which may be full or closed. The server then continues without a log. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: true, maxLength: WAITING });
  stream.on("error", () => {});
  return stream;
}

/**
 * LOGGED is the number of characters of an error's text that are logged. SEARCHED is the number of characters that are
 * searched for secrets. SEARCHED is larger, because a secret may begin in the logged part and end after that part.
 */
const [LOGGED, SEARCHED] = [8_192, 16_384];

/** Returns the beginning of a text with all secrets redacted. An error may quote input of any length. */
function blanked(text: string): string {
  const whole = text.slice(0, SEARCHED);
  const end = Math.min(LOGGED, whole.length);
  const pieces: string[] = [];
  let from = 0;
  for (const found of findSecrets(whole).found) {
    if (found.start >= end) break;
    pieces.push(whole.slice(from, found.start), "[redacted]");
    from = found.end;
  }
  pieces.push(whole.slice(from, Math.max(from, end)));
  const left = text.length - Math.max(from, end);
  return pieces.join("") + (left > 0 ? `… [${left} more characters]` : "");
}

/**
 * Returns the loggable parts of an error: message and stack, and the code of a database error, but never the values
 * that it quotes.
 */
function blankedError(error: ReturnType<typeof stdSerializers.err>): Record<string, unknown> {
  const { type, message, stack, code } = error as { type: string; message: string; stack: string; code?: unknown };
  // PostgreSQL quotes the rejected value. Class 22 contains data exceptions.
  const quiet = (text: string) => blanked(/^22\w{3}$/.test(String(code)) ? text.replace(/: ".*"/gs, ": […]") : text);
  return { type, message: quiet(message), stack: quiet(stack), ...(code !== undefined && { code }) };
}
