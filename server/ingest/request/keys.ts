import type { IncomingMessage } from "node:http";
import { compileStatement, knex } from "../../../db/builder.ts";
import { findOAuthPrincipal } from "../../auth/authenticate.ts";
import { hashKey, isIngestKey, isOAuthToken } from "../../auth/key.ts";
import { insufficientScope } from "../../auth/principal.ts";
import { createCache } from "../../cache.ts";
import type { Runtime } from "../../runtime.ts";
import type { IngestKey } from "../commit/sink.ts";

/**
 * Returns the key that a request presents: `x-api-key`, `Authorization: Bearer`, Basic with the key as password (any
 * user name), or `X-Org-Id`, which agnostai and similar clients send.
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

/** Place of the key in a request, and the description of the place in error messages. */
export interface KeyPlace {
  of(request: IncomingMessage): string | undefined;
  where: string;
  scheme: "ApiKey" | "Bearer";
}

/** Key place for hooks and OpenTelemetry. */
export const TELEMETRY_KEY: KeyPlace = {
  of: presentedKey,
  where: "in x-api-key, as Authorization: Bearer, or as the password of Basic",
  scheme: "Bearer",
};
export const CAPTURE_KEY: KeyPlace = { of: captureKey, where: "in the x-api-key header", scheme: "ApiKey" };

/** Returns the key for a capture endpoint: an ingest key in its own header, or an OAuth token as bearer. */
function captureKey({ headers }: IncomingMessage): string | undefined {
  const token = /^Bearer +(trk_oauth_\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const key = headers["x-api-key"] ?? token ?? headers["x-org-id"];
  return typeof key === "string" ? key : undefined;
}

/** Finds ingest keys. A found key only saves work: the commit checks again whether the key exists. */
export interface KeyFinder {
  /**
   * Returns the key; null if the text is unknown or malformed. Malformed text needs no database query.
   * @throws AppError forbidden for a valid OAuth token without the scope `record`
   */
  find(text: string | undefined): Promise<IngestKey | null>;
  /** Call when a commit found that the key was deleted. */
  forget(text: string | undefined): void;
  /** Returns true if the key exists at this moment. */
  exists(key: IngestKey): Promise<boolean>;
}

const FRESH_MS = 30_000;
/** Measured: a found key with two copies of its hash and its promise takes 550 bytes. */
const FOUND_BYTES = 700;

const organizationByKey = compileStatement("ingest-key", ["hash"], (by) =>
  knex("ingestKey").where(by).select("organizationId"),
);

const organizationOfToken = compileStatement("organization-of-token", ["hash"], (by) =>
  knex("oauthToken").where(by).select("organizationId"),
);

const capturing = compileStatement("capturing-token", ["hash", "organizationId"], (by) =>
  knex("captureKey").where(by).select("organizationId"),
);

interface Named {
  organizationId: string;
}

/**
 * Creates a key finder that reads the database and caches found keys for a while. Unknown keys are queried every time.
 */
export function createKeyFinder(runtime: Runtime): KeyFinder {
  const { db } = runtime;
  const oauthOn = runtime.config.OAUTH === "on";
  const found = createCache<Promise<IngestKey | null>>({
    name: "ingest-keys",
    sizeOf: () => FOUND_BYTES,
    ttl: FRESH_MS,
  });
  const lookUp = async (hash: Buffer, oauth: boolean): Promise<IngestKey | null> => {
    const [named] = await db.query<Named>((oauth ? organizationOfToken : organizationByKey)({ hash }));
    const [row] = oauth && named ? await db.query<Named>(capturing({ hash, ...named })) : [named];
    const { organizationId } = row ?? {};
    return organizationId ? { id: hash.toString("hex"), hash, organizationId, ...(oauth && { oauth }) } : null;
  };
  const lookUpText = async (text: string): Promise<IngestKey | null> => {
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
