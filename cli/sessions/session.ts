import { isUuid } from "../../formats/uuid.ts";
import { SESSION } from "../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { toOneLine } from "../output/print.ts";
import type { CommandContext } from "../work/caller.ts";

/** Fields of a recorded session in a response. */
export interface SessionNode {
  id: string;
  externalId: string | null;
  startedAt: string;
  source: string | null;
  clientConfig: string | null;
  state: string;
  stateSince: string;
  waitsFor: string | null;
  user: { id: string } | null;
  totals: {
    events: number;
    failures: number;
    inputTokens: number;
    outputTokens: number;
    cost: number | null;
    costSource: string;
    models?: string[];
  };
  brief: { agent: string | null; message: string | null; endedAt: string | null; open: boolean };
}

/** A single session with its changed files and its newest commits. The most recently changed file comes first. */
export interface SessionDetailNode extends SessionNode {
  files: { nodes: { path: string; added: number; removed: number; edits: number }[] };
  commits: { nodes: { id: string; message: string; branch: string | null; createdAt: string }[] };
}

/** Converts a recorded session to JSON. docs/cli.md describes the stable JSON format. */
export const toSessionRow = ({
  id,
  externalId,
  startedAt,
  source,
  clientConfig,
  user,
  totals,
  brief,
  ...now
}: SessionNode) => ({
  id,
  externalId,
  agent: brief.agent,
  source: source ?? clientConfig,
  user: user?.id ?? null,
  started: startedAt,
  ended: brief.endedAt,
  open: brief.open,
  state: now.state,
  stateSince: now.stateSince,
  waitsFor: now.waitsFor,
  events: totals.events,
  failures: totals.failures,
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cost: totals.cost,
  costSource: totals.costSource,
  ...(totals.models && { models: totals.models }),
  message: brief.message,
});

/** Returns a recorded session as one line. */
export function formatSession(node: SessionNode): string {
  const { id, agent, source, user, started, state, waitsFor, events, failures, cost, costSource, message } =
    toSessionRow(node);
  const parts = [
    `${id} ${started.slice(0, 19)}Z`,
    toOneLine(agent ?? source ?? "-", 40),
    user && `@${toOneLine(user, 40)}`,
    events === 1 ? "1 event" : `${events} events`,
    failures > 0 && `${failures} FAILED`,
    state !== "idle" && state !== "ended" && state,
    waitsFor && `asks "${toOneLine(waitsFor, 80)}"`,
    cost && `${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)}`,
    message && `"${toOneLine(message, 80)}"`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** Returns a single session as JSON, with files and commits. */
export const toSessionDetail = (node: SessionDetailNode) => ({
  ...toSessionRow(node),
  files: node.files.nodes,
  commits: node.commits.nodes.map(({ createdAt, ...commit }) => ({ ...commit, at: createdAt })),
});

/** Maximum number of files, and of commits, in text output. */
const SHOWN = 10;

/** Returns the files and commits of a session, one per line. */
export const formatSessionChanges = ({ files, commits }: SessionDetailNode): string[] => [
  ...files.nodes
    .slice(0, SHOWN)
    .map(({ path, added, removed }) => `  changed ${toOneLine(path, 120)} +${added} -${removed}`),
  ...commits.nodes
    .slice(0, SHOWN)
    .map(({ id, message }) => `  committed ${toOneLine(id, 40)} ${toOneLine(message, 80)}`),
];

/** Finds a session by its id, or by the id that the agent uses. */
export async function findSession({ ask }: CommandContext, text: string): Promise<SessionDetailNode> {
  const none = () =>
    new CommandFailure(`There is no session ${text}.`, {
      exit: EXIT_CODES.notFound,
      cure: "trackway sessions, to see ids",
    });
  const id = isUuid(text) ? text : await byExternalId({ ask } as CommandContext, text);
  if (!id) throw none();
  const asked = ask<{ recordedSession: SessionDetailNode }>(SESSION.get, { id });
  return (
    await asked.catch((error) => {
      throw error instanceof CommandFailure && error.exit === EXIT_CODES.notFound ? none() : error;
    })
  ).recordedSession;
}

async function byExternalId({ ask }: CommandContext, text: string): Promise<string | undefined> {
  const filter = { externalId: { eq: text } };
  const { recordedSessions } = await ask<{ recordedSessions: { nodes: SessionNode[] } }>(SESSION.list, {
    filter,
    first: 1,
  });
  return recordedSessions.nodes[0]?.id;
}
