import { knex, toStatement } from "../../../db/builder.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import type { Runtime } from "../../runtime.ts";
import { OAuthError } from "../failure.ts";
import { takesDocuments } from "../issuer.ts";
import { fetchDocument, isDocumentUrl } from "./client-document.ts";

/** A program that asks to act for people. Its name proves nothing. */
export interface Client {
  id: string;
  name: string;
  redirectUris: string[];
}

/** The life of a metadata document in the cache, in ms. */
const DOCUMENT_MS = HOUR_MS;

/**
 * The client with an id, as far as it is known here: registered, or with a document that was read lately. Undefined for
 * a document that is still to be read: only a signed-in person causes a read.
 * @throws OAuthError invalid_client for an unknown id.
 */
export async function knownClient(runtime: Runtime, id: string): Promise<Client | undefined> {
  const isDocument = isDocumentUrl(id);
  if (isDocument && !takesDocuments(runtime)) throw new OAuthError("invalid_client", NO_DOCUMENTS);
  const [row] = await runtime.db.query<Client & { fetchedAt: Date | null }>(
    toStatement(knex("oauthClient").where({ id }).select("id", "name", "redirectUris", "fetchedAt")),
  );
  if (isDocument) return row?.fetchedAt && row.fetchedAt.getTime() > Date.now() - DOCUMENT_MS ? row : undefined;
  if (row) return row;
  throw new OAuthError("invalid_client", UNKNOWN);
}

const NO_DOCUMENTS =
  "This server takes no program by the address of its description. Connect again, and the program registers itself; or the operator sets OAUTH_CLIENT_DOCUMENTS=on.";

const UNKNOWN =
  "No program of this client_id is known here: what was never used is forgotten after a day. Remove this server in your program and add it again.";

/** The client with an id; its document is read if it has one that is not known yet, on behalf of `accountId`. */
export async function findClient(runtime: Runtime, id: string, accountId: string): Promise<Client> {
  const known = await knownClient(runtime, id);
  if (known) return known;
  const { name, redirectUris } = await fetchDocument(runtime, id, accountId);
  const now = new Date();
  const insert = knex("oauthClient").insert({ id, name, redirectUris, createdAt: now, fetchedAt: now });
  await runtime.db.query(toStatement(insert.onConflict("id").merge(["name", "redirectUris", "fetchedAt"])));
  return { id, name, redirectUris };
}

const MAX_LENGTH = 80;

/** Invisible characters: controls of text, characters that programs may leave out, and line separators. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
/** Blanks of any width; that of Braille counts as a sign, and shows nothing. */
const BLANKS = /[\p{Zs}\u2800]+/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A client's name as it may be shown: one line, a visible character at least, one blank at most in a row. */
export function clientName(given: string | undefined, otherwise: string): string {
  const plain = given?.replace(INVISIBLE, "").replace(BLANKS, " ").trim() ?? "";
  return VISIBLE.test(plain) ? [...plain].slice(0, MAX_LENGTH).join("").trim() : otherwise;
}
