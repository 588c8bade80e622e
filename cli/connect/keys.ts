import { createIngestKey, createPersonalKey } from "../api/control.ts";
import { readOwners, readViewer } from "../api/graphql.ts";
import { sendRequest } from "../api/request.ts";
import { type Login, obtainControlToken, readAccess, readKeyVariable, validateKey } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readFileIfExists } from "../files/whole-file.ts";
import { toOneLine } from "../output/print.ts";
import { askSecret, isInteractive } from "../prompt.ts";
import type { Agent, Connection } from "./agent.ts";
import { type ConnectionRecord, readConnectionRecord } from "./changes/plan.ts";

/** A connection, with the record that contains the ids of its keys. */
export interface KeyedConnection {
  connection: Connection;
  record: ConnectionRecord;
}

/** Placeholders in a dry run for keys that are not created. */
const UNMADE = { ingestKey: `sk_${"0".repeat(64)}`, apiKey: `trk_api_${"0".repeat(40)}` };

/**
 * Finds or creates the keys for the connection of an agent. Reuses the keys of an existing connection while they are
 * valid. Creates no key in a dry run.
 */
export async function prepareKeys(
  agent: Agent,
  places: Places,
  { dryRun, fuse }: { dryRun: boolean; fuse?: boolean },
): Promise<KeyedConnection> {
  const access = await readAccess(places);
  const known = await readConnectionRecord(places, agent.name);
  const record: ConnectionRecord = known?.url === access.url ? known : { url: access.url, files: known?.files ?? {} };
  if (fuse) record.fuse = true;
  const kept = known?.url === access.url ? await readStoredKeys(places, agent) : {};
  const token = tokenOnce(places, access);
  const apiKey = (await usable(access.url, kept.apiKey)) ?? (await personalKey(agent, access, record, dryRun, token));
  const ingestKey =
    readKeyVariable(places.env, "TRACKWAY_INGEST_KEY") ??
    (await usableIngest(access.url, kept.ingestKey)) ??
    (await obtainIngestKey(agent, { ...access, apiKey }, record, dryRun, token));
  await checkIngestKey(access.url, ingestKey);
  const connection = { places, url: access.url, ingestKey, apiKey, fuse: record.fuse === true };
  return { connection, record };
}

type Access = Partial<Login> & { url: string };
type Token = () => Promise<string | undefined>;

/**
 * Returns a function that fetches an access token for the control plane at its first call. Later calls return the same
 * token.
 */
function tokenOnce(places: Places, access: Access): Token {
  let token: Promise<string | undefined> | undefined;
  return () => {
    token ??= obtainControlToken(places, access);
    return token;
  };
}

/** Reads the keys from the files of an earlier connection. */
export async function readStoredKeys(places: Places, agent: Agent): Promise<{ ingestKey?: string; apiKey?: string }> {
  const paths = agent.own({ places, url: "", ...UNMADE }).map(({ path }) => path);
  const texts = await Promise.all(paths.map(readFileIfExists));
  const text = texts.join("\n");
  const [ingestKey] = /sk_[0-9a-f]{64}/.exec(text) ?? [];
  const [apiKey] = /trk_api_[0-9a-f]{40}/.exec(text) ?? [];
  return { ...(ingestKey && { ingestKey }), ...(apiKey && { apiKey }) };
}

const refused = (error: unknown): undefined => {
  if (error instanceof Failure && error.exit === EXIT.noAccess) return undefined;
  throw error;
};

const usable = (url: string, apiKey: string | undefined): Promise<string | undefined> =>
  apiKey ? readViewer({ url, apiKey }).then(() => apiKey, refused) : Promise.resolve(undefined);

const usableIngest = (url: string, key: string | undefined): Promise<string | undefined> =>
  key ? checkIngestKey(url, key).then(() => key, refused) : Promise.resolve(undefined);

/** Checks an ingest key with an empty batch, which requires a valid key and stores nothing. */
export async function checkIngestKey(url: string, key: string): Promise<void> {
  if (key === UNMADE.ingestKey) return;
  await sendRequest(url, "/api/v1/capture-events", {
    method: "POST",
    body: { events: [] },
    headers: { "x-api-key": key },
    shape: { accepted: "number" },
  });
}

/**
 * Creates a personal key for the agent, so that the user can revoke it without affecting other programs. Returns the
 * current key if the login cannot create keys.
 */
async function personalKey(agent: Agent, access: Access, record: ConnectionRecord, dryRun: boolean, token: Token) {
  if (!access.apiKey)
    throw new Failure(`You are not logged in to ${access.url}.`, { exit: EXIT.noAccess, cure: "trackway login" });
  await readViewer({ url: access.url, apiKey: access.apiKey });
  if (!access.refreshToken) return access.apiKey;
  if (dryRun) return UNMADE.apiKey;
  const { id, key } = await createPersonalKey(access.url, String(await token()), agent.name);
  record.apiKeyId = id;
  return key;
}

/** Creates an ingest key with the current login. If the login may not create ingest keys, asks the user for a key. */
export async function obtainIngestKey(
  agent: Pick<Agent, "name">,
  access: Access,
  record: ConnectionRecord,
  dryRun: boolean,
  token: Token,
) {
  if (dryRun) return UNMADE.ingestKey;
  if (!access.refreshToken) return foreignKey(access);
  try {
    const { id, key } = await createIngestKey(access.url, String(await token()), agent.name);
    record.ingestKeyId = id;
    return key;
  } catch (error) {
    refused(error);
    return foreignKey(access);
  }
}

/**
 * Handles a login that cannot create an ingest key: at a terminal, asks for a key that an owner created.
 * @throws Failure with the fix: an owner logs in with a password, a member asks an owner
 */
async function foreignKey({ url, apiKey }: Access): Promise<string> {
  const caller = { url, apiKey: String(apiKey) };
  const given = "TRACKWAY_INGEST_KEY=sk_... in the environment of the same command";
  if ((await readViewer(caller)).viewer.owner) {
    throw new Failure("The agent needs an ingest key, and a personal key cannot create an ingest key.", {
      exit: EXIT.noAccess,
      cure: `trackway login ${url} with your password, or ${given}`,
    });
  }
  const owners = await readOwners(caller).catch(() => []);
  const whom = owners.length > 0 ? toOneLine(owners.join(", ")) : "an owner of the organization";
  if (isInteractive())
    return validateKey("TRACKWAY_INGEST_KEY", await askSecret(`Ingest key? ${whom} can create one.`, given));
  throw new Failure(`The agent needs an ingest key, which only owners can create. Ask ${whom}.`, {
    exit: EXIT.noAccess,
    cure: given,
  });
}
