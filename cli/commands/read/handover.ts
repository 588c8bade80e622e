import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import { ofOneIssue } from "../../work/issues.ts";

interface Answer {
  issueHandover: { issue: { identifier: string; handover: string | null } };
}

/** `trackway handover`: the record of an issue's sessions in short. */
export const handoverCommand = (): Command =>
  withJson(ofOneIssue(new Command("handover").description("show what is recorded of the work on an issue, in short")))
    .addHelpText("after", "\nExamples:\n  trackway handover ENG-12\n")
    .action(async (id: string, { json }: { json?: true }) => {
      const who = await worker();
      const { identifier, handover } = (await ofIssue(id, who.ask<Answer>(ISSUE.handover, { id }))).issueHandover.issue;
      answer(json, { id: identifier, handover }, () => [handover ?? "No recorded session worked on it."]);
    });
