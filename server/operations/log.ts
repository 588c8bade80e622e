import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { findSecrets } from "../../redaction/index.ts";
import type { Config } from "../config.ts";

/** Names under which a secret might be logged by mistake, at the top of an object or one or two levels down. */
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
 * The server's log: one JSON object a line on stdout. Nothing is logged that holds a secret; the redaction is the
 * second net, and so is the search for secrets in the texts of errors.
 */
export function createLog(level: Config["LOG_LEVEL"], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: "[redacted]" },
    serializers: { err: (error: Error) => blankedError(stdSerializers.err(error)) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Characters of an error's text that are logged, and that are searched: a secret may begin in the ones and end in the others. */
const [LOGGED, SEARCHED] = [8_192, 16_384];

/** The beginning of a text with every secret in it blanked: an error may quote what somebody sent, however long. */
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

/** An error as it may be logged: message and stack, and of a database error its code, never the values it quotes. */
function blankedError(error: ReturnType<typeof stdSerializers.err>): Record<string, unknown> {
  const { type, message, stack, code } = error as { type: string; message: string; stack: string; code?: unknown };
  // PostgreSQL quotes the value it refused: class 22 is that of data exceptions.
  const quiet = (text: string) => blanked(/^22\w{3}$/.test(String(code)) ? text.replace(/: ".*"/gs, ": […]") : text);
  return { type, message: quiet(message), stack: quiet(stack), ...(code !== undefined && { code }) };
}
