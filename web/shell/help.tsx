import { Dialog } from "../parts/dialog.tsx";
import { helpOpen } from "./help-state.ts";
import { setSingleKeys, singleKeys } from "./keys.ts";

const KEYS: [keys: string, does: string][] = [
  ["Ctrl K, ⌘ K", "search and commands"],
  ["G then N S F T U P I C", "go to the inbox, sessions, failures, tools, users, usage, issues, connect"],
  ["C", "a new issue; on an issue, a comment"],
  ["J K ↓ ↑", "next, previous"],
  ["Enter", "open"],
  ["Space", "in the list of sessions: a glance at one"],
  ["Esc", "close"],
  ["/, F", "find on the page"],
  ["X", "only failures"],
  ["L", "in the list of sessions: new ones arrive by themselves, or wait"],
  [".", "show what is new"],
  ["N, Shift N", "in a session: next, previous failure"],
  ["← →", "in a session: fold, to the parent, unfold"],
  ["+ − 0", "in a session: zoom, fit"],
  ["T", "in a session: timeline or transcript"],
  ["E", "in a session: unfold all"],
  ["Y", "in a session: copy as Markdown"],
  ["B", "in a session: compare it with another run"],
  ["I", "in failures: ignore"],
  ["E, S, Z", "in the inbox: done, snooze, take back"],
  ["D, X", "in a comparison: first divergence, swap"],
  ["1 2 3, M", "in usage: another figure, another value"],
];

/** All keys, and the switch for single ones. */
const Help = () => (
  <Dialog title="Keys" close={() => (helpOpen.value = false)}>
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
        checked={singleKeys.value}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
      Single-key shortcuts
    </label>
  </Dialog>
);

export default Help;
