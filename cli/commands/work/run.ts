import { randomUUID } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { getOwnProperty } from "../../../formats/own.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readFolderSettings } from "../../files/settings.ts";
import { addJsonOption, createNumberParser, type OutputOptions } from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { listenForInterrupts, listReadyIssues, workOnReadyIssues } from "../../runner/loop.ts";
import { HEADLESS_AGENTS } from "../../runner/process.ts";
import { buildPrompt } from "../../runner/prompt.ts";
import { findRepository, removeAbandonedWorktrees } from "../../runner/worktree.ts";
import { createCommandContext } from "../../work/caller.ts";
import { addFilterOptions, buildIssueFilter, type IssueFilterOptions } from "../../work/filter.ts";

type Options = OutputOptions &
  IssueFilterOptions & {
    agent: string;
    parallel: number;
    budget?: number;
    minutes: number;
    leastFree: number;
    anyCreator?: true;
    bypassPermissions?: true;
    dryRun?: true;
  };

const AFTER = `
Each issue gets a git worktree below .trackway/ and its own branch. The command starts the agent without a user interface, in its
default permission mode, with the issue as the prompt, quoted as data. If the agent ends successfully and everything is committed,
the command completes the issue, unless the team requires proof that is missing. Otherwise the command releases the issue, and the
branch keeps the work. Connect the agent first (trackway connect), so that its events renew the claim. After
Ctrl-C, the command claims no more issues. A second Ctrl-C stops the agents and releases their issues.
Examples:
  trackway run --agent claude-code --team ENG --dry-run
  trackway run --agent codex --parallel 2 --budget 5 --minutes 60 -- --sandbox workspace-write
`;

/** `trackway run`: starts an agent for each ready issue. */
export const createRunCommand = (): Command =>
  addJsonOption(
    addFilterOptions(new Command("run").description("start an agent for each ready issue of this repository")),
  )
    .argument("[arguments...]", "after --: arguments for the agent's command")
    .addOption(
      new Option("--agent <name>", "agent to start").choices(Object.keys(HEADLESS_AGENTS)).makeOptionMandatory(),
    )
    .addOption(
      new Option("--parallel <n>", "number of issues at a time").argParser(createNumberParser(1, 16)).default(1),
    )
    .addOption(new Option("--budget <dollars>", "maximum cost per issue, in US dollars").argParser(dollars))
    .addOption(
      new Option("--minutes <n>", "maximum time per issue").argParser(createNumberParser(1, 1_440)).default(60),
    )
    .addOption(
      new Option("--least-free <MiB>", "stop agents when free disk space falls below this limit")
        .argParser(createNumberParser(0, 1_000_000))
        .default(1_024),
    )
    .option(
      "--any-creator",
      "also work on issues that agents created or that were imported; strangers may have written the text",
    )
    .option(
      "--bypass-permissions",
      "let the agent run every command without asking; use only in a container or on a separate machine",
    )
    .option("--dry-run", "show the issues that would be started, and change nothing")
    .addHelpText("after", AFTER)
    .action(run);

function dollars(text: string): number {
  const value = /^\d{1,6}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError("Use an amount of US dollars, such as 5 or 0.50.");
}

async function run(extra: string[], options: Options): Promise<void> {
  const agent = getOwnProperty(HEADLESS_AGENTS, options.agent);
  if (!agent) throw new CommandFailure(`Unknown agent "${options.agent}".`, { exit: EXIT_CODES.usage });
  const who = await createCommandContext();
  const repository = await findRepository(process.cwd());
  const { proofCommands = [] } = await readFolderSettings(repository.root, who.caller.url);
  const named = await buildIssueFilter(who, options);
  const filter = options.anyCreator ? named : { and: [named, { creator: { app: { eq: false } } }] };
  const args = (session: string) => [
    ...agent.args(session),
    ...(options.bypassPermissions ? [agent.bypass] : []),
    ...extra,
  ];
  if (options.dryRun) {
    const issues = await listReadyIssues(who, filter);
    const command = [agent.program, ...args(randomUUID())].join(" ");
    const prompts = issues.map((issue) => ({ id: issue.identifier, prompt: buildPrompt(issue, proofCommands) }));
    printResult(options.json, { command, issues: prompts }, () => [
      `Command, which gets the prompt on standard input: ${toOneLine(command)}`,
      ...issues.map(({ identifier, title, branchName }) => toOneLine(`${identifier} on ${branchName}: ${title}`, 300)),
      ...(issues.length === 0 ? ["No issue is ready."] : ["", prompts[0]?.prompt ?? ""]),
    ]);
    return;
  }
  const left = await removeAbandonedWorktrees(repository);
  const { ending, stopping, forget } = listenForInterrupts();
  const { minutes, parallel } = options;
  const settings = { who, repository, agent, args, proofCommands, minutes, stopping };
  const limits = { costLimit: options.budget, minuteLimit: minutes + 1 };
  const leastFree = options.leastFree * 1024 * 1024;
  const counts = await workOnReadyIssues({ ...settings, leastFree }, { filter, limits, parallel, ending }).finally(
    forget,
  );
  const { finished, released, lost } = counts;
  printResult(options.json, { ...counts, left }, () => [`${finished} finished, ${released} released, ${lost} lost.`]);
  if (finished + released + lost === 0) throw new CommandFailure("No issue is ready.", { exit: EXIT_CODES.notFound });
  if (released + lost > 0)
    throw new CommandFailure(`${released + lost} issues were not finished.`, { cure: "trackway show ISSUE" });
}
