import { oneLine } from "./output/safe.ts";

/** What the exit codes mean. They are part of the interface: scripts and agents branch on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, noAccess: 5 } as const;

/** How a command can end. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that could not do its work: one line for the reader, and what to do about it. */
export class Failure extends Error {
  readonly exit: ExitCode;
  /** A command or a change that helps. */
  readonly cure: string | undefined;

  constructor(message: string, { exit = EXIT.failed, cure }: { exit?: ExitCode; cure?: string } = {}) {
    super(message);
    this.exit = exit;
    this.cure = cure;
  }
}

/** The line that a failure is told in. Servers name titles and people in what they say, so it is made safe too. */
export const lineOf = ({ message, cure }: Failure): string =>
  `${oneLine(`trackway: ${message}${cure ? ` try: ${cure}` : ""}`, 2_000)}\n`;
