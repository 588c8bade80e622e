import { Command, Option } from "commander";
import { USAGE } from "../../api/documents.ts";
import { addJsonOption, type OutputOptions, parseTimeOption } from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { createCommandContext } from "../../work/caller.ts";

const BY = ["model", "agent", "user", "tool", "repository", "label", "issue", "all"];

interface Options extends OutputOptions {
  by: string;
  since?: string;
  until?: string;
  name?: string;
}

interface Group {
  name: string;
  sessions: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
  costSource: string;
  missingCosts: number;
}

interface Usage {
  from: string;
  to: string;
  truncated: boolean;
  groups: Group[];
}

const AFTER = `
Examples:
  trackway usage --since 7d
  trackway usage --by issue --since 2026-01-01 --until 2026-02-01
`;

/** `trackway usage`: shows the tokens and cost of agents, by day and by a value such as the model. */
export const createUsageCommand = (): Command =>
  addJsonOption(
    new Command("usage")
      .description("sum the tokens, cost and sessions of agents over whole days in UTC, up to 92 days")
      .addOption(new Option("--by <value>", "value to group by").choices(BY).default("model"))
      .addOption(
        new Option("--since <time>", "first day, such as 2026-01-31 or 7d; default: 30 days ago").argParser(
          parseTimeOption,
        ),
      )
      .addOption(
        new Option("--until <time>", "end of the range; a date such as 2026-02-01 ends it at midnight").argParser(
          parseTimeOption,
        ),
      )
      .option("--name <text>", "only the group with this name, such as a model or agent"),
  )
    .addHelpText("after", AFTER)
    .action(run);

async function run({ json, by, since, until, name }: Options): Promise<void> {
  const filter = name === undefined ? undefined : { name: { eq: name } };
  const { ask } = await createCommandContext();
  const variables = { groupBy: by, from: since, to: until, filter };
  const { recordedUsage } = await ask<{ recordedUsage: Usage }>(USAGE.get, variables);
  printResult(json, recordedUsage, () => linesOf(recordedUsage));
}

function linesOf({ from, to, truncated, groups }: Usage): string[] {
  const lines = groups.map(lineOf);
  const cut = truncated ? ["The list is incomplete. Filter with --name, or select fewer days."] : [];
  const days = `${from.slice(0, 10)} to ${new Date(Date.parse(to) - 1).toISOString().slice(0, 10)}`;
  return [`${days}, in UTC:`, ...(lines.length > 0 ? lines : ["No recorded usage."]), ...cut];
}

const count = (n: number): string => Math.round(n).toLocaleString("en");

function lineOf({ name, sessions, inputTokens, outputTokens, cost, costSource, missingCosts }: Group): string {
  const parts = [
    toOneLine(name, 60),
    `${count(sessions)} ${sessions === 1 ? "session" : "sessions"}`,
    `${count(inputTokens)} in`,
    `${count(outputTokens)} out`,
    cost !== null && `${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)}`,
    missingCosts > 0 && `${count(missingCosts)} without a price`,
  ];
  return parts.filter(Boolean).join(" ");
}
