import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { appLocation } from "../shell/router.ts";

/**
 * Shows a modal `<dialog>` while the calling component is mounted. Escape, a click outside and a navigation close the
 * dialog.
 *
 * Calls `close` immediately and does not wait for the dialog's `close` event. The event arrives one task later and
 * would close a dialog that was opened again in the meantime.
 */
export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  // Opens the dialog before the next key press. Otherwise the page would handle or lose the key.
  useLayoutEffect(() => ref.current?.showModal(), []);
  const end = () => {
    // Closes the dialog before the component unmounts. The browser restores the focus only if the dialog is closed,
    // not if the element is removed.
    ref.current?.close();
    close();
  };
  const { entry } = appLocation.value;
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
