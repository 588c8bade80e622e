import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors.ts";

const CODINGS = new Set(["identity", "gzip", "x-gzip", "deflate", "br"]);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** The compression of a body; `identity` for none. */
export const coding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reports whether a body is JSON in UTF-8. */
export function isJson({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"] ?? "";
  return JSON_TYPE.test(type) && /^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? "utf-8");
}

/** The refusal of a body of another type. */
export const unsupportedType = (taken: string) =>
  new AppError("unsupported", `Send Content-Type: ${taken}`, { tag: "unsupported_media_type" });

/** Refuses a type or a coding that is not taken, before the body is read. @throws AppError 415 */
export function checkMediaType(request: IncomingMessage): void {
  if (!isJson(request)) throw unsupportedType("application/json, in UTF-8");
  checkCoding(request);
}

/** Refuses a coding that is not taken. @throws AppError 415 */
export function checkCoding(request: IncomingMessage): void {
  if (!CODINGS.has(coding(request))) {
    throw new AppError("unsupported", "Send the body as it is or with Content-Encoding gzip, deflate or br", {
      tag: "unsupported_encoding",
      headers: { "Accept-Encoding": "gzip, deflate, br" },
    });
  }
}

/** Characters of the name of a computer. */
const HOST = 255;

/** The name of the computer that a hook runs on: `?host=` of its address. */
export function hostOf({ url = "" }: IncomingMessage): string | undefined {
  const at = url.indexOf("?");
  return at < 0 ? undefined : new URLSearchParams(url.slice(at)).get("host")?.slice(0, HOST) || undefined;
}
