import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors.ts";

const CODINGS = new Set(["identity", "gzip", "x-gzip", "deflate", "br"]);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** How a body is compressed; `identity` when it is not. */
export const coding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Refuses a type or a coding that is not taken, before the body is read. @throws AppError 415 */
export function checkMediaType(request: IncomingMessage): void {
  const type = request.headers["content-type"] ?? "";
  if (!JSON_TYPE.test(type) || !/^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? "utf-8")) {
    throw new AppError("unsupported", "Send Content-Type: application/json, in UTF-8", {
      tag: "unsupported_media_type",
    });
  }
  if (!CODINGS.has(coding(request))) {
    throw new AppError("unsupported", "Send the body as it is or with Content-Encoding gzip, deflate or br", {
      tag: "unsupported_encoding",
      headers: { "Accept-Encoding": "gzip, deflate, br" },
    });
  }
}
