import { createIngestKey, createPersonalKey } from "../api/control.ts";
import { fetchOwnerContacts, readViewer } from "../api/graphql.ts";
import { sendRequest } from "../api/request.ts";
import {
  type LoginCredentials,
  obtainAccessToken,
  readKeyFromEnvironment,
  resolveLoginCredentials,
  validateKey,
} from "../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { UserEnvironment } from "../files/places.ts";
import { readFileIfExists } from "../files/whole-file.ts";
import { toOneLine } from "../output/print.ts";
import { askSecret, isInteractive } from "../prompt.ts";
import type { Agent, AgentConnection } from "./agent.ts";
import { type ConnectionRecord, readConnectionRecord } from "./changes/plan.ts";

/** A connection, with the record that contains the ids of its keys. */
export interface ConnectionWithRecord {
  connection: AgentConnection;
  record: ConnectionRecord;
}

/** Placeholders that a dry run shows instead of keys, because a dry run creates no keys. */
const UNMADE = { ingestKey: `sk_${"0".repeat(64)}`, apiKey: `trk_api_${"0".repeat(40)}` };

/**
 * Finds or creates the keys for the connection of an agent. Reuses the keys of an existing connection while they are
 * valid. Creates no key in a dry run.
 */
export async function findOrCreateConnectionKeys(
  agent: Agent,
  places: UserEnvironment,
  { dryRun, fuse }: { dryRun: boolean; fuse?: boolean },
): Promise<ConnectionWithRecord> {
  const access = await resolveLoginCredentials(places);
  const known = await readConnectionRecord(places, agent.name);
  const record: ConnectionRecord = known?.url === access.url ? known : { url: access.url, files: known?.files ?? {} };
  if (fuse) record.fuse = true;
  const kept = known?.url === access.url ? await readStoredKeys(places, agent) : {};
  const token = tokenOnce(places, access);
  const apiKey = (await usable(access.url, kept.apiKey)) ?? (await personalKey(agent, access, record, dryRun, token));
  const ingestKey =
    readKeyFromEnvironment(places.env, "TRACKWAY_INGEST_KEY") ??
    (await usableIngest(access.url, kept.ingestKey)) ??
    (await obtainIngestKey(agent, { ...access, apiKey }, record, dryRun, token));
  await checkIngestKey(access.url, ingestKey);
  const connection = { places, url: access.url, ingestKey, apiKey, fuse: record.fuse === true };
  return { connection, record };
}

type Access = Partial<LoginCredentials> & { url: string };
type Token = () => Promise<string | undefined>;

/**
 * Returns a function that fetches an access token for the control plane at its first call. Later calls return the same
 * token.
 */
function tokenOnce(places: UserEnvironment, access: Access): Token {
  let token: Promise<string | undefined> | undefined;
  return () => {
    token ??= obtainAccessToken(places, access);
    return token;
  };
}

/** Reads the keys from the files of an earlier connection. */
export async function readStoredKeys(
  places: UserEnvironment,
  agent: Agent,
): Promise<{ ingestKey?: string; apiKey?: string }> {
  const paths = agent.own({ places, url: "", ...UNMADE }).map(({ path }) => path);
  const texts = await Promise.all(paths.map(readFileIfExists));
  const text = texts.join("\n");
  const [ingestKey] = /sk_[0-9a-f]{64}/.exec(text) ?? [];
  const [apiKey] = /trk_api_[0-9a-f]{40}/.exec(text) ?? [];
  return { ...(ingestKey && { ingestKey }), ...(apiKey && { apiKey }) };
}

const refused = (error: unknown): undefined => {
  if (error instanceof CommandFailure && error.exit === EXIT_CODES.noAccess) return undefined;
  throw error;
};

const usable = (url: string, apiKey: string | undefined): Promise<string | undefined> =>
  apiKey ? readViewer({ url, apiKey }).then(() => apiKey, refused) : Promise.resolve(undefined);

const usableIngest = (url: string, key: string | undefined): Promise<string | undefined> =>
  key ? checkIngestKey(url, key).then(() => key, refused) : Promise.resolve(undefined);

/**
 * Checks whether an ingest key is valid by sending an empty batch of events. The server accepts an empty batch only
 * with a valid key, and stores nothing.
 */
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
 * Creates a personal key for the agent. A separate key allows the user to revoke the agent's access without affecting
 * other programs. Returns the current key if the login cannot create keys.
 */
async function personalKey(agent: Agent, access: Access, record: ConnectionRecord, dryRun: boolean, token: Token) {
  if (!access.apiKey)
    throw new CommandFailure(`You are not logged in to ${access.url}.`, {
      exit: EXIT_CODES.noAccess,
      cure: "trackway login",
    });
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
 * Called if the login cannot create an ingest key. In a terminal, asks a member for a key that an owner created.
 * @throws CommandFailure that tells an owner to log in with a password, or tells a member without a terminal to ask an owner
 */
async function foreignKey({ url, apiKey }: Access): Promise<string> {
  const caller = { url, apiKey: String(apiKey) };
  const given = "TRACKWAY_INGEST_KEY=sk_... in the environment of the same command";
  if ((await readViewer(caller)).viewer.owner) {
    throw new CommandFailure("The agent needs an ingest key, and a personal key cannot create an ingest key.", {
      exit: EXIT_CODES.noAccess,
      cure: `trackway login ${url} with your password, or ${given}`,
    });
  }
  const owners = await fetchOwnerContacts(caller).catch(() => []);
  const whom = owners.length > 0 ? toOneLine(owners.join(", ")) : "an owner of the organization";
  if (isInteractive())
    return validateKey("TRACKWAY_INGEST_KEY", await askSecret(`Ingest key? ${whom} can create one.`, given));
  throw new CommandFailure(`The agent needs an ingest key, which only owners can create. Ask ${whom}.`, {
    exit: EXIT_CODES.noAccess,
    cure: given,
  });
}
