import { signal } from "@preact/signals";

const shown = signal<{ id: number; words: string }[]>([]);
const SHOWN_MS = 6_000;
let ids = 0;

/** Says for a moment what is not to be seen otherwise. */
export function toast(words: string): void {
  ids += 1;
  const id = ids;
  shown.value = [...shown.value.slice(-2), { id, words }];
  setTimeout(() => {
    shown.value = shown.value.filter((one) => one.id !== id);
  }, SHOWN_MS);
}

/** The place of toasts. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {shown.value.map(({ id, words }) => (
      <div key={id} class="toast">
        {words}
      </div>
    ))}
  </div>
);
