import type { Command } from "commander";
import { ISSUE } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Worker } from "./caller.ts";
import { gatheredIssue } from "./issues.ts";

/** Other issues that one is linked to on the command line. */
export interface LinkOptions {
  blocks?: string[];
  blockedBy?: string[];
  discoveredFrom?: string[];
  relatedTo?: string[];
  similarTo?: string[];
  duplicateOf?: string[];
}

/** Adds the options that link. */
export const links = (command: Command): Command =>
  command
    .option("--blocks <issue>", "link: it holds that issue up, and has to be done first", gatheredIssue)
    .option("--blocked-by <issue>", "link: it waits until that issue is done", gatheredIssue)
    .option("--discovered-from <issue>", "link: it was found while working on that issue", gatheredIssue)
    .option("--related-to <issue>", "link: they have to do with each other", gatheredIssue)
    .option("--similar-to <issue>", "link: they are alike", gatheredIssue)
    .option(
      "--duplicate-of <issue>",
      "link: it is the same as that issue, and is closed as a duplicate",
      gatheredIssue,
    );

interface Link {
  type: string;
  other: string;
  /** The other one is the issue of the relation, and ours the related one. */
  turned?: boolean;
}

const linksOf = (options: LinkOptions): Link[] => [
  ...(options.blocks ?? []).map((other) => ({ type: "blocks", other })),
  ...(options.blockedBy ?? []).map((other) => ({ type: "blocks", other, turned: true })),
  ...(options.discoveredFrom ?? []).map((other) => ({ type: "discovered", other })),
  ...(options.relatedTo ?? []).map((other) => ({ type: "related", other })),
  ...(options.similarTo ?? []).map((other) => ({ type: "similar", other })),
  ...(options.duplicateOf ?? []).map((other) => ({ type: "duplicate", other })),
];

/** True if any link is asked for. */
export const hasLinks = (options: LinkOptions): boolean => linksOf(options).length > 0;

interface FoundIssue {
  id: string;
  identifier: string;
  previousIdentifiers: string[];
}

/** Sees that all issues are there that are to be linked to, before anything is changed. @throws Failure for one that is not */
export async function checkLinks({ ask }: Worker, options: LinkOptions): Promise<void> {
  const ids = linksOf(options).map(({ other }) => other);
  if (ids.length === 0) return;
  const { issues } = await ask<{ issues: { nodes: FoundIssue[] } }>(ISSUE.find, { ids });
  const known = new Set(
    issues.nodes.flatMap(({ id, identifier, previousIdentifiers }) => [id, identifier, ...previousIdentifiers]),
  );
  for (const id of ids)
    if (![id, id.toUpperCase(), id.toLowerCase()].some((form) => known.has(form)))
      throw new Failure(`There is no issue ${id} to link to.`, { exit: EXIT.notFound, cure: "trackway search WORDS" });
}

/** Makes the links of an issue. */
export async function link({ ask }: Worker, issue: string, options: LinkOptions): Promise<void> {
  for (const { type, other, turned } of linksOf(options)) {
    const [issueId, relatedIssueId] = turned ? [other, issue] : [issue, other];
    await ask(ISSUE.link, { input: { type, issueId, relatedIssueId } });
  }
}
