import { oneLine } from "./output/safe.ts";

/** The exit codes. They are part of the interface: scripts and agents branch on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, noAccess: 5 } as const;

/** The ways a command can end. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface More {
  exit?: ExitCode;
  cure?: string;
  retryAfter?: number;
}

/** A command that could not do its work: one line for the reader, and what to do about it. */
export class Failure extends Error {
  readonly exit: ExitCode;
  /** A command or a change that helps. */
  readonly cure: string | undefined;
  /** Seconds after which the same may succeed, where the trouble is temporary. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { exit = EXIT.failed, cure, retryAfter }: More = {}) {
    super(message);
    this.exit = exit;
    this.cure = cure;
    this.retryAfter = retryAfter;
  }
}

/** The line that reports a failure. Servers quote titles and people, so it is made safe too. */
export const lineOf = ({ message, cure }: Failure): string =>
  `trackway: ${oneLine(message, 1_500)}${cure ? ` try: ${oneLine(cure, 500)}` : ""}\n`;
