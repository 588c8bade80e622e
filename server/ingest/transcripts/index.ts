import { withoutImages } from "../../../formats/images.ts";
import { isDeeper, isObject } from "../../../formats/json.ts";
import { AppError } from "../../errors.ts";
import { parsed } from "../capture/batch.ts";
import type { Endpoint, Observed } from "../capture/endpoints.ts";
import { objectOf, type Payload, textOf, timeIn } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { Observation } from "../observe/observation.ts";
import { MAX_LEVELS } from "../rules/bounds.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { endWithReply, type State, type Transcript } from "./transcript.ts";

/** The most lines of one body, and the most observations that they may become. */
const MAX_LINES = 1_000;
const MAX_OBSERVATIONS = 5_000;

const AGENTS: readonly Transcript[] = [claudeCode, codex, copilot, geminiCli, opencode, pi, qwenCode];

/**
 * POST /api/v1/transcripts/<agent>: takes lines of a file in which an agent keeps a session. The answer names the lines
 * that were not taken, and holds the state with which the next lines of the file are to be sent.
 */
const transcriptEndpoint =
  (transcript: Transcript): Endpoint<Observed> =>
  (body, context) => {
    const { value } = parsed(body, context);
    const { lines } = value;
    if (!Array.isArray(lines) || lines.length > MAX_LINES)
      throw new AppError("input", `lines must be a list of ${MAX_LINES} lines at most`, {
        tag: "invalid_transcript",
        field: "lines",
      });
    const { observations, origins, bad, state } = read(transcript, value, lines);
    return {
      observations,
      answer: (rejected) => ({
        status: 200,
        body: {
          accepted: observations.length - rejected.length,
          bad,
          rejected: rejected.map(({ index, reason }) => ({ line: origins[index] ?? 0, reason })),
          state,
        },
      }),
    };
  };

interface Read {
  observations: Observation[];
  /** The line of each observation, by its place in the body. */
  origins: number[];
  bad: { line: number; reason: string }[];
  state: State;
}

/** Reads the lines of a body, which go on where `state` ended. */
function read(transcript: Transcript, body: Payload, lines: readonly unknown[]): Read {
  const sent = objectOf(body, "state");
  const named = (key: string) => textOf(sent, key) ?? textOf(body, key);
  const state: State = { ...sent, cwd: named("cwd"), session: named("session"), turn: textOf(sent, "turn") };
  const [observations, origins, bad]: [Observation[], number[], Read["bad"]] = [[], [], []];
  const keep = (found: readonly object[], line: number) => {
    const { session } = state;
    if (found.length === 0 || session === undefined) return;
    for (const each of found) {
      const own = defined<Partial<Observation>>(each);
      observations.push({ source: transcript.source, isTranscript: true, session, ...own });
      origins.push(line);
    }
    if (observations.length > MAX_OBSERVATIONS) throw tooMany();
  };
  for (const [at, text] of lines.entries()) {
    const line = lineOf(text);
    if (line === undefined) {
      bad.push({ line: at, reason: "is no JSON object" });
      continue;
    }
    state.session = transcript.session(line, state) ?? state.session;
    keep(transcript.read(line, state, timeIn(line)), at);
  }
  const isOver = body["end"] === true;
  const last = transcript.close ? transcript.close(state, isOver) : isOver ? endWithReply(state) : [];
  keep(last, Math.max(0, lines.length - 1));
  return { observations, origins, bad, state };
}

const tooMany = () =>
  new AppError("input", `The lines of one body may tell of ${MAX_OBSERVATIONS} events at most; send fewer at once`, {
    tag: "too_many_events",
    field: "lines",
    limit: MAX_OBSERVATIONS,
  });

/** The object in a line. */
function lineOf(text: unknown): Payload | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const line: unknown = JSON.parse(withoutImages(text));
    return isObject(line) && !isDeeper(line, MAX_LEVELS) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** The paths to which transcripts are posted, under the root of the ingestion API. */
export const transcriptEndpoints: ReadonlyMap<string, Endpoint> = new Map(
  AGENTS.map((transcript) => [`transcripts/${transcript.source}`, transcriptEndpoint(transcript)]),
);
