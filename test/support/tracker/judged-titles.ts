/** Issue for judged searches, about a fault of a thing. */
export interface JudgedIssue {
  title: string;
  description?: string;
  thing: string;
  fault: string;
  closed: boolean;
  urgent: boolean;
}

/** Things as users write them: singular, plural. */
const THINGS: Readonly<Record<string, readonly [string, string]>> = {
  login: ["login page", "logins"],
  password: ["password reset", "password resets"],
  invoice: ["invoice export", "exported invoices"],
  search: ["search box", "search results"],
  upload: ["file upload", "uploaded files"],
  avatar: ["avatar picture", "avatars"],
  calendar: ["calendar view", "calendars"],
  webhook: ["webhook delivery", "webhooks"],
  notification: ["notification mail", "notifications"],
  dashboard: ["dashboard chart", "dashboards"],
  permission: ["permission check", "permissions"],
  backup: ["nightly backup", "backups"],
  payment: ["card payment", "payments"],
  currency: ["currency conversion", "currencies"],
  address: ["delivery address", "addresses"],
  cache: ["image cache", "caches"],
  migration: ["database migration", "migrations"],
  retry: ["retry queue", "retries"],
  comment: ["comment editor", "comments"],
  keyboard: ["keyboard shortcut", "keyboard shortcuts"],
  timezone: ["timezone setting", "timezones"],
  sidebar: ["sidebar menu", "sidebars"],
  report: ["weekly report", "reports"],
  subscription: ["subscription renewal", "subscriptions"],
  attachment: ["mail attachment", "attachments"],
  session: ["browser session", "sessions"],
  token: ["access token", "tokens"],
  category: ["product category", "categories"],
  translation: ["French translation", "translations"],
  printer: ["label printer", "printers"],
};

/** Faults as a sentence, as a sentence about several things, and as a noun; `#` stands for the thing. */
const FAULTS: Readonly<Record<string, readonly [string, string, string]>> = {
  fails: ["# fails with an error", "# failed again", "Failure of the #"],
  crashes: ["# crashes the app", "# crashing on start", "Crash in the #"],
  slow: ["# is slow", "# are loading slowly", "Slow loading of the #"],
  blank: ["# shows a blank screen", "# stay blank", "Blank screen after the #"],
  timeout: ["# runs into a timeout", "# timing out", "Timeout of the #"],
  duplicate: ["# duplicates entries", "# are duplicated", "Duplicate entries from the #"],
  missing: ["# is missing for guests", "# are missing", "Missing # for guests"],
  wrong: ["# shows wrong numbers", "# with wrong totals", "Wrong numbers in the #"],
  freezes: ["# freezes the tab", "# freezing in Firefox", "Tab freezes in the #"],
  overlap: ["# overlaps the footer", "# overlapping on phones", "Overlap of the # and the footer"],
  encrypt: ["# is not encrypted", "# stored without encryption", "Encrypt the #"],
  document: ["# lacks documentation", "# are undocumented", "Document the #"],
  rename: ["# cannot be renamed", "# renamed by accident", "Rename the #"],
  sort: ["# is sorted backwards", "# sorting by the wrong column", "Sort order of the #"],
  delete: ["# cannot be deleted", "# deleted by accident", "Delete button for the #"],
};

const PLACES = ["", " on mobile", " in Safari", "", " after the upgrade", " for admins", ""];
/** Descriptions of some issues, by thing, with words that no title contains. */
const NOTES: Readonly<Record<string, string>> = {
  cache: "The proxy keeps stale thumbnails for a week.",
  payment: "The bank answers with a chargeback.",
  printer: "The driver logs a paper jam.",
  token: "The scope says read only.",
  report: "Accounting compares the quarterly figures.",
};

/** Builds the issues from the oldest to the newest, equal each time. */
export function createJudgedIssues(): JudgedIssue[] {
  const all: JudgedIssue[] = [];
  for (const [thing, [one, several]] of Object.entries(THINGS))
    for (const [fault, [sentence, ofSeveral, noun]] of Object.entries(FAULTS))
      for (const form of [0, 1, 2]) {
        const n = all.length;
        const title = [sentence, ofSeveral, noun][form] ?? "";
        const named = title.replace("#", form === 1 ? several : one) + PLACES[n % PLACES.length];
        const note = NOTES[thing];
        all.push({
          title: `${named.charAt(0).toUpperCase()}${named.slice(1)}`,
          ...(note && n % 4 === 0 && { description: note }),
          thing,
          fault,
          closed: (n * 31) % 7 < 2,
          urgent: (n * 17) % 11 < 3,
        });
      }
  // A fixed shuffle, so that the newest issues are not all about one thing.
  return all
    .map((each, n) => ({ each, key: (n * 7919) % 1351 }))
    .sort((a, b) => a.key - b.key)
    .map(({ each }) => each);
}
