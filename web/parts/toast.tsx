import { signal } from "@preact/signals";

/** Something that can be done about what was said. */
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
/** With something to do it stands longer. */
const SHOWN_MS = { words: 6_000, action: 12_000 };
let ids = 0;

/** Says for a moment what is not to be seen otherwise, and offers to do something about it. */
export function toast(words: string, action?: Action): void {
  ids += 1;
  const id = ids;
  shown.value = [...shown.value.slice(-2), { id, words, action }];
  setTimeout(() => hide(id), action ? SHOWN_MS.action : SHOWN_MS.words);
}

const hide = (id: number): void => {
  shown.value = shown.value.filter((one) => one.id !== id);
};

/** The place of toasts. */
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
