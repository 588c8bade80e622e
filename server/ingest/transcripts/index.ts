import { replaceImages } from "../../../formats/images.ts";
import { isDeeper, isObject } from "../../../formats/json.ts";
import { type Payload, readObject, readString, readTime, withoutUndefined } from "../../agents/fields.ts";
import { agents } from "../../agents/index.ts";
import type { Observation } from "../../agents/observation.ts";
import {
  endTurnWithHeldReply,
  readOrigins,
  type TranscriptReader,
  type TranscriptReaderState,
} from "../../agents/transcript.ts";
import { AppError } from "../../errors.ts";
import { parseBatchBody } from "../capture/batch.ts";
import type { IngestEndpoint, ObservationsBody } from "../capture/endpoints.ts";
import { MAX_BODY_LEVELS } from "../rules/bounds.ts";

/** Maximum lines per body, and maximum observations from the lines. */
const MAX_LINES = 1_000;
const MAX_OBSERVATIONS = 5_000;

/**
 * POST /api/v1/transcripts/<agent>: accepts lines of an agent's session file. The response names the rejected lines,
 * and contains the state that the client must send with the next lines of the file.
 */
const transcriptEndpoint =
  (transcript: TranscriptReader): IngestEndpoint<ObservationsBody> =>
  (body, context) => {
    const { value } = parseBatchBody(body, context, "replaced");
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
  /** For each observation, the index of its line in the body. */
  origins: number[];
  bad: { line: number; reason: string }[];
  state: TranscriptReaderState;
}

/** Reads the lines of a body, continuing from `state`. */
function read(transcript: TranscriptReader, body: Payload, lines: readonly unknown[]): Read {
  const sent = readObject(body, "state");
  const named = (key: string) => readString(sent, key) ?? readString(body, key);
  const state: TranscriptReaderState = {
    ...sent,
    cwd: named("cwd"),
    session: named("session"),
    turn: readString(sent, "turn"),
  };
  const [observations, origins, bad]: [Observation[], number[], Read["bad"]] = [[], [], []];
  const keep = (found: readonly object[], line: number) => {
    const { session } = state;
    const copyOf = readOrigins(state);
    if (found.length === 0 || session === undefined) return;
    for (const each of found) {
      const own = withoutUndefined<Partial<Observation>>(each);
      const copied = copyOf.length > 0 ? { copyOf } : undefined;
      observations.push({ source: transcript.source, isTranscript: true, ...copied, session, ...own });
      origins.push(line);
    }
    if (observations.length > MAX_OBSERVATIONS) throw tooMany();
  };
  for (const [at, text] of lines.entries()) {
    const line = lineOf(text);
    if (line === undefined) {
      bad.push({ line: at, reason: "is not a JSON object" });
      continue;
    }
    state.session = transcript.session(line, state) ?? state.session;
    keep(transcript.read(line, state, readTime(line)), at);
  }
  const isOver = body["end"] === true;
  const last = transcript.close ? transcript.close(state, isOver) : isOver ? endTurnWithHeldReply(state) : [];
  keep(last, Math.max(0, lines.length - 1));
  return { observations, origins, bad, state };
}

const tooMany = () =>
  new AppError("input", `The lines of one body may tell of ${MAX_OBSERVATIONS} events at most; send fewer at once`, {
    tag: "too_many_events",
    field: "lines",
    limit: MAX_OBSERVATIONS,
  });

function lineOf(text: unknown): Payload | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const line: unknown = JSON.parse(replaceImages(text));
    return isObject(line) && !isDeeper(line, MAX_BODY_LEVELS) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of transcripts, relative to the root of the ingestion API. */
export const transcriptEndpoints: ReadonlyMap<string, IngestEndpoint> = new Map(
  agents.flatMap(({ name, transcript }) =>
    transcript ? [[`transcripts/${name}`, transcriptEndpoint(transcript)]] : [],
  ),
);
