import { oneLine } from "../output/safe.ts";
import { isSubagent } from "./survey.ts";

/** A line that could not be read. */
interface BadLine {
  file: string;
  line: number;
  reason: string;
}

/** Bad lines that a report keeps; more are only counted. */
const KEPT = 1_000;

/** The outcome of an import. */
export class Report {
  accepted = 0;
  badLines = 0;
  readonly problems: BadLine[] = [];
  private readonly reasons = new Map<string, number>();
  private readonly files = new Set<string>();
  private readonly tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.tell = tell;
  }

  bad(file: string, line: number, reason: string): void {
    this.badLines += 1;
    if (this.problems.length >= KEPT) return;
    this.problems.push({ file, line, reason });
    this.tell(oneLine(`${file}:${line}: ${reason}`, 600));
  }

  leftOut(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  touched(file: string): void {
    this.files.add(file);
  }

  /** As the command answers it in JSON. */
  shown() {
    const sessions = [...this.files].filter((file) => !isSubagent(file)).length;
    const leftOut = [...this.reasons].map(([reason, observations]) => ({ reason, observations }));
    return {
      sessions,
      files: this.files.size,
      observations: this.accepted,
      leftOut,
      bad: this.badLines,
      badLines: this.problems,
    };
  }

  /** The same for a reader. */
  lines(): string[] {
    const { sessions, files, observations, leftOut, bad } = this.shown();
    const number = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
    return [
      files === 0
        ? "Nothing new: all that was found is imported."
        : `${number(observations, "observation")} of ${number(sessions, "session")} imported, from ${number(files, "file")}.`,
      ...leftOut.map((each) => `Left out: ${number(each.observations, "observation")}, since each ${each.reason}.`),
      ...(bad > 0 ? [`${number(bad, "bad line")}, named above; the rest is imported.`] : []),
    ];
  }
}
