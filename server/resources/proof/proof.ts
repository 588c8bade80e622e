import { agents } from "../../agents/index.ts";
import {
  type CommandExecution,
  type FileChangeTime,
  isChangeBeforeExecution,
  isExecutionBefore,
  isPathBelow,
  type ProofRecord,
  resolvePath,
  type TimedAction,
} from "./acts.ts";
import {
  type CommandLine,
  createDemandMatcher,
  createGitCommandMatcher,
  EXIT_CODE_DOUBTS,
  findChangingCommands,
  findDemandedCommand,
  findEndFolder,
  parseCommandLine,
  parseDemandedCommand,
} from "./line.ts";
import type { SimpleCommand } from "./shell.ts";

/** Demands of a team that an issue must meet to count as proven. */
export interface ProofRules {
  /** Each command must end with exit code 0 after the last change of a file. */
  commands: readonly string[];
  /** A commit must be created after the last change. */
  commit: boolean;
  /** A branch must be pushed after the last commit. */
  push: boolean;
}

const VERDICTS = ["verified", "unproven", "contradicted"] as const;

/** A verdict with the reason and the supporting events. */
export interface Verdict {
  verdict: (typeof VERDICTS)[number];
  reason: string;
  events: string[];
}

/** Maximum number of events per verdict. */
export const MAX_VERDICT_EVENTS = 20;

/**
 * Judges the recorded actions of an issue. A command counts as proven if its exit code is 0 and certainly belongs to
 * the command, if the command began after the last change of a file ended, and if all changed files are below the
 * command's folder. In doubt, the verdict is `unproven`.
 */
export function judgeRecord(rules: ProofRules, record: ProofRecord): Verdict {
  const work = new Work(rules, record);
  const answers = [
    ...rules.commands.map((command) => work.judgeCommand(command)),
    ...(rules.commit ? [work.judgeCommit()] : []),
    ...(rules.push ? [work.judgePush()] : []),
    ...record.gaps.map((reason): Verdict => ({ verdict: "unproven", reason, events: [] })),
  ];
  const weight = (verdict: Verdict["verdict"]) => ["contradicted", "unproven", "verified"].indexOf(verdict);
  const [worst] = [...answers].sort((a, b) => weight(a.verdict) - weight(b.verdict));
  if (!worst) return { verdict: "unproven", reason: "Nothing is demanded.", events: [] };
  const telling = worst.verdict === "verified" ? answers : answers.filter(({ verdict }) => verdict !== "verified");
  return {
    verdict: worst.verdict,
    reason: telling.map(({ reason }) => reason).join(" "),
    events: [...new Set(telling.flatMap(({ events }) => events))].slice(0, MAX_VERDICT_EVENTS),
  };
}

/** Temporary files, and the agents' own files. */
const TEMPORARY = new RegExp(
  [/^(?:\/private)?(?:\/tmp|\/var\/folders|\/var\/tmp)\//, ...agents.flatMap(({ ownFiles = [] }) => ownFiles)]
    .map(({ source }) => source)
    .join("|"),
);

class Work {
  private readonly changes: FileChangeTime[];
  private readonly lines = new Map<TimedAction, CommandLine>();
  private readonly record: ProofRecord;

  constructor(rules: ProofRules, record: ProofRecord) {
    this.record = record;
    for (const act of record.acts) {
      if (!act.command) continue;
      const { line, agent } = act.command;
      const isScratch = (path: string) => this.isScratch(act, path);
      this.lines.set(act, parseCommandLine(line, { folder: act.folder ?? undefined, agent, isScratch }));
    }
    const demands = rules.commands.map((each) => parseDemandedCommand(each)).filter((each) => each !== undefined);
    const neutral = (command: SimpleCommand) => demands.some((demand) => createDemandMatcher(demand)(command));
    this.changes = record.acts.flatMap((act) => this.changesOf(act, neutral));
  }

  judgeCommand(command: string): Verdict {
    const demand = parseDemandedCommand(command);
    const name = `\`${command}\``;
    if (!demand) return { verdict: "unproven", reason: `${name} is not a plain command.`, events: [] };
    return this.judge(name, createDemandMatcher(demand), demand, demand[0]);
  }

  judgeCommit(): Verdict {
    return this.judge("git commit", createGitCommandMatcher("commit"), ["git", "commit"], "git");
  }

  judgePush(): Verdict {
    const answer = this.judge("git push", createGitCommandMatcher("push"), ["git", "push"], "git");
    const [push] = answer.events;
    const pushed = this.runsOf(createGitCommandMatcher("push"), ["git", "push"]).find(({ act }) => act.event === push);
    const commit = this.runsOf(createGitCommandMatcher("commit"), ["git", "commit"]).at(-1);
    if (answer.verdict !== "verified" || !pushed || !commit || isExecutionBefore(commit, pushed)) return answer;
    return {
      verdict: "unproven",
      reason: "git push was not run after the last commit.",
      events: [pushed.act.event, commit.act.event],
    };
  }

  private judge(
    name: string,
    matches: (command: SimpleCommand) => boolean,
    naming: readonly string[],
    program = "",
  ): Verdict {
    const runs = this.runsOf(matches, naming);
    const decisive = runs.filter((run) => this.isCertain(run, program));
    const last = decisive.at(-1);
    const later = (run: CommandExecution) => !last || run.act.from > last.act.from;
    // A later execution, which may have been the demanded command, failed after the last certain execution.
    const hidden = runs.findLast((run) => !decisive.includes(run) && later(run) && (run.exitCode ?? 0) !== 0);
    const unproven = (why: string, ...events: string[]): Verdict => ({
      verdict: "unproven",
      reason: `${name} ${why}.`,
      events,
    });
    if (!last) {
      const seen = runs.at(-1);
      if (!seen) return unproven("is not recorded");
      return unproven(`does not count: ${this.doubtOf(seen, program)}`, seen.act.event);
    }
    const change = this.changes.findLast((each) => !each.isScratch && !isChangeBeforeExecution(each, last));
    if (change) return unproven("was not run after the last change of a file", last.act.event, change.act.event);
    const outside = this.changes.find((each) => !each.isScratch && !this.isInside(each, last));
    if (outside) return unproven("ran in another folder than a change of a file", last.act.event, outside.act.event);
    if (this.changes.length > 0 && this.changes.every(({ isScratch }) => isScratch)) {
      return unproven("ran in another folder than all changes of files", last.act.event);
    }
    if (last.exitCode !== 0) {
      return {
        verdict: "contradicted",
        reason: `${name} failed last, with exit code ${last.exitCode}.`,
        events: [last.act.event],
      };
    }
    if (hidden)
      return unproven(
        "failed later, in a form that may be another command's failure",
        last.act.event,
        hidden.act.event,
      );
    const before = this.changes.findLast(({ isScratch }) => !isScratch);
    const since = before ? "after the last change of a file" : "and no change of a file is recorded";
    return {
      verdict: "verified",
      reason: `${name} ended with exit code 0 ${since}.`,
      events: [last.act.event, ...(before ? [before.act.event] : [])],
    };
  }

  private runsOf(matches: (command: SimpleCommand) => boolean, naming: readonly string[]): CommandExecution[] {
    return [...this.lines].flatMap(([act, line]) => {
      const finding = findDemandedCommand(line, matches, naming);
      return finding.is === "other" ? [] : [{ act, exitCode: act.command?.exitCode ?? null, finding }];
    });
  }

  /** Returns true if the exit code certainly belongs to the command. */
  private isCertain({ act, exitCode, finding }: CommandExecution, program: string): boolean {
    if (finding.is !== "run" || exitCode === null || act.until === null || act.command?.isBackground) return false;
    return (exitCode === 0 || finding.failure) && !this.isRedefined(act, program);
  }

  private doubtOf({ act, exitCode, finding }: CommandExecution, program: string): string {
    if (finding.is === "doubt") return EXIT_CODE_DOUBTS[finding.why];
    if (act.command?.isBackground) return EXIT_CODE_DOUBTS.background;
    if (this.isRedefined(act, program)) return EXIT_CODE_DOUBTS.changed;
    if (act.until === null) return "it has not ended";
    return exitCode === null
      ? "its exit code is not recorded"
      : "its line failed, and it is not certain which command of it";
  }

  /**
   * Returns true if the session may have redefined the program's name before this action, by an alias or a function. A
   * persistent shell keeps the definition.
   */
  private isRedefined({ session, from }: TimedAction, program: string): boolean {
    const name = program.replace(/[^\w-]/g, "\\$&");
    const defines = new RegExp(
      `\\b(?:alias|function)\\s+(?:-\\w+\\s+)*${name}(?![\\w-])|(?<![\\w-])${name}\\s*\\(\\s*\\)`,
    );
    return this.record.acts.some(
      (act) =>
        act.session === session && act.from <= from && act.command !== undefined && defines.test(act.command.line),
    );
  }

  private changesOf(act: TimedAction, neutral: (command: SimpleCommand) => boolean): FileChangeTime[] {
    if (act.change !== undefined) {
      const where = act.change === null ? (act.folder ?? undefined) : resolvePath(act, act.change);
      return [{ act, at: -1, where, isScratch: act.change !== null && this.isScratch(act, act.change) }];
    }
    const line = this.lines.get(act);
    const where = line && findEndFolder(line);
    return line ? findChangingCommands(line, neutral).map((at) => ({ act, at, where, isScratch: false })) : [];
  }

  /** Returns true for a temporary file outside the folders of the work. */
  private isScratch(act: TimedAction, path: string): boolean {
    const whole = resolvePath(act, path);
    return (
      whole !== undefined && TEMPORARY.test(whole) && !this.record.folders.some((folder) => isPathBelow(whole, folder))
    );
  }

  private isInside({ act, where }: FileChangeTime, run: CommandExecution): boolean {
    if (run.finding.is !== "run") return false;
    const { folder } = run.finding;
    if (folder !== undefined && where !== undefined) return isPathBelow(where, folder);
    // If both folders are unknown and the session is the same, both are the working folder of the session.
    return folder === undefined && where === undefined && act.session === run.act.session;
  }
}
