import { toOneLine, toSafeJson } from "./output/print.ts";

/** Exit codes of commands. Scripts and agents depend on the codes, so a code never changes its meaning. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, noAccess: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface More {
  exit?: ExitCode;
  cure?: string;
  retryAfter?: number;
}

/** Thrown when a command fails: a message of one line, with the exit code and a fix. */
export class Failure extends Error {
  readonly exit: ExitCode;
  /** A command or a change that fixes the failure. */
  readonly cure: string | undefined;
  /** Seconds after which a repetition may succeed; set for temporary failures. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { exit = EXIT.failed, cure, retryAfter }: More = {}) {
    super(message);
    this.exit = exit;
    this.cure = cure;
    this.retryAfter = retryAfter;
  }
}

/** Returns the failure with a default fix if it has none. */
export const addDefaultFix = ({ message, exit, cure }: Failure, command = ""): Failure =>
  new Failure(message, { exit, cure: cure ?? usualCure(exit, command) });

function usualCure(exit: ExitCode, command: string): string {
  if (exit === EXIT.usage) return `trackway ${command} --help`;
  if (exit === EXIT.notFound) return "trackway search WORDS";
  if (exit === EXIT.conflict) return "trackway show ISSUE, to see the holder and the blockers";
  return exit === EXIT.noAccess ? "trackway login" : "run the command again, or trackway doctor";
}

/** Returns a failure as JSON. Part of the interface: docs/cli.md. */
export const toErrorJson = ({ message, cure, exit }: Failure) => ({
  error: message.slice(0, 1_500),
  try: cure?.slice(0, 500) ?? null,
  exit,
});

/**
 * Returns the output line of a failure. Error messages of servers may contain titles and names, so control characters
 * are removed.
 */
export const formatFailure = (failure: Failure, json = false): string => {
  if (json) return `${toSafeJson(toErrorJson(failure))}\n`;
  const { message, cure } = failure;
  return `trackway: ${toOneLine(message, 1_500)}${cure ? ` try: ${toOneLine(cure, 500)}` : ""}\n`;
};

/** Returns true if the command line requests JSON output. */
export const isJsonRequested = (args: readonly string[]): boolean => args.some((arg) => /^--json(=|$)/.test(arg));
