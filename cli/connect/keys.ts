import { makeIngestKey, makePersonalKey } from "../api/control.ts";
import { ownersOf, whoIs } from "../api/graphql.ts";
import { ask } from "../api/request.ts";
import { accessOf, checkedKey, controlToken, keyFrom, type Login } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere } from "../files/whole-file.ts";
import { oneLine } from "../output/print.ts";
import { askSecret, canAsk } from "../prompt.ts";
import type { Agent, Connection } from "./agent.ts";
import { type ConnectionRecord, readRecord } from "./changes/plan.ts";

/** A connection, and the ids of the keys that are made for it. */
export interface Keyed {
  connection: Connection;
  record: ConnectionRecord;
}

/** Placeholders of keys that are not made yet, in a dry run. */
const UNMADE = { ingestKey: `sk_${"0".repeat(64)}`, apiKey: `trk_api_${"0".repeat(40)}` };

/**
 * Finds or makes the keys to connect an agent with. Those it is connected with already are used again while they count; in
 * a dry run none is made.
 */
export async function keysFor(
  agent: Agent,
  places: Places,
  { dryRun, fuse }: { dryRun: boolean; fuse?: boolean },
): Promise<Keyed> {
  const access = await accessOf(places);
  const known = await readRecord(places, agent.name);
  const record: ConnectionRecord = known?.url === access.url ? known : { url: access.url, files: known?.files ?? {} };
  if (fuse) record.fuse = true;
  const kept = known?.url === access.url ? await keptKeys(places, agent) : {};
  const token = tokenOnce(places, access);
  const apiKey = (await usable(access.url, kept.apiKey)) ?? (await personalKey(agent, access, record, dryRun, token));
  const ingestKey =
    keyFrom(places.env, "TRACKWAY_INGEST_KEY") ??
    (await usableIngest(access.url, kept.ingestKey)) ??
    (await ingestKeyFor(agent, { ...access, apiKey }, record, dryRun, token));
  await checkIngestKey(access.url, ingestKey);
  const connection = { places, url: access.url, ingestKey, apiKey, fuse: record.fuse === true };
  return { connection, record };
}

type Access = Partial<Login> & { url: string };
type Token = () => Promise<string | undefined>;

/** The control plane's token, fetched when it is needed and then once. */
function tokenOnce(places: Places, access: Access): Token {
  let token: Promise<string | undefined> | undefined;
  return () => {
    token ??= controlToken(places, access);
    return token;
  };
}

/** The keys in the files of an earlier connection. */
export async function keptKeys(places: Places, agent: Agent): Promise<{ ingestKey?: string; apiKey?: string }> {
  const paths = agent.own({ places, url: "", ...UNMADE }).map(({ path }) => path);
  const texts = await Promise.all(paths.map(readIfThere));
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
  apiKey ? whoIs({ url, apiKey }).then(() => apiKey, refused) : Promise.resolve(undefined);

const usableIngest = (url: string, key: string | undefined): Promise<string | undefined> =>
  key ? checkIngestKey(url, key).then(() => key, refused) : Promise.resolve(undefined);

/** An empty batch stores nothing and still needs the key. */
export async function checkIngestKey(url: string, key: string): Promise<void> {
  if (key === UNMADE.ingestKey) return;
  await ask(url, "/api/v1/capture-events", { method: "POST", body: { events: [] }, headers: { "x-api-key": key } });
}

/** A key of its own for the agent where one can be made, so that it can be ended alone; else the one in hand. */
async function personalKey(agent: Agent, access: Access, record: ConnectionRecord, dryRun: boolean, token: Token) {
  if (!access.apiKey)
    throw new Failure(`Nobody is logged in to ${access.url}.`, { exit: EXIT.noAccess, cure: "trackway login" });
  await whoIs({ url: access.url, apiKey: access.apiKey });
  if (!access.refreshToken) return access.apiKey;
  if (dryRun) return UNMADE.apiKey;
  const { id, key } = await makePersonalKey(access.url, String(await token()), agent.name);
  record.apiKeyId = id;
  return key;
}

/** An ingest key that is made by the login in hand, or one that is asked for. */
export async function ingestKeyFor(
  agent: Pick<Agent, "name">,
  access: Access,
  record: ConnectionRecord,
  dryRun: boolean,
  token: Token,
) {
  if (dryRun) return UNMADE.ingestKey;
  if (!access.refreshToken) return foreignKey(access);
  try {
    const { id, key } = await makeIngestKey(access.url, String(await token()), agent.name);
    record.ingestKeyId = id;
    return key;
  } catch (error) {
    refused(error);
    return foreignKey(access);
  }
}

/** An ingest key that this login cannot make: its owner logs in with a password, anybody else asks an owner. */
async function foreignKey({ url, apiKey }: Access): Promise<string> {
  const caller = { url, apiKey: String(apiKey) };
  const given = "TRACKWAY_INGEST_KEY=sk_... in the environment of the same command";
  if ((await whoIs(caller)).viewer.owner) {
    throw new Failure("An ingest key is needed, and a personal key cannot make one.", {
      exit: EXIT.noAccess,
      cure: `trackway login ${url} with your password, or ${given}`,
    });
  }
  const owners = await ownersOf(caller).catch(() => []);
  const whom = owners.length > 0 ? oneLine(owners.join(", ")) : "an owner of the organization";
  if (canAsk()) return checkedKey("TRACKWAY_INGEST_KEY", await askSecret(`Ingest key? ${whom} can make one.`, given));
  throw new Failure(`An ingest key is needed, and owners alone can make one: ask ${whom}.`, {
    exit: EXIT.noAccess,
    cure: given,
  });
}
