import { type Act, type Change, isBefore, isBelow, isEarlier, type Record, type Run, resolved } from "./acts.ts";
import { changesIn, DOUBTS, demandOf, endOf, findIn, isDemand, isGit, type Line, readLine } from "./line.ts";
import type { Simple } from "./shell.ts";

/** Everything that a team demands before an issue counts as proven. */
export interface Rules {
  /** Each has to have ended with exit code 0 after the last change of a file. */
  commands: readonly string[];
  /** A commit has to be made after the last change. */
  commit: boolean;
  /** A branch has to be pushed after the last commit. */
  push: boolean;
}

const VERDICTS = ["verified", "unproven", "contradicted"] as const;

/** An answer with its reason, and the events that it rests on. */
export interface Verdict {
  verdict: (typeof VERDICTS)[number];
  reason: string;
  events: string[];
}

/** The most events that a verdict names. */
export const MOST_EVENTS = 20;

/**
 * Judges what was recorded. A demand is met by the exit code 0 of a command that is surely its own, begun after the end of
 * the last change of a file, in a folder that has all changed files below it. In doubt it is unproven.
 */
export function verdictOf(rules: Rules, record: Record): Verdict {
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
    events: [...new Set(telling.flatMap(({ events }) => events))].slice(0, MOST_EVENTS),
  };
}

const TEMPORARY = /^(?:\/private)?(?:\/tmp|\/var\/folders|\/var\/tmp)\/|\/\.claude\/plans\//;

class Work {
  private readonly changes: Change[];
  private readonly lines = new Map<Act, Line>();
  private readonly record: Record;

  constructor(rules: Rules, record: Record) {
    this.record = record;
    for (const act of record.acts) {
      if (!act.command) continue;
      const { line, agent } = act.command;
      const isScratch = (path: string) => this.isScratch(act, path);
      this.lines.set(act, readLine(line, { folder: act.folder ?? undefined, agent, isScratch }));
    }
    const demands = rules.commands.map((each) => demandOf(each)).filter((each) => each !== undefined);
    const neutral = (command: Simple) => demands.some((demand) => isDemand(demand)(command));
    this.changes = record.acts.flatMap((act) => this.changesOf(act, neutral));
  }

  judgeCommand(command: string): Verdict {
    const demand = demandOf(command);
    const name = `\`${command}\``;
    if (!demand) return { verdict: "unproven", reason: `${name} is no plain command.`, events: [] };
    return this.judge(name, isDemand(demand), demand, demand[0]);
  }

  judgeCommit(): Verdict {
    return this.judge("git commit", isGit("commit"), ["git", "commit"], "git");
  }

  judgePush(): Verdict {
    const answer = this.judge("git push", isGit("push"), ["git", "push"], "git");
    const [push] = answer.events;
    const pushed = this.runsOf(isGit("push"), ["git", "push"]).find(({ act }) => act.event === push);
    const commit = this.runsOf(isGit("commit"), ["git", "commit"]).at(-1);
    if (answer.verdict !== "verified" || !pushed || !commit || isEarlier(commit, pushed)) return answer;
    return {
      verdict: "unproven",
      reason: "git push was not run after the last commit.",
      events: [pushed.act.event, commit.act.event],
    };
  }

  private judge(name: string, matches: (command: Simple) => boolean, naming: readonly string[], program = ""): Verdict {
    const runs = this.runsOf(matches, naming);
    const decisive = runs.filter((run) => this.isCertain(run, program));
    const last = decisive.at(-1);
    const later = (run: Run) => !last || run.act.from > last.act.from;
    // Something that may be the command failed after it succeeded.
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
    const change = this.changes.findLast((each) => !each.isScratch && !isBefore(each, last));
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

  private runsOf(matches: (command: Simple) => boolean, naming: readonly string[]): Run[] {
    return [...this.lines].flatMap(([act, line]) => {
      const finding = findIn(line, matches, naming);
      return finding.is === "other" ? [] : [{ act, exitCode: act.command?.exitCode ?? null, finding }];
    });
  }

  /** True where the exit code is that of the command, whatever it is. */
  private isCertain({ act, exitCode, finding }: Run, program: string): boolean {
    if (finding.is !== "run" || exitCode === null || act.until === null || act.command?.isBackground) return false;
    return (exitCode === 0 || finding.failure) && !this.isRedefined(act, program);
  }

  private doubtOf({ act, exitCode, finding }: Run, program: string): string {
    if (finding.is === "doubt") return DOUBTS[finding.why];
    if (act.command?.isBackground) return DOUBTS.background;
    if (this.isRedefined(act, program)) return DOUBTS.changed;
    if (act.until === null) return "it has not ended";
    return exitCode === null
      ? "its exit code is not recorded"
      : "its line failed, and it is not certain which command of it";
  }

  /** A session may have given the program's name to something else: shells that go on remember it. */
  private isRedefined({ session, from }: Act, program: string): boolean {
    const name = program.replace(/[^\w-]/g, "\\$&");
    const defines = new RegExp(
      `\\b(?:alias|function)\\s+(?:-\\w+\\s+)*${name}(?![\\w-])|(?<![\\w-])${name}\\s*\\(\\s*\\)`,
    );
    return this.record.acts.some(
      (act) =>
        act.session === session && act.from <= from && act.command !== undefined && defines.test(act.command.line),
    );
  }

  private changesOf(act: Act, neutral: (command: Simple) => boolean): Change[] {
    if (act.change !== undefined) {
      const where = act.change === null ? (act.folder ?? undefined) : resolved(act, act.change);
      return [{ act, at: -1, where, isScratch: act.change !== null && this.isScratch(act, act.change) }];
    }
    const line = this.lines.get(act);
    const where = line && endOf(line);
    return line ? changesIn(line, neutral).map((at) => ({ act, at, where, isScratch: false })) : [];
  }

  /** A file outside of the folders of the work, where temporary files lie. */
  private isScratch(act: Act, path: string): boolean {
    const whole = resolved(act, path);
    return (
      whole !== undefined && TEMPORARY.test(whole) && !this.record.folders.some((folder) => isBelow(whole, folder))
    );
  }

  private isInside({ act, where }: Change, run: Run): boolean {
    if (run.finding.is !== "run") return false;
    const { folder } = run.finding;
    if (folder !== undefined && where !== undefined) return isBelow(where, folder);
    // No folder is known of either: they are the one in which the session works.
    return folder === undefined && where === undefined && act.session === run.act.session;
  }
}
