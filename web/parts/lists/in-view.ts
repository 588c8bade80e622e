import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Chosen {
  /** Element that scrolls the rows. */
  body: RefObject<HTMLElement | null>;
  /** Id of the chosen row; undefined for none. */
  id: string | undefined;
  /** Index of the chosen row; -1 if the list does not contain the row. */
  at: number;
}

/**
 * Keeps the chosen row in view: when the row is chosen, when its position changes, and when the surrounding element
 * changes its size. Does not scroll back after the user has scrolled away from the row. The styles declare covered
 * areas with scroll-padding and scroll-margin.
 */
export function useKeepInView({ body, id, at }: Chosen): void {
  const inView = useRef(true);
  const last = useRef<string | undefined>(undefined);
  const row = () => body.current?.querySelector<HTMLElement>('[aria-selected="true"]');
  const show = () => row()?.scrollIntoView({ block: "nearest" });
  useLayoutEffect(() => {
    if (id !== last.current) inView.current = true;
    last.current = id;
    if (inView.current) show();
  }, [id, at]);
  useEffect(() => {
    const [element, box] = [row(), body.current?.closest(".tree, .scroll, .main")];
    if (!element || !box) return;
    const seen = new IntersectionObserver(([entry]) => {
      inView.current = entry?.isIntersecting ?? false;
    });
    const onResize = () => inView.current && show();
    const resized = new ResizeObserver(onResize);
    seen.observe(element);
    resized.observe(box);
    // A sticky part may grow without a change of the scrolling element's size.
    addEventListener("resize", onResize);
    return () => {
      seen.disconnect();
      resized.disconnect();
      removeEventListener("resize", onResize);
    };
  }, [id, at >= 0]);
}
