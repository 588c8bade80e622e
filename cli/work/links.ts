import type { Command } from "commander";
import { ISSUE } from "../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { CommandContext } from "./caller.ts";
import { collectIssues } from "./issues.ts";

/** Options that link an issue to other issues. */
export interface LinkOptions {
  blocks?: string[];
  blockedBy?: string[];
  discoveredFrom?: string[];
  relatedTo?: string[];
  similarTo?: string[];
  duplicateOf?: string[];
}

export const addLinkOptions = (command: Command): Command =>
  command
    .option("--blocks <issue>", "link: this issue blocks that issue, and must be done first", collectIssues)
    .option("--blocked-by <issue>", "link: this issue waits until that issue is done", collectIssues)
    .option("--discovered-from <issue>", "link: this issue was found while working on that issue", collectIssues)
    .option("--related-to <issue>", "link: the issues are related", collectIssues)
    .option("--similar-to <issue>", "link: the issues are similar", collectIssues)
    .option("--duplicate-of <issue>", "link: this issue is a duplicate of that issue, and is closed", collectIssues);

interface Link {
  type: string;
  other: string;
  /**
   * True if the relation goes from the other issue to this issue. The other issue is then the source, and this issue is
   * the related issue.
   */
  turned?: boolean;
}

const listLinks = (options: LinkOptions): Link[] => [
  ...(options.blocks ?? []).map((other) => ({ type: "blocks", other })),
  ...(options.blockedBy ?? []).map((other) => ({ type: "blocks", other, turned: true })),
  ...(options.discoveredFrom ?? []).map((other) => ({ type: "discovered", other })),
  ...(options.relatedTo ?? []).map((other) => ({ type: "related", other })),
  ...(options.similarTo ?? []).map((other) => ({ type: "similar", other })),
  ...(options.duplicateOf ?? []).map((other) => ({ type: "duplicate", other })),
];

export const hasLinks = (options: LinkOptions): boolean => listLinks(options).length > 0;

interface FoundIssue {
  id: string;
  identifier: string;
  previousIdentifiers: string[];
}

/**
 * Checks that every issue to link to exists, before the command changes anything. @throws CommandFailure for a missing issue
 */
export async function checkLinks({ ask }: CommandContext, options: LinkOptions): Promise<void> {
  const ids = listLinks(options).map(({ other }) => other);
  if (ids.length === 0) return;
  const { issues } = await ask<{ issues: { nodes: FoundIssue[] } }>(ISSUE.find, { ids });
  const known = new Set(
    issues.nodes.flatMap(({ id, identifier, previousIdentifiers }) => [id, identifier, ...previousIdentifiers]),
  );
  for (const id of ids)
    if (![id, id.toUpperCase(), id.toLowerCase()].some((form) => known.has(form)))
      throw new CommandFailure(`There is no issue ${id} to link to.`, {
        exit: EXIT_CODES.notFound,
        cure: "trackway search WORDS",
      });
}

/** Creates the requested links of an issue. */
export async function createLinks({ ask }: CommandContext, issue: string, options: LinkOptions): Promise<void> {
  for (const { type, other, turned } of listLinks(options)) {
    const [issueId, relatedIssueId] = turned ? [other, issue] : [issue, other];
    await ask(ISSUE.link, { input: { type, issueId, relatedIssueId } });
  }
}
