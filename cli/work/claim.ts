import { type Command, Option } from "commander";
import { findWorkingFolder } from "../../system/places.ts";
import { ISSUE } from "../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { readFolderSettings } from "../files/settings.ts";
import { createNumberParser, type FenceOptions } from "../options.ts";
import { printResult, toOneLine, warnOnFailure } from "../output/print.ts";
import { addIssueToNotFoundError, type CommandContext } from "./caller.ts";
import { formatIssueDetail, type IssueDetailNode, type LeaseNode, toIssueDetail } from "./issue.ts";

/**
 * Returns the fence for a write: the given fence, otherwise the stored fence. Undefined with `--force`, or if no claim is
 * stored.
 */
export async function resolveFence(
  { fences }: CommandContext,
  issue: string,
  { fence, force }: FenceOptions,
): Promise<number | undefined> {
  if (force) return undefined;
  return fence ?? (await fences.recall(issue));
}

/**
 * Returns the fence for a command that ends the work on an issue. Chooses the fence like `resolveFence`. If no fence is
 * known, returns the fence of the current lease, provided that the lease belongs to the caller and to the same session.
 * @throws CommandFailure if another user or another session holds the issue, because the command must not end the work of that
 * holder; the message names the holder
 */
export async function resolveFenceToEndWork(
  who: CommandContext,
  issue: string,
  options: FenceOptions & { session?: string },
): Promise<number | undefined> {
  const known = await resolveFence(who, issue, options);
  if (known !== undefined || options.force) return known;
  const asked = who.ask<{ issue: { identifier: string; lease: LeaseNode | null } }>(ISSUE.holder, { id: issue });
  const { identifier, lease } = (await addIssueToNotFoundError(issue, asked)).issue;
  const session = options.session ?? who.session;
  if (!lease || (lease.holder.isMe && lease.sessionId === session)) return lease?.fence;
  const where = lease.sessionId === null ? "" : ` in session ${lease.sessionId}`;
  throw new CommandFailure(`${lease.holder.name} holds ${identifier}${where}.`, {
    exit: EXIT_CODES.conflict,
    cure: "trackway ready --claim for another issue, or --force (for users, not for agents) to do it anyway",
  });
}

/** Adds a fix to a conflict that a stale fence caused. */
export async function addFixToFenceConflict<T>(issue: string, fence: number | undefined, work: Promise<T>): Promise<T> {
  return addIssueToNotFoundError(issue, work).catch((error) => {
    if (!(error instanceof CommandFailure) || error.exit !== EXIT_CODES.conflict || fence === undefined || error.cure)
      throw error;
    const cure =
      "trackway ready --claim for another issue, or --force (for users, not for agents) to write without a fence";
    throw new CommandFailure(error.message, { exit: EXIT_CODES.conflict, cure });
  });
}

export interface ClaimOptions {
  ttl?: number;
  session?: string;
  json?: true;
}

export const addClaimOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--ttl <seconds>", "duration of the claim, 60 to 86400; default: 1800").argParser(
        createNumberParser(60, 86_400),
      ),
    )
    .addOption(
      new Option("--session <id>", "your recorded session; each event of the session renews the claim").env(
        "TRACKWAY_SESSION",
      ),
    );

/** Fields of an issue in the response to a claim. */
interface ClaimedNode extends IssueDetailNode {
  handover: string | null;
  team: IssueDetailNode["team"] & { proof: { commands: string[] } | null };
  concurrentChanges: { path: string; createdAt: string; holder: { name: string }; issue: { identifier: string } }[];
}

/**
 * Claims an issue, or the best ready issue that matches a filter. Prints the issue with the information that is needed
 * before the work.
 */
export async function claimAndPrintIssue(
  who: CommandContext,
  which: { id: string } | { filter: object },
  options: ClaimOptions,
) {
  const { ttl: ttlSeconds, session } = options;
  const input = { ...which, ttlSeconds, sessionId: session || undefined };
  // Reads the settings before the claim. If the settings file is unreadable, the command must end before the claim,
  // because after the claim the user would never see the fence.
  const { proofCommands = [] } = await readFolderSettings(findWorkingFolder(), who.caller.url);
  const { issue } = (await who.ask<{ issueClaim: { issue: ClaimedNode } }>(ISSUE.claim, { input })).issueClaim;
  const briefing = {
    handover: issue.handover !== null,
    proofCommands: [...new Set([...(issue.team.proof?.commands ?? []), ...proofCommands])],
    changedNow: issue.concurrentChanges.map(({ path, createdAt, holder, issue: other }) => ({
      ...{ path, holder: holder.name, issue: other.identifier, at: createdAt },
    })),
  };
  const isKept = await remember(who, issue);
  printResult(options.json, { issue: toIssueDetail(issue), ...briefing }, () => [
    ...linesOf(issue, isKept),
    ...briefingLines(issue.identifier, briefing),
  ]);
}

type Briefing = Record<"path" | "holder" | "issue" | "at", string>[];

const briefingLines = (
  id: string,
  { handover, proofCommands, changedNow }: { handover: boolean; proofCommands: string[]; changedNow: Briefing },
): string[] => [
  ...(handover ? ["", `Earlier sessions worked on this issue: trackway handover ${id}`] : []),
  ...(proofCommands.length > 0
    ? ["", toOneLine(`These commands must pass before the issue is done: ${proofCommands.join(", ")}`, 500)]
    : []),
  ...changedNow.map(({ path, holder, issue, at }) =>
    toOneLine(`currently changed: ${path}, by ${holder} for ${issue}, last at ${at}`, 300),
  ),
];

/** Prints a renewed claim, and stores the claim's fence. */
export async function printRenewedClaim(
  who: CommandContext,
  issue: IssueDetailNode,
  { json }: Pick<ClaimOptions, "json">,
): Promise<void> {
  const isKept = await remember(who, issue);
  printResult(json, { issue: toIssueDetail(issue) }, () => linesOf(issue, isKept));
}

/** Stores the fence of a claim. If the fence cannot be stored, prints a warning and returns false; the claim stays valid. */
async function remember(who: CommandContext, { id, identifier, lease }: IssueDetailNode): Promise<boolean> {
  if (!lease) return false;
  const { fence, expiresAt: until } = lease;
  return warnOnFailure(
    who.fences.remember({ id, identifier, fence, until }),
    `The fence of ${identifier} was not stored. Add --fence ${fence} to each command for this issue.`,
  );
}

/** Removes the stored fence of an issue whose claim has ended. */
export const forgetFence = (who: CommandContext, issue: string): Promise<boolean> =>
  warnOnFailure(
    who.fences.forget(issue),
    `The old fence of ${issue} is still stored. The next claim replaces the fence.`,
  );

const linesOf = (issue: IssueDetailNode, isKept: boolean): string[] => [
  toOneLine(
    `Claimed ${issue.identifier} until ${issue.lease?.expiresAt}, fence ${issue.lease?.fence}${isKept ? " (remembered)" : ""}.`,
  ),
  ...formatIssueDetail(issue),
];
