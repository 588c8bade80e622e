import { setTimeout as sleep } from "node:timers/promises";
import { callRestApi, type Tenant } from "../server.ts";
import type { Workspace } from "../workspace.ts";

export const REDACTION_SWITCHES =
  "organization { redactionEnabled redactionEntropy redactionPersonalData redactionPatterns }";
export const PATTERN = { name: "acme-key", pattern: "acme_[A-Za-z0-9]{12,}" };

/** Changes redaction settings and waits until every server applies the settings. */
export async function setRedactionSwitches(space: Workspace, input: object): Promise<void> {
  await space.does("organizationUpdate", { input }, REDACTION_SWITCHES);
  await sleep(1_100);
}

export const postToIngestion = ({ url, ingestKey }: Tenant, path: string, body: object) =>
  callRestApi(url, "POST", `/api/v1/${path}`, { body, headers: { "x-api-key": ingestKey } });
