import { rm } from "node:fs/promises";
import { deleteKey } from "../api/control.ts";
import { controlToken } from "../credentials/control.ts";
import { readLogin } from "../credentials/store.ts";
import type { Places } from "../files/places.ts";
import { print as say } from "../output/print.ts";
import { type Agent, folderOf } from "./agent.ts";
import { removeFolders, restoreFile } from "./changes/apply.ts";
import { type ConnectionRecord, readRecord } from "./changes/record.ts";

/** Takes an agent's connection back: its files as they were besides, its keys deleted here and on the server. */
export async function disconnect(agent: Agent, places: Places): Promise<void> {
  const record = await readRecord(places, agent.name);
  const files = agent.files({ places, url: record?.url ?? "", ingestKey: "", apiKey: "" });
  let found = record !== undefined;
  for (const file of files) {
    if (!(await restoreFile(file, record?.files[file.path]))) continue;
    found = true;
    say(`- ${file.path}`);
  }
  await removeFolders(record?.files ?? {});
  await rm(folderOf(places, agent.name), { recursive: true, force: true });
  if (!found) return say(`${agent.title} was not connected.`);
  const left = record ? await deleteKeys(places, record) : undefined;
  say(`${agent.title} is no longer connected.`);
  if (left) say(left);
}

/** Deletes the keys that were made for it; answers what to say where that is for somebody else to do. */
async function deleteKeys(
  places: Places,
  { url, ingestKeyId, apiKeyId }: ConnectionRecord,
): Promise<string | undefined> {
  if (!ingestKeyId && !apiKeyId) return undefined;
  const login = await readLogin(places).catch(() => undefined);
  const byHand = `Its keys count on; delete them at ${url}/settings.`;
  if (login?.url !== url) return byHand;
  try {
    const token = String(await controlToken(places, login));
    if (apiKeyId) await deleteKey(url, token, "api-keys", apiKeyId);
    if (ingestKeyId) await deleteKey(url, token, "ingest-keys", ingestKeyId);
    return undefined;
  } catch {
    return byHand;
  }
}
