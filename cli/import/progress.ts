import { progress } from "@clack/prompts";
import { tell } from "../output/print.ts";

/** Shows how far a long work is, where somebody sits before it. */
export interface Progress {
  /** So much of the whole is done, 0 to 1. */
  at(part: number, message: string): void;
  /** Writes a line above. */
  tell(line: string): void;
  end(): void;
}

const STEPS = 1_000;

/** A bar on the terminal; elsewhere only messages on standard error. */
export function startProgress(message: string, shown = process.stderr.isTTY === true): Progress {
  if (!shown) return { at: () => {}, tell, end: () => {} };
  const bar = progress({ max: STEPS, output: process.stderr });
  let done = 0;
  const start = () => {
    bar.start(message);
    // The bar reads keys, and would end the process at Ctrl-C before the work is tidied up; the terminal sends a signal instead.
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
      tell(line);
      start();
    },
    end: () => bar.clear(),
  };
}
