import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors.ts";

const CODINGS = new Set(["identity", "gzip", "x-gzip", "deflate", "br"]);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Returns the compression of a body; `identity` for none. */
export const contentCoding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Returns true if a body is JSON in UTF-8. */
export function isJson({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"] ?? "";
  return JSON_TYPE.test(type) && /^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? "utf-8");
}

export const unsupportedMediaTypeError = (taken: string) =>
  new AppError("unsupported", `Send Content-Type: ${taken}`, { tag: "unsupported_media_type" });

/** Rejects an unsupported media type or compression before the body is read. @throws AppError 415 */
export function checkMediaType(request: IncomingMessage): void {
  if (!isJson(request)) throw unsupportedMediaTypeError("application/json, in UTF-8");
  checkContentEncoding(request);
}

/** Rejects an unsupported compression. @throws AppError 415 */
export function checkContentEncoding(request: IncomingMessage): void {
  if (!CODINGS.has(contentCoding(request))) {
    throw new AppError("unsupported", "Send the body uncompressed or with Content-Encoding gzip, deflate or br", {
      tag: "unsupported_encoding",
      headers: { "Accept-Encoding": "gzip, deflate, br" },
    });
  }
}

/** Maximum characters of a computer's name. */
const HOST = 255;

/** Returns the name of the computer on which a hook runs, from `?host=` in the URL. */
export function readHookHostName({ url = "" }: IncomingMessage): string | undefined {
  const at = url.indexOf("?");
  return at < 0 ? undefined : new URLSearchParams(url.slice(at)).get("host")?.slice(0, HOST) || undefined;
}
