import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type Koa from "koa";

/** Header names and values that alternate in one list, as node's `writeHead` accepts them. */
export type HeaderList = readonly string[];

/** A complete response. */
export interface Reply {
  status: number;
  type: string;
  headers: HeaderList;
  body: string;
}

/**
 * Minimum response length that is compressed. Compressing a shorter response would save no more than a packet or two.
 */
const LEAST_TO_COMPRESS = 4_096;
/**
 * Maximum number of compressions that run at once, because compression shares its threads with file access and password
 * hashing. While the maximum is reached, responses are sent uncompressed and without delay.
 */
const MOST_AT_ONCE = 2;
/** Low compression levels: a quarter of the bytes for 6 ms of CPU per megabyte, outside the main thread. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const GZIP = { level: 1 };

const compressions = {
  br: (text: string) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text: string) => promisify(gzip)(text, GZIP),
};
let compressing = 0;

/**
 * Sends a response with one list of headers. Setting twenty headers one by one and passing the body through koa would
 * cost more than half as much as reading the request. Compresses a long response if the client accepts compression.
 * Compression is safe: a foreign page could learn a secret from the length of responses only by sending requests, and
 * every request needs a bearer token.
 * @param common headers that are not on the response yet
 */
export async function sendReply(
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
  // Browsers accept both encodings, and the order in Accept-Encoding has no meaning, so the server prefers Brotli.
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
