import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type Koa from "koa";

/** Names and values of headers in turn, as node's `writeHead` takes them. */
export type HeaderList = readonly string[];

/** An answer that is complete. */
export interface Reply {
  status: number;
  type: string;
  headers: HeaderList;
  body: string;
}

/** A shorter answer would save less than a packet or two. */
const LEAST_TO_COMPRESS = 4_096;
/** Threads are shared with files and passwords: an answer beyond these is sent as it is, at once. */
const MOST_AT_ONCE = 2;
/** Low levels: a quarter of the bytes for 6 ms of CPU a megabyte, next to the main thread. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const GZIP = { level: 1 };

const compressions = {
  br: (text: string) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text: string) => promisify(gzip)(text, GZIP),
};
let compressing = 0;

/**
 * Writes an answer at once, with its headers as one list: setting each of twenty on the response, and handing the body
 * through koa, costs more than half of what reading the request does. A long answer is compressed where that is taken:
 * no page of others can have one asked for, as a request needs a bearer, so its length tells nobody of a secret in it.
 * @param common the headers that are not on the response yet
 */
export async function send(
  ctx: Koa.Context,
  { status, type, headers, body }: Reply,
  common: HeaderList,
): Promise<void> {
  ctx.respond = false;
  const encoding = body.length < LEAST_TO_COMPRESS ? undefined : encodingOf(ctx);
  const sent = encoding ? await compressed(body, encoding) : body;
  const own = ["Content-Type", `${type}; charset=utf-8`, "Content-Length", String(Buffer.byteLength(sent))];
  if (encoding) own.push("Content-Encoding", encoding);
  ctx.res.writeHead(status, [...common, ...headers, ...own]);
  ctx.res.end(sent);
}

function encodingOf(ctx: Koa.Context): keyof typeof compressions | undefined {
  if (!ctx.req.headers["accept-encoding"] || compressing >= MOST_AT_ONCE) return undefined;
  // Browsers name both: their order says nothing.
  if (ctx.acceptsEncodings("br", "identity") === "br") return "br";
  return ctx.acceptsEncodings("gzip", "identity") === "gzip" ? "gzip" : undefined;
}

async function compressed(body: string, encoding: keyof typeof compressions): Promise<Buffer> {
  compressing += 1;
  try {
    return await compressions[encoding](body);
  } finally {
    compressing -= 1;
  }
}
