import type { IncomingMessage } from "node:http";
import { compiled, knex } from "../../../db/builder.ts";
import { principalOfOAuthToken } from "../../auth/authenticate.ts";
import { hashKey, isIngestKey, isOAuthToken } from "../../auth/key.ts";
import { insufficientScope } from "../../auth/principal.ts";
import { createCache } from "../../cache.ts";
import type { Runtime } from "../../runtime.ts";
import type { IngestKey } from "../commit/sink.ts";

/**
 * The key that a request presents: `x-api-key`, `Authorization: Bearer`, Basic with the key as password (the user's name
 * does not matter), or `X-Org-Id` as agnostai and its like send it.
 */
function presentedKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"] ?? authorized(headers.authorization ?? "") ?? headers["x-org-id"];
  return typeof key === "string" ? key : undefined;
}

function authorized(authorization: string): string | undefined {
  const [, scheme = "", credentials = ""] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme === "") return undefined;
  // RFC 7617 has a colon between the user's name and the password.
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, "base64").toString("latin1")) ?? [];
  return password;
}

/** The place of the key in a request, and its description in a refusal. */
export interface KeyPlace {
  of(request: IncomingMessage): string | undefined;
  where: string;
  scheme: "ApiKey" | "Bearer";
}

/** The key of hooks and of OpenTelemetry. */
export const TELEMETRY_KEY: KeyPlace = {
  of: presentedKey,
  where: "in x-api-key, as Authorization: Bearer, or as the password of Basic",
  scheme: "Bearer",
};
export const CAPTURE_KEY: KeyPlace = { of: captureKey, where: "in the x-api-key header", scheme: "ApiKey" };

/** The key that a capture endpoint takes: an ingest key in a header of its own, or a token of OAuth as bearer. */
function captureKey({ headers }: IncomingMessage): string | undefined {
  const token = /^Bearer +(trk_oauth_\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const key = headers["x-api-key"] ?? token ?? headers["x-org-id"];
  return typeof key === "string" ? key : undefined;
}

/** Finds ingest keys. Its answers spare work; only the check in the commit accepts rows. */
export interface KeyFinder {
  /**
   * The key, or null when it is malformed (no query) or unknown.
   * @throws AppError forbidden for a good token of OAuth that may not record.
   */
  find(text: string | undefined): Promise<IngestKey | null>;
  /** Call when a commit found the key deleted. */
  forget(text: string | undefined): void;
  /** Reports whether the key exists at this moment. */
  exists(key: IngestKey): Promise<boolean>;
}

const FRESH_MS = 30_000;
/** Measured: a found key, its hash twice and its promise take 550 bytes. */
const FOUND_BYTES = 700;

const organizationByKey = compiled("ingest-key", ["hash"], (by) =>
  knex("ingestKey").where(by).select("organizationId"),
);

const organizationOfToken = compiled("organization-of-token", ["hash"], (by) =>
  knex("oauthToken").where(by).select("organizationId"),
);

const capturing = compiled("capturing-token", ["hash", "organizationId"], (by) =>
  knex("captureKey").where(by).select("organizationId"),
);

interface Named {
  organizationId: string;
}

/** A finder over the database that remembers found keys for a while; unknown ones it asks for each time. */
export function keyFinder(runtime: Runtime): KeyFinder {
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
    if (!key && oauth && (await principalOfOAuthToken(runtime, text))) throw insufficientScope("record");
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
