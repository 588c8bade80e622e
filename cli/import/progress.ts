import { progress } from "@clack/prompts";
import { printToStderr } from "../output/print.ts";

/** Shows the progress of a long operation on a terminal. */
export interface Progress {
  /** Sets the completed part, from 0 to 1. */
  at(part: number, message: string): void;
  /** Writes a line above the progress bar. */
  tell(line: string): void;
  end(): void;
}

const STEPS = 1_000;

/**
 * Starts a progress bar on a terminal. Without a terminal, shows no bar and only writes the lines passed to `tell` to
 * standard error.
 */
export function startProgress(message: string, shown = process.stderr.isTTY === true): Progress {
  if (!shown) return { at: () => {}, tell: printToStderr, end: () => {} };
  const bar = progress({ max: STEPS, output: process.stderr });
  let done = 0;
  const start = () => {
    bar.start(message);
    // The progress bar switches the terminal to raw mode to read keys, and would end the process at Ctrl-C before
    // cleanup. With raw mode switched off again, Ctrl-C sends SIGINT as usual.
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
  };
  start();
  return {
    at(part, text) {
      const step = Math.min(STEPS, Math.floor(part * STEPS)) - done;
      done += Math.max(step, 0);
      bar.advance(Math.max(step, 0), text);
    },
    tell(line) {
      bar.clear();
      printToStderr(line);
      start();
    },
    end: () => bar.clear(),
  };
}
