import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { keepJobFailures } from "./job-failures.ts";

/** Server in a separate process, started as a user starts the server. */
export interface ServerProcess {
  child: ChildProcess;
  /** Returns the complete output until now. */
  output(): string;
  /** Resolves to the first match in the output. Rejects if the process ends without a match. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal. Resolves to the exit code, or to null if a signal ended the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves to the exit code when the process exits on its own. */
  ended: Promise<number | null>;
}

/**
 * Starts `server/main.ts` with an environment, and without Trackway's variables from the environment of this process.
 */
export function spawnServer(env: Record<string, string>, command: readonly string[] = MAIN): ServerProcess {
  const [program = "node", ...args] = command;
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DATABASE|JWT|TEST_|NODE_)/.test(name)),
  );
  const child = spawn(program, args, {
    env: { ...clean, MCP_PORT: "0", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, "close").then(([code]) => {
    keepJobFailures(text);
    return code as number | null;
  });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text);
        if (found) resolve(found);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without printing ${pattern}:\n${text}`)));
    });
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { child, output: () => text, printed, stop, ended };
}

/** The command of `npm start`. */
const MAIN: string[] = JSON.parse(readFileSync("package.json", "utf8")).scripts.start.split(" ");

/** Log line of a server that listens. */
export const LISTENING_LINE = /"url":"(http:[^"]+)"[^\n]*Trackway is listening/;
