import type { IncomingMessage } from "node:http";
import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { findOAuthPrincipal } from "../../auth/authenticate.ts";
import { hashKey, isIngestKey, isOAuthToken } from "../../auth/key.ts";
import { insufficientScope } from "../../auth/principal.ts";
import { createCache } from "../../cache.ts";
import type { Runtime } from "../../runtime.ts";
import type { IngestCredential } from "../commit/sink.ts";

/**
 * Returns the key that a request contains. The key is in `x-api-key`, in `Authorization: Bearer`, in `Authorization:
 * Basic` as the password with any user name, or in `X-Org-Id`, which agnostai and similar clients send.
 */
function presentedKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"] ?? authorized(headers.authorization ?? "") ?? headers["x-org-id"];
  return typeof key === "string" ? key : undefined;
}

function authorized(authorization: string): string | undefined {
  const [, scheme = "", credentials = ""] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme === "") return undefined;
  // RFC 7617: a colon separates user name and password.
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, "base64").toString("latin1")) ?? [];
  return password;
}

/** Reads the key from one place of a request. `where` describes the place in error messages. */
export interface KeyLocation {
  of(request: IncomingMessage): string | undefined;
  where: string;
  scheme: "ApiKey" | "Bearer";
}

/** Key place for hooks and OpenTelemetry. */
export const TELEMETRY_KEY_LOCATION: KeyLocation = {
  of: presentedKey,
  where: "in x-api-key, as Authorization: Bearer, or as the password of Basic",
  scheme: "Bearer",
};
export const CAPTURE_KEY_LOCATION: KeyLocation = { of: captureKey, where: "in the x-api-key header", scheme: "ApiKey" };

/** Returns the key for a capture endpoint: an ingest key in its own header, or an OAuth token as bearer. */
function captureKey({ headers }: IncomingMessage): string | undefined {
  const token = /^Bearer +(trk_oauth_\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const key = headers["x-api-key"] ?? token ?? headers["x-org-id"];
  return typeof key === "string" ? key : undefined;
}

/**
 * Finds ingest keys. The result may be outdated, because found keys are cached. The commit therefore checks again
 * whether the key exists.
 */
export interface KeyFinder {
  /**
   * Returns the key. Returns null if the text is not a valid key; for text that does not look like a key, the database
   * is not queried.
   * @throws AppError forbidden for a valid OAuth token without the scope `record`
   */
  find(text: string | undefined): Promise<IngestCredential | null>;
  /** Call when a commit found that the key was deleted. */
  forget(text: string | undefined): void;
  /** Returns true if the key exists at this moment. */
  exists(key: IngestCredential): Promise<boolean>;
}

const FRESH_MS = 30_000;
/**
 * Estimated memory of a cached key, in bytes. Measured: 550 bytes for a key, including two copies of the key's hash and
 * the promise that the cache stores.
 */
const FOUND_BYTES = 700;

const organizationByKey = definePreparedStatement("ingest-key", ["hash"], (by) =>
  knex("ingestKey").where(by).select("organizationId"),
);

const organizationOfToken = definePreparedStatement("organization-of-token", ["hash"], (by) =>
  knex("oauthToken").where(by).select("organizationId"),
);

const capturing = definePreparedStatement("capturing-token", ["hash", "organizationId"], (by) =>
  knex("captureKey").where(by).select("organizationId"),
);

interface Named {
  organizationId: string;
}

/**
 * Creates a key finder. The finder reads keys from the database and caches found keys for FRESH_MS. Unknown keys are
 * not cached, so each request with an unknown key queries the database.
 */
export function createKeyFinder(runtime: Runtime): KeyFinder {
  const { db } = runtime;
  const oauthOn = runtime.config.OAUTH === "on";
  const found = createCache<Promise<IngestCredential | null>>({
    name: "ingest-keys",
    sizeOf: () => FOUND_BYTES,
    ttl: FRESH_MS,
  });
  const lookUp = async (hash: Buffer, oauth: boolean): Promise<IngestCredential | null> => {
    const [named] = await db.query<Named>((oauth ? organizationOfToken : organizationByKey)({ hash }));
    const [row] = oauth && named ? await db.query<Named>(capturing({ hash, ...named })) : [named];
    const { organizationId } = row ?? {};
    return organizationId ? { id: hash.toString("hex"), hash, organizationId, ...(oauth && { oauth }) } : null;
  };
  const lookUpText = async (text: string): Promise<IngestCredential | null> => {
    const oauth = isOAuthToken(text);
    const key = await lookUp(hashKey(text), oauth);
    if (!key && oauth && (await findOAuthPrincipal(runtime, text))) throw insufficientScope("record");
    return key;
  };
  return {
    async find(text) {
      const known = found.get(text ?? "");
      if (known) return known;
      if (!text || !(isIngestKey(text) || (oauthOn && isOAuthToken(text)))) return null;
      const asked = lookUpText(text);
      found.set(text, asked);
      const forget = () => found.get(text) === asked && found.delete(text);
      asked.then((key) => key ?? forget(), forget);
      return asked;
    },
    forget(text) {
      if (text) found.delete(text);
    },
    exists: async ({ hash, oauth = false }) => (await lookUp(hash, oauth)) !== null,
  };
}
