import { setTimeout as sleep } from "node:timers/promises";
import { call, type Tenant } from "../server.ts";
import type { Workspace } from "../workspace.ts";

export const SWITCHES = "organization { redactionEnabled redactionEntropy redactionPersonalData redactionPatterns }";
export const PATTERN = { name: "acme-key", pattern: "acme_[A-Za-z0-9]{12,}" };

/** Sets switches, and waits until every server goes by them. */
export async function switched(space: Workspace, input: object): Promise<void> {
  await space.does("organizationUpdate", { input }, SWITCHES);
  await sleep(1_100);
}

/** Sends to ingestion. */
export const post = ({ url, ingestKey }: Tenant, path: string, body: object) =>
  call(url, "POST", `/api/v1/${path}`, { body, headers: { "x-api-key": ingestKey } });
