import { type Command, Option } from "commander";
import { ISSUE } from "../api/documents.ts";
import { wholeNumber } from "../options.ts";
import { answer } from "../output/print.ts";
import { oneLine } from "../output/safe.ts";
import type { Worker } from "./caller.ts";
import { type DetailNode, detailLines, issueDetail } from "./detail.ts";

/** Options of a claim. */
export interface ClaimOptions {
  ttl?: number;
  session?: string;
  json?: true;
}

/** Adds the options of a claim. */
export const claiming = (command: Command): Command =>
  command
    .addOption(
      new Option("--ttl <seconds>", "how long nobody else gets it, 60 to 86400; 1800 by default").argParser(
        wholeNumber(60, 86_400),
      ),
    )
    .addOption(
      new Option("--session <id>", "your recorded session: each of its events keeps the claim").env("TRACKWAY_SESSION"),
    );

/** Claims an issue, or the best ready one that meets a filter, and tells of it. */
export async function claim(who: Worker, which: { id: string } | { filter: object }, options: ClaimOptions) {
  const { ttl: ttlSeconds, session } = options;
  const input = { ...which, ttlSeconds, sessionId: session || undefined };
  const { issueClaim } = await who.ask<{ issueClaim: { issue: DetailNode } }>(ISSUE.claim, { input });
  await tellClaim(who, issueClaim.issue, options);
}

/** Keeps the fence of an issue that was claimed or renewed, and prints it. */
export async function tellClaim(who: Worker, issue: DetailNode, { json }: Pick<ClaimOptions, "json">): Promise<void> {
  const { lease } = issue;
  if (lease)
    await who.fences.remember({
      id: issue.id,
      identifier: issue.identifier,
      fence: lease.fence,
      until: lease.expiresAt,
    });
  answer(json, { issue: issueDetail(issue) }, () => [
    oneLine(`Claimed ${issue.identifier} until ${lease?.expiresAt}, fence ${lease?.fence} (remembered).`),
    ...detailLines(issue),
  ]);
}
