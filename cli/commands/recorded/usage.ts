import { Command, Option } from "commander";
import { USAGE } from "../../api/documents.ts";
import { type Answering, moment, withJson } from "../../options.ts";
import { answer, oneLine } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";

const BY = ["model", "agent", "user", "tool", "repository", "label", "issue", "all"];

interface Options extends Answering {
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

/** `trackway usage`: what agents took, by day and by a value. */
export const usageCommand = (): Command =>
  withJson(
    new Command("usage")
      .description("add up tokens, cost and sessions of agents over whole days in UTC, at most 92")
      .addOption(new Option("--by <value>", "what it is added up by").choices(BY).default("model"))
      .addOption(
        new Option("--since <time>", "from the day of this time on, as 2026-01-31 or 7d; else 30 days").argParser(
          moment,
        ),
      )
      .addOption(new Option("--until <time>", "up to the day of this time").argParser(moment))
      .option("--name <text>", "only the model, agent or other value of this name"),
  )
    .addHelpText("after", AFTER)
    .action(run);

async function run({ json, by, since, until, name }: Options): Promise<void> {
  const filter = name === undefined ? undefined : { name: { eq: name } };
  const { ask } = await worker();
  const variables = { groupBy: by, from: since, to: until, filter };
  const { recordedUsage } = await ask<{ recordedUsage: Usage }>(USAGE.get, variables);
  answer(json, recordedUsage, () => linesOf(recordedUsage));
}

function linesOf({ from, to, truncated, groups }: Usage): string[] {
  const lines = groups.map(lineOf);
  const cut = truncated ? ["There is more than is shown: choose with --name, or fewer days."] : [];
  const days = `${from.slice(0, 10)} to ${new Date(Date.parse(to) - 1).toISOString().slice(0, 10)}`;
  return [`${days}, in UTC:`, ...(lines.length > 0 ? lines : ["Nothing was recorded."]), ...cut];
}

const count = (n: number): string => Math.round(n).toLocaleString("en");

function lineOf({ name, sessions, inputTokens, outputTokens, cost, costSource, missingCosts }: Group): string {
  const parts = [
    oneLine(name, 60),
    `${count(sessions)} ${sessions === 1 ? "session" : "sessions"}`,
    `${count(inputTokens)} in`,
    `${count(outputTokens)} out`,
    cost !== null && `${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)}`,
    missingCosts > 0 && `${count(missingCosts)} without a price`,
  ];
  return parts.filter(Boolean).join(" ");
}
