import { deleteKey } from "../api/control.ts";
import { AGENTS } from "../connect/agents/agents.ts";
import { type ConnectionRecord, readConnectionRecord } from "../connect/changes/plan.ts";
import { checkIngestKey, obtainIngestKey, readStoredKeys } from "../connect/keys.ts";
import { obtainAccessToken, readKeyFromEnvironment, resolveLoginCredentials } from "../credentials/access.ts";
import type { UserEnvironment } from "../files/places.ts";

/** Server and key of an import. `end` deletes a key that was created for the import. */
export interface ImportAccess {
  url: string;
  ingestKey: string;
  end(): Promise<void>;
}

/**
 * Returns the ingest key for an import: from the environment, from a connected agent, or a new key that is deleted
 * after the import.
 */
export async function obtainImportAccess(places: UserEnvironment): Promise<ImportAccess> {
  const access = await resolveLoginCredentials(places);
  const { url } = access;
  const end = async () => {};
  const given = readKeyFromEnvironment(places.env, "TRACKWAY_INGEST_KEY");
  if (given) await checkIngestKey(url, given);
  const known = given ?? (await connectedKey(places, url));
  if (known) return { url, ingestKey: known, end };
  const record: ConnectionRecord = { url, files: {} };
  const token = () => obtainAccessToken(places, access);
  const ingestKey = await obtainIngestKey({ name: "import" }, access, record, false, token);
  const id = record.ingestKeyId;
  if (id === undefined) return { url, ingestKey, end };
  return { url, ingestKey, end: async () => void (await deleteKey(url, String(await token()), "ingest-keys", id)) };
}

/** Returns the ingest key of an agent that is connected to the same server, if the key is still valid. */
async function connectedKey(places: UserEnvironment, url: string): Promise<string | undefined> {
  for (const agent of AGENTS) {
    if ((await readConnectionRecord(places, agent.name))?.url !== url) continue;
    const { ingestKey } = await readStoredKeys(places, agent);
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
