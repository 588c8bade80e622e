import { randomUUID } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { readOwn } from "../../../formats/own.ts";
import { EXIT, Failure } from "../../failure.ts";
import { folderSettings } from "../../files/settings.ts";
import { type Answering, wholeNumber, withJson } from "../../options.ts";
import { answer, oneLine } from "../../output/print.ts";
import { interrupts, readyIssues, runAll } from "../../runner/loop.ts";
import { AGENTS } from "../../runner/process.ts";
import { promptOf } from "../../runner/prompt.ts";
import { removeLeft, repositoryOf } from "../../runner/worktree.ts";
import { worker } from "../../work/caller.ts";
import { filterOf, type WhichOptions, which } from "../../work/filter.ts";

type Options = Answering &
  WhichOptions & {
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
Each issue gets a git worktree below .trackway/ and its own branch. The agent's headless command gets the issue as its prompt, quoted as
data, and runs in its default permission mode. When it ends well with everything committed, the issue is completed, as far as the team's
proof allows; else it is released, and the branch keeps what was done. Connect the agent first (trackway connect), so that its events
keep the claim. Ctrl-C takes no new issue; a second one stops the agents and gives their issues back.
Examples:
  trackway run --agent claude-code --team ENG --dry-run
  trackway run --agent codex --parallel 2 --budget 5 --minutes 60 -- --sandbox workspace-write
`;

/** `trackway run`: has an agent work off ready issues. */
export const runCommand = (): Command =>
  withJson(which(new Command("run").description("have an agent work off the ready issues of this repository")))
    .argument("[arguments...]", "behind --, for the agent's own command")
    .addOption(new Option("--agent <name>", "the agent").choices(Object.keys(AGENTS)).makeOptionMandatory())
    .addOption(new Option("--parallel <n>", "issues at a time").argParser(wholeNumber(1, 16)).default(1))
    .addOption(new Option("--budget <dollars>", "what an issue may cost, in US dollars").argParser(dollars))
    .addOption(new Option("--minutes <n>", "how long an issue may take").argParser(wholeNumber(1, 1_440)).default(60))
    .addOption(
      new Option("--least-free <MiB>", "free space of the disk below which agents are stopped")
        .argParser(wholeNumber(0, 1_000_000))
        .default(1_024),
    )
    .option("--any-creator", "also issues that agents filed, or imports brought: strangers may have written them")
    .option(
      "--bypass-permissions",
      "the agent may run every command without being asked: only inside a container or a machine of its own",
    )
    .option("--dry-run", "show what would be begun, and change nothing")
    .addHelpText("after", AFTER)
    .action(run);

function dollars(text: string): number {
  const value = /^\d{1,6}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError("It is a number of US dollars, such as 5 or 0.50.");
}

async function run(extra: string[], options: Options): Promise<void> {
  const agent = readOwn(AGENTS, options.agent);
  if (!agent) throw new Failure(`${options.agent} is no agent.`, { exit: EXIT.usage });
  const who = await worker();
  const repository = await repositoryOf(process.cwd());
  const { proofCommands = [] } = await folderSettings(repository.root, who.caller.url);
  const named = await filterOf(who, options);
  const filter = options.anyCreator ? named : { and: [named, { creator: { app: { eq: false } } }] };
  const args = (session: string) => [
    ...agent.args(session),
    ...(options.bypassPermissions ? [agent.bypass] : []),
    ...extra,
  ];
  if (options.dryRun) {
    const issues = await readyIssues(who, filter);
    const command = [agent.program, ...args(randomUUID())].join(" ");
    const prompts = issues.map((issue) => ({ id: issue.identifier, prompt: promptOf(issue, proofCommands) }));
    answer(options.json, { command, issues: prompts }, () => [
      `Runs, with the prompt on standard input: ${oneLine(command)}`,
      ...issues.map(({ identifier, title, branchName }) => oneLine(`${identifier} on ${branchName}: ${title}`, 300)),
      ...(issues.length === 0 ? ["Nothing is ready."] : ["", prompts[0]?.prompt ?? ""]),
    ]);
    return;
  }
  const left = await removeLeft(repository);
  const { ending, stopping, forget } = interrupts();
  const { minutes, parallel } = options;
  const settings = { who, repository, agent, args, proofCommands, minutes, stopping };
  const limits = { costLimit: options.budget, minuteLimit: minutes + 1 };
  const leastFree = options.leastFree * 1024 * 1024;
  const counts = await runAll({ ...settings, leastFree }, { filter, limits, parallel, ending }).finally(forget);
  const { finished, released, lost } = counts;
  answer(options.json, { ...counts, left }, () => [`${finished} finished, ${released} released, ${lost} lost.`]);
  if (finished + released + lost === 0) throw new Failure("Nothing is ready.", { exit: EXIT.notFound });
  if (released + lost > 0)
    throw new Failure(`${released + lost} issues were not finished.`, { cure: "trackway show ISSUE" });
}
