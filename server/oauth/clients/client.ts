import { Agent, request } from "undici";
import { z } from "zod";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { enforceLimitsIfThrottling } from "../../accounts/throttle.ts";
import { TargetRefusedError, targetConnector } from "../../outbound/connector.ts";
import type { Runtime } from "../../runtime.ts";
import { OAuthError } from "../failure.ts";
import { acceptsMetadataDocuments } from "../issuer.ts";
import { findRedirectUriFault, MAX_REDIRECT_URIS } from "./redirect-uri.ts";

/** An app that asks to act on behalf of users. The app chooses its own name, so the name proves nothing. */
export interface Client {
  id: string;
  name: string;
  redirectUris: string[];
}

/** Cache time of a metadata document, in ms. */
const DOCUMENT_MS = HOUR_MS;

/**
 * Returns a known client: registered, or with a recently read metadata document. Undefined if the document must still
 * be read, because only a signed-in user may cause a read.
 * @throws OAuthError invalid_client for an unknown id.
 */
export async function findKnownClient(runtime: Runtime, id: string): Promise<Client | undefined> {
  const isDocument = isMetadataDocumentUrl(id);
  if (isDocument && !acceptsMetadataDocuments(runtime)) throw new OAuthError("invalid_client", NO_DOCUMENTS);
  const [row] = await runtime.db.query<Client & { fetchedAt: Date | null }>(
    toStatement(knex("oauthClient").where({ id }).select("id", "name", "redirectUris", "fetchedAt")),
  );
  // A fetch time in the future means that the clock was set back since the fetch.
  const age = getMonotonicEpochMs() - (row?.fetchedAt?.getTime() ?? 0);
  if (isDocument) return age > -DOCUMENT_MS && age < DOCUMENT_MS ? row : undefined;
  if (row) return row;
  throw new OAuthError("invalid_client", UNKNOWN);
}

const NO_DOCUMENTS =
  "This server does not accept the URL of a metadata document as client_id. Connect again so that the app registers itself, or ask the operator to set OAUTH_CLIENT_DOCUMENTS=on.";

const UNKNOWN =
  "This client_id is unknown: the server deletes unused apps after a day. Remove this server in your program and add it again.";

/**
 * Returns the client with an id. Reads the client's metadata document on behalf of `accountId` if the document is not
 * cached.
 */
export async function findClient(runtime: Runtime, id: string, accountId: string): Promise<Client> {
  const known = await findKnownClient(runtime, id);
  if (known) return known;
  const { name, redirectUris } = await fetchDocument(runtime, id, accountId);
  const now = new Date();
  const insert = knex("oauthClient").insert({ id, name, redirectUris, createdAt: now, fetchedAt: now });
  await runtime.db.query(toStatement(insert.onConflict("id").merge(["name", "redirectUris", "fetchedAt"])));
  return { id, name, redirectUris };
}

const MAX_LENGTH = 80;

/** Invisible characters: control characters, ignorable characters, and line separators. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
/** Spaces of any width. The Braille blank counts as a symbol, but shows nothing. */
const BLANKS = /[\p{Zs}\u2800]+/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Returns a client's name in displayable form: one line, with at least one visible character, and without repeated
 * spaces.
 */
export function clientName(given: string | undefined, otherwise: string): string {
  const plain = given?.replace(INVISIBLE, "").replace(BLANKS, " ").trim() ?? "";
  return VISIBLE.test(plain) ? [...plain].slice(0, MAX_LENGTH).join("").trim() : otherwise;
}

/** Time limit of the whole exchange, in ms, and maximum bytes of a document. */
const FETCH_MS = 5_000;
const MAX_BYTES = 64 * 1024;
/** Maximum documents that one account may request in ten minutes. */
const MOST = 10;
const WINDOW_MS = 10 * 60 * 1000;

/** Returns true if a client id is the URL of a metadata document: https, with a path, in canonical form. */
export function isMetadataDocumentUrl(id: string): boolean {
  if (!id.startsWith("https://") || id.length > 1_000 || !URL.canParse(id)) return false;
  const { href, hash, username, password, pathname } = new URL(id);
  return href === id && !hash && !id.endsWith("#") && !username && !password && pathname !== "/";
}

const document = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  token_endpoint_auth_method: z.string().optional(),
});

/**
 * Reads a client's metadata document from a public address, without following redirects.
 * @throws OAuthError invalid_client with the reason; rateLimited (429) if an account requests too many documents.
 */
async function fetchDocument(runtime: Runtime, id: string, accountId: string): Promise<Client> {
  await enforceLimitsIfThrottling(runtime, {
    of: ["client documents", accountId],
    most: MOST,
    windowMs: WINDOW_MS,
    refusal: "You tried to connect too many apps; wait before you try again.",
  });
  const parsed = document.safeParse(parse(await download(runtime, id)));
  if (!parsed.success)
    throw bad(`its ${String(parsed.error.issues[0]?.path[0] ?? "document")} is missing or malformed`);
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method = "none" } = parsed.data;
  if (client_id !== id) throw bad("it names another client_id");
  if (token_endpoint_auth_method !== "none") throw bad("its token_endpoint_auth_method is not none");
  const fault = redirect_uris.map(findRedirectUriFault).find((one) => one !== undefined);
  if (fault) throw bad(`a redirect URI of it ${fault}`);
  return { id, name: clientName(client_name, new URL(id).host), redirectUris: redirect_uris };
}

/** Opens a new connection for each document, so that no connection to a client's host stays open. */
async function download({ config }: Runtime, url: string): Promise<string> {
  const connect = targetConnector(config.OAUTH_ALLOW_PRIVATE === "on");
  const dispatcher = new Agent({ connect, maxHeaderSize: 16 * 1024, pipelining: 0 });
  const signal = AbortSignal.timeout(FETCH_MS);
  try {
    const answer = await request(url, { dispatcher, signal, headers: { accept: "application/json" } });
    if (answer.statusCode !== 200) throw bad(`it was answered with ${answer.statusCode}, and must be with 200`);
    return await readBounded(answer.body);
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    throw bad(error instanceof TargetRefusedError ? "it is at no public address" : UNREAD);
  } finally {
    void dispatcher.destroy().catch(() => {});
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw bad(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad("it is not JSON");
  }
}

const UNREAD =
  "it could not be read in time; a server without a way out to the internet needs OAUTH_CLIENT_DOCUMENTS=off, and programs register then";

const bad = (why: string) => new OAuthError("invalid_client", `The description of this program is of no use: ${why}.`);
