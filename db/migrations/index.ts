import { accounts } from "./0001-accounts.ts";
import { tracker } from "./0002-tracker.ts";
import { ingest } from "./0003-ingest.ts";
import { stream } from "./0004-stream.ts";
import { trackerMore } from "./0005-tracker-more.ts";
import { budget } from "./0006-budget.ts";
import { resolvingComment } from "./0007-resolving-comment.ts";
import { observations } from "./0008-observations.ts";
import { oauth } from "./0010-oauth.ts";
import { trashedTeams } from "./0012-trashed-teams.ts";
import { welcome } from "./0014-welcome.ts";
import { work } from "./0016-work.ts";
import { toolCounts } from "./0017-tool-counts.ts";
import { failureGroups } from "./0018-failure-groups.ts";
import { linkedSessions } from "./0019-linked-sessions.ts";
import { imports } from "./0020-import.ts";
import { webLists } from "./0022-web-lists.ts";
import { reads } from "./0023-reads.ts";
import { texts } from "./0024-texts.ts";
import { lean } from "./0025-lean.ts";
import { deliveryKey } from "./0027-delivery-key.ts";
import { leaseSigns } from "./0028-lease-signs.ts";
import { issueCounts } from "./0029-issue-counts.ts";
import { updates } from "./0030-updates.ts";
import { keysByAge } from "./0033-keys-by-age.ts";
import { unreadSessions } from "./0040-unread-sessions.ts";
import { lateEvents } from "./0041-late-events.ts";
import { upkeepPositions } from "./0042-upkeep-positions.ts";
import { failuresByTime } from "./0043-failures-by-time.ts";
import { movedLeases } from "./0044-moved-leases.ts";
import { deletedOrganizations } from "./0045-deleted-organizations.ts";
import { failureMessages } from "./0047-failure-messages.ts";
import { checks } from "./0048-checks.ts";
import { milestones } from "./0049-milestones.ts";

/** A statement, or one that runs until it answers no row: what takes long is done in pieces. */
export type MigrationStep = string | { untilNone: string };

/** One step of the schema: statements run one a call, each safe to run again. */
export interface Migration {
  id: string;
  statements: readonly MigrationStep[];
}

/** Every migration, oldest first. Append only. */
export const migrations: readonly Migration[] = [
  accounts,
  tracker,
  ingest,
  stream,
  trackerMore,
  budget,
  resolvingComment,
  observations,
  oauth,
  trashedTeams,
  welcome,
  work,
  toolCounts,
  failureGroups,
  linkedSessions,
  imports,
  webLists,
  reads,
  texts,
  lean,
  deliveryKey,
  leaseSigns,
  issueCounts,
  updates,
  keysByAge,
  unreadSessions,
  lateEvents,
  upkeepPositions,
  failuresByTime,
  movedLeases,
  deletedOrganizations,
  failureMessages,
  checks,
  milestones,
];
