import { oneLine, safeJson } from "./output/print.ts";

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

/** A failure with the usual help, where nothing better is known. */
export const cured = ({ message, exit, cure }: Failure, command = ""): Failure =>
  new Failure(message, { exit, cure: cure ?? usualCure(exit, command) });

function usualCure(exit: ExitCode, command: string): string {
  if (exit === EXIT.usage) return `trackway ${command} --help`;
  if (exit === EXIT.notFound) return "trackway search WORDS";
  if (exit === EXIT.conflict) return "trackway show ISSUE, for who holds it and what blocks it";
  return exit === EXIT.noAccess ? "trackway login" : "again, or trackway doctor";
}

/** A failure as JSON. Part of the interface: docs/cli.md. */
export const errorOf = ({ message, cure, exit }: Failure) => ({
  error: message.slice(0, 1_500),
  try: cure?.slice(0, 500) ?? null,
  exit,
});

/** The line that reports a failure. Servers quote titles and people, so it is made safe too. */
export const lineOf = (failure: Failure, json = false): string => {
  if (json) return `${safeJson(errorOf(failure))}\n`;
  const { message, cure } = failure;
  return `trackway: ${oneLine(message, 1_500)}${cure ? ` try: ${oneLine(cure, 500)}` : ""}\n`;
};

/** True if the answers to a command line are to be JSON. */
export const isJson = (args: readonly string[]): boolean => args.some((arg) => /^--json(=|$)/.test(arg));
