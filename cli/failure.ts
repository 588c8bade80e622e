import { toOneLine, toSafeJson } from "./output/print.ts";

/** Exit codes of commands. Scripts and agents depend on the codes, so a code never changes its meaning. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, noAccess: 5 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

interface More {
  exit?: ExitCode;
  cure?: string;
  retryAfter?: number;
}

/**
 * Thrown when a command fails. Contains a message of one line, the exit code of the command and, if known, a fix for
 * the user.
 */
export class CommandFailure extends Error {
  readonly exit: ExitCode;
  /** A command or a change that fixes the failure. */
  readonly cure: string | undefined;
  /** Seconds after which a repetition may succeed; set for temporary failures. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { exit = EXIT_CODES.failed, cure, retryAfter }: More = {}) {
    super(message);
    this.exit = exit;
    this.cure = cure;
    this.retryAfter = retryAfter;
  }
}

/**
 * Returns a failure with the same message and exit code. If the failure has no fix, adds the default fix for the exit
 * code.
 */
export const addDefaultFix = ({ message, exit, cure }: CommandFailure, command = ""): CommandFailure =>
  new CommandFailure(message, { exit, cure: cure ?? usualCure(exit, command) });

function usualCure(exit: ExitCode, command: string): string {
  if (exit === EXIT_CODES.usage) return `trackway ${command} --help`;
  if (exit === EXIT_CODES.notFound) return "trackway search WORDS";
  if (exit === EXIT_CODES.conflict) return "trackway show ISSUE, to see the holder and the blockers";
  return exit === EXIT_CODES.noAccess ? "trackway login" : "run the command again, or trackway doctor";
}

/** Converts a failure to JSON. docs/cli.md describes the stable JSON format. */
export const toErrorJson = ({ message, cure, exit }: CommandFailure) => ({
  error: message.slice(0, 1_500),
  try: cure?.slice(0, 500) ?? null,
  exit,
});

/**
 * Formats a failure as one line of output. Replaces control characters by visible codes, because a server's error
 * message may contain titles and names that other people wrote.
 */
export const formatFailure = (failure: CommandFailure, json = false): string => {
  if (json) return `${toSafeJson(toErrorJson(failure))}\n`;
  const { message, cure } = failure;
  return `trackway: ${toOneLine(message, 1_500)}${cure ? ` try: ${toOneLine(cure, 500)}` : ""}\n`;
};

/** Returns true if the command line requests JSON output. */
export const isJsonRequested = (args: readonly string[]): boolean => args.some((arg) => /^--json(=|$)/.test(arg));
