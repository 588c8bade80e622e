import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { withJson } from "../../options.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { type ClaimOptions, claim, claiming, tellRenewed } from "../../work/claim.ts";
import type { DetailNode } from "../../work/detail.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { ofOneIssue } from "../../work/issues.ts";

const AFTER = `
The fence that it tells is remembered on this machine for done, release, update and comment. When the time is over and
nothing renewed the claim, the issue goes back, and what you write with that fence is refused with exit code 4.
Examples:
  trackway claim ENG-12
  trackway claim ENG-12 --renew
`;

/** `trackway claim`: takes an issue to work on. */
export const claimCommand = (): Command =>
  withJson(claiming(ofOneIssue(new Command("claim").description("take an issue to work on, so that nobody else does"))))
    .option("--renew", "let a claim that you have last for its time anew")
    .addHelpText("after", AFTER)
    .action(async (id: string, options: ClaimOptions & { renew?: true }) => {
      const who = await worker();
      await (options.renew ? renew(who, id, options) : ofIssue(id, claim(who, { id }, options)));
    });

async function renew(who: Worker, id: string, options: ClaimOptions): Promise<void> {
  const fence = await fenceToEnd(who, id, options.session ? { session: options.session } : {});
  const variables = { id, fence, ttlSeconds: options.ttl };
  const asked = who.ask<{ issueRenew: { issue: DetailNode } }>(ISSUE.renew, variables);
  await tellRenewed(who, (await guarded(id, fence, asked)).issueRenew.issue, options);
}
