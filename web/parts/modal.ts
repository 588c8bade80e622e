import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { place } from "../shell/router.ts";

/**
 * Shows a `<dialog>` over the page as long as it is rendered. Escape, a click beside it and the way to another page close
 * it.
 *
 * Its owner learns of the end at once, not by the event, which comes a task later. Whoever opened it again in between
 * would find it closed by the event of the one before.
 */
export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  // Before the next key is handled: a letter typed meanwhile would be lost, or act as a key of the page.
  useLayoutEffect(() => ref.current?.showModal(), []);
  const end = () => {
    // First, since the browser gives the focus back only to the page around a dialog that it closed itself.
    ref.current?.close();
    close();
  };
  const { entry } = place.value;
  const begun = useRef(entry);
  useEffect(() => void (entry !== begun.current && end()), [entry]);
  const dialog = {
    ref,
    onCancel: end,
    onClose: () => ref.current && close(),
    onClick: (event: MouseEvent) => event.target === ref.current && end(),
  };
  return { dialog, end };
}
