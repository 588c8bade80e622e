import { type Command, Option } from "commander";
import { ISSUE } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import { folderSettings } from "../files/settings.ts";
import { type Fenced, wholeNumber } from "../options.ts";
import { answer, oneLine } from "../output/print.ts";
import { ofIssue, type Worker } from "./caller.ts";
import { type DetailNode, detailLines, issueDetail, type LeaseNode } from "./issue.ts";

/** The fence to write with: the one given, else the one remembered; none when forced, or where none was claimed here. */
export async function fenceFor(
  { fences }: Worker,
  issue: string,
  { fence, force }: Fenced,
): Promise<number | undefined> {
  if (force) return undefined;
  return fence ?? (await fences.recall(issue));
}

/**
 * The fence with which to end work on an issue: as above, else that of the caller's own lease, which was claimed elsewhere
 * in the same session.
 * @throws Failure naming who else holds it: their work is not ended by mistake
 */
export async function fenceToEnd(
  who: Worker,
  issue: string,
  options: Fenced & { session?: string },
): Promise<number | undefined> {
  const known = await fenceFor(who, issue, options);
  if (known !== undefined || options.force) return known;
  const asked = who.ask<{ issue: { identifier: string; lease: LeaseNode | null } }>(ISSUE.holder, { id: issue });
  const { identifier, lease } = (await ofIssue(issue, asked)).issue;
  const session = options.session ?? who.session;
  if (!lease || (lease.holder.isMe && lease.sessionId === session)) return lease?.fence;
  const where = lease.sessionId === null ? "" : ` in session ${lease.sessionId}`;
  throw new Failure(`${lease.holder.name} holds ${identifier}${where}.`, {
    exit: EXIT.conflict,
    cure: "trackway ready --claim for another, or, as a person, --force to do it all the same",
  });
}

/** Says what to do about a fence that is stale. */
export async function guarded<T>(issue: string, fence: number | undefined, work: Promise<T>): Promise<T> {
  return ofIssue(issue, work).catch((error) => {
    if (!(error instanceof Failure) || error.exit !== EXIT.conflict || fence === undefined || error.cure) throw error;
    const cure = "trackway ready --claim for another, or, as a person, --force to write without a fence";
    throw new Failure(error.message, { exit: EXIT.conflict, cure });
  });
}

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

/** An issue as its claim answers it. */
interface ClaimedNode extends DetailNode {
  handover: string | null;
  team: DetailNode["team"] & { proof: { commands: string[] } | null };
  concurrentChanges: { path: string; createdAt: string; holder: { name: string }; issue: { identifier: string } }[];
}

/** Claims an issue, or the best ready one that meets a filter, and tells of it and of what to know before the work. */
export async function claim(who: Worker, which: { id: string } | { filter: object }, options: ClaimOptions) {
  const { ttl: ttlSeconds, session } = options;
  const input = { ...which, ttlSeconds, sessionId: session || undefined };
  const { issue } = (await who.ask<{ issueClaim: { issue: ClaimedNode } }>(ISSUE.claim, { input })).issueClaim;
  const { proofCommands = [] } = await folderSettings(process.cwd(), who.caller.url);
  const briefing = {
    handover: issue.handover !== null,
    proofCommands: [...new Set([...(issue.team.proof?.commands ?? []), ...proofCommands])],
    changedNow: issue.concurrentChanges.map(({ path, createdAt, holder, issue: other }) => ({
      ...{ path, holder: holder.name, issue: other.identifier, at: createdAt },
    })),
  };
  await remember(who, issue);
  answer(options.json, { issue: issueDetail(issue), ...briefing }, () => [
    ...linesOf(issue),
    ...briefingLines(issue.identifier, briefing),
  ]);
}

type Briefing = Record<"path" | "holder" | "issue" | "at", string>[];

const briefingLines = (
  id: string,
  { handover, proofCommands, changedNow }: { handover: boolean; proofCommands: string[]; changedNow: Briefing },
): string[] => [
  ...(handover ? ["", `Somebody worked on it before: trackway handover ${id}`] : []),
  ...(proofCommands.length > 0 ? ["", oneLine(`Done is what passes: ${proofCommands.join(", ")}`, 500)] : []),
  ...changedNow.map(({ path, holder, issue, at }) =>
    oneLine(`changed now: ${path}, by ${holder} for ${issue}, last at ${at}`, 300),
  ),
];

/** Prints a claim that was renewed, and keeps its fence. */
export async function tellRenewed(who: Worker, issue: DetailNode, { json }: Pick<ClaimOptions, "json">): Promise<void> {
  await remember(who, issue);
  answer(json, { issue: issueDetail(issue) }, () => linesOf(issue));
}

async function remember(who: Worker, { id, identifier, lease }: DetailNode): Promise<void> {
  if (lease) await who.fences.remember({ id, identifier, fence: lease.fence, until: lease.expiresAt });
}

const linesOf = (issue: DetailNode): string[] => [
  oneLine(`Claimed ${issue.identifier} until ${issue.lease?.expiresAt}, fence ${issue.lease?.fence} (remembered).`),
  ...detailLines(issue),
];
