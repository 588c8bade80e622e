import { deleteKey } from "../api/control.ts";
import { AGENTS } from "../connect/agents/agents.ts";
import { type ConnectionRecord, readRecord } from "../connect/changes/plan.ts";
import { checkIngestKey, ingestKeyFor, keptKeys } from "../connect/keys.ts";
import { accessOf, controlToken, keyFrom } from "../credentials/access.ts";
import type { Places } from "../files/places.ts";

/** The server of an import, its key, and the end of a key that was made for it. */
export interface Access {
  url: string;
  ingestKey: string;
  end(): Promise<void>;
}

/**
 * The key to import with: that of the environment, else that of an agent that is connected, else one that is made for this
 * and deleted at its end.
 */
export async function importAccess(places: Places): Promise<Access> {
  const access = await accessOf(places);
  const { url } = access;
  const end = async () => {};
  const given = keyFrom(places.env, "TRACKWAY_INGEST_KEY");
  if (given) await checkIngestKey(url, given);
  const known = given ?? (await connectedKey(places, url));
  if (known) return { url, ingestKey: known, end };
  const record: ConnectionRecord = { url, files: {} };
  const token = () => controlToken(places, access);
  const ingestKey = await ingestKeyFor({ name: "import" }, access, record, false, token);
  const id = record.ingestKeyId;
  if (id === undefined) return { url, ingestKey, end };
  return { url, ingestKey, end: async () => void (await deleteKey(url, String(await token()), "ingest-keys", id)) };
}

/** The key of an agent that is connected to the same server, where it counts still. */
async function connectedKey(places: Places, url: string): Promise<string | undefined> {
  for (const agent of AGENTS) {
    if ((await readRecord(places, agent.name))?.url !== url) continue;
    const { ingestKey } = await keptKeys(places, agent);
    if (
      ingestKey &&
      (await checkIngestKey(url, ingestKey).then(
        () => true,
        () => false,
      ))
    )
      return ingestKey;
  }
  return undefined;
}
