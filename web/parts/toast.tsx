import { signal } from "@preact/signals";

/** Action that a notification offers. */
interface Action {
  name: string;
  act: () => void;
}

interface Said {
  id: number;
  words: string;
  action?: Action | undefined;
}

const shown = signal<Said[]>([]);
/** Milliseconds for which a notification is visible. A notification with an action is visible longer. */
const SHOWN_MS = { words: 6_000, action: 12_000 };
let ids = 0;

/** Shows a notification for some seconds, with an optional action. */
export function showToast(words: string, action?: Action): void {
  ids += 1;
  const id = ids;
  shown.value = [...shown.value.slice(-2), { id, words, action }];
  setTimeout(() => hide(id), action ? SHOWN_MS.action : SHOWN_MS.words);
}

const hide = (id: number): void => {
  shown.value = shown.value.filter((one) => one.id !== id);
};

/** Container of the notifications. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {shown.value.map(({ id, words, action }) => (
      <div key={id} class="toast">
        {words}
        {action && (
          <button
            class="btn"
            type="button"
            onClick={() => {
              hide(id);
              action.act();
            }}
          >
            {action.name}
          </button>
        )}
      </div>
    ))}
  </div>
);
