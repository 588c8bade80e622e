import { Dialog } from "../parts/dialog.tsx";
import { isHelpOpen } from "./help-state.ts";
import { areSingleKeyShortcutsEnabled, setSingleKeyShortcutsEnabled } from "./keys.ts";

const KEYS: [keys: string, does: string][] = [
  ["Ctrl K, ⌘ K", "search and commands"],
  ["G then N S F T U P I C", "go to the inbox, sessions, failures, tools, users, usage, issues, connect"],
  ["C", "create an issue"],
  ["J K ↓ ↑", "next, previous"],
  ["Enter", "open"],
  ["Space", "in the list of sessions: preview a session"],
  ["Esc", "close"],
  ["/, F", "find on the page"],
  ["X", "in the list of sessions and in the log of a session: show only failures"],
  ["L", "in the list of sessions: turn live updates on or off"],
  [".", "in the list of sessions: show new sessions"],
  ["D", "in the list of sessions: show what is new since yesterday"],
  ["[ ]", "in a session: previous, next session of the list"],
  ["N, Shift N", "in a session: next, previous failure"],
  ["← →", "in a session: collapse, go to the parent, expand"],
  ["+ − 0", "in a session: zoom in, zoom out, fit"],
  ["T", "in a session: timeline or transcript"],
  ["E", "in a session: expand all"],
  ["Y", "in a session: copy as Markdown"],
  ["B", "in a session: compare the session with another run"],
  ["C, I, B", "in failures: create an issue, ignore, compare with the previous period"],
  ["X, Shift X", "in issues: select an issue, extend the selection"],
  ["S P A L H", "in issues: set the state, priority, assignee, labels, delegate"],
  ["Z, Shift B", "in issues: undo, list or board"],
  ["E, M, R", "on the page of an issue: edit the title, write a comment, add a relation"],
  ["E, S, Z", "in the inbox: done, snooze, undo"],
  ["D, X, A", "in a comparison: first divergence, swap runs, show all rows"],
  ["1 2 3, M", "in usage: change the figure, change the grouping"],
];

/** List of all keyboard shortcuts, and the setting for single keys. */
const Help = () => (
  <Dialog title="Keyboard shortcuts" close={() => (isHelpOpen.value = false)}>
    <div class="help">
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys} class="contents">
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </div>
    <label class="row">
      <input
        type="checkbox"
        checked={areSingleKeyShortcutsEnabled.value}
        onChange={(event) => setSingleKeyShortcutsEnabled(event.currentTarget.checked)}
      />
      Single-key shortcuts
    </label>
  </Dialog>
);

export default Help;
