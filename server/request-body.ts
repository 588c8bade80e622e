import type { IncomingMessage } from "node:http";
import type Koa from "koa";
import { AppError, inputError } from "./errors.ts";

/** The size limit of a body, and the messages of errors. */
export interface BodyRules {
  maxBytes: number;
  tooLarge: string;
  cutOff: string;
}

/** Maximum bytes of a request to the control plane or OAuth. */
const SMALL_BYTES = 64 * 1024;

const SMALL_BODY: BodyRules = {
  maxBytes: SMALL_BYTES,
  tooLarge: `The body may have ${SMALL_BYTES} bytes.`,
  cutOff: "The body could not be read.",
};

/**
 * Reads the body of an API request. Ingestion has its own reader, because bodies of events are larger and
 * may be compressed.
 * @throws AppError too_large, before reading when Content-Length exceeds the limit; input for a truncated body
 */
export function readBody(request: IncomingMessage, { maxBytes, tooLarge, cutOff }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refusal = () => new AppError("too_large", tooLarge, { limit: maxBytes });
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw refusal();
    const pieces: Buffer[] = [];
    let size = 0;
    const take = (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size <= maxBytes) return;
      request.off("data", take).pause();
      reject(refusal());
    };
    const cut = () => reject(inputError(cutOff));
    const end = () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    request.on("data", take).once("end", end).once("aborted", cut).once("error", cut);
  });
}

const utf8 = new TextDecoder();
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Reads the form of an OAuth request. @throws AppError as `readJson` does */
export const readForm = (ctx: Koa.Context): Promise<string> =>
  readSmall(ctx, [FORM_TYPE], `Send a form, with Content-Type: ${FORM_TYPE}.`);

/**
 * Reads the JSON object of a request to the control plane or OAuth.
 * @throws AppError unsupported (415) for other content types and for compressed bodies; too_large (413); input (400),
 * with the tag `invalid_json` when the body is not a JSON object
 */
export async function readJson(ctx: Koa.Context): Promise<object> {
  const text = await readSmall(ctx, [JSON_TYPE, "application/*+json"], `Send JSON, with Content-Type: ${JSON_TYPE}.`);
  try {
    const value: unknown = JSON.parse(text || "{}");
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Does nothing: the error below covers invalid JSON, and also JSON values that are not objects.
  }
  throw new AppError("input", "The body is not valid JSON.", { tag: "invalid_json" });
}

async function readSmall(ctx: Koa.Context, types: string[], advice: string): Promise<string> {
  const encoding = ctx.get("Content-Encoding");
  if (encoding && encoding !== "identity") {
    throw new AppError("unsupported", "Send the body uncompressed.", { headers: { "Accept-Encoding": "identity" } });
  }
  if (!ctx.is(...types)) throw new AppError("unsupported", advice);
  return utf8.decode(await readBody(ctx.req, SMALL_BODY));
}
