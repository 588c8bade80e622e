/** The thing that a notice is about, by ids, names and numbers. Texts are looked up when it is sent. */
export interface Subject {
  sessionId?: string;
  eventId?: string | null;
  issueId?: string;
  failureGroupId?: string;
  tool?: string;
  /** A day in UTC, as YYYY-MM-DD. */
  day?: string;
  /** Dollars. */
  cost?: number;
  calls?: number;
  failures?: number;
  /** The state of an issue by its name. */
  state?: string;
}

/** A notice as a delivery holds it. */
export interface NoticeEntry {
  /** Name of the event, such as session.waitingForPermission. */
  event: string;
  state: "firing" | "resolved";
  /** The value by which a change is seen, such as the state of a session. */
  value: string;
  since: string;
  subject: Subject;
}

/** The content of a delivery that tells of notices: the first of them, and how many more there were. */
export interface Notices {
  notices: NoticeEntry[];
  more: number;
}
