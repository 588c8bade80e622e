/** How far a session has come, by which its open events close. */
export interface Progress {
  /** The newest turn. */
  turn?: { id: string; at: number };
  /** The latest end of a turn, and of the session. */
  turnEnd?: number;
  end?: number;
  /** The latest turns that an end of the session named: they were interrupted, unless an end of their own arrives. */
  last?: { id: string; at: number }[];
  /** Turns in order of time, where events belong to a turn by their time alone. */
  turns?: { id: string; at: number }[];
  /** The latest turns that were told of in one of two ways. */
  loose?: LooseTurn[];
  /** The latest traces whose turns were learned. */
  traces?: readonly TraceTurn[];
}

/** A turn that is known by its id alone, or under its trace alone: what is known otherwise may be the same. */
export interface LooseTurn {
  id: string;
  at: number;
  by: "id" | "trace";
}

/** Which turn a trace belongs to, in the agent's spelling, and which events turned out to be that turn. */
export interface TraceTurn {
  id: string;
  turn: string;
  from: readonly string[];
}
