/** Nothing moves once nobody has scrolled for so long. */
const REST_MS = 400;

/** Follows how something is scrolled, and says when that changes, also when it has come to rest. */
export function createScrolled(changed: () => void) {
  let followed: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ofWindow = () => followed === document.documentElement;
  const rest = () => {
    self.moves = false;
    changed();
  };
  // Nothing else is read of the page here: after a change the browser would lay it out for that.
  const onScroll = () => {
    self.top = followed?.scrollTop ?? 0;
    self.moves = true;
    clearTimeout(timer);
    timer = setTimeout(rest, REST_MS);
    changed();
  };
  const onSize = () => {
    const before = self.height;
    self.height = (ofWindow() ? innerHeight : followed?.clientHeight) ?? 0;
    if (self.height !== before) changed();
  };
  const resized = new ResizeObserver(onSize);
  const stop = () => {
    clearTimeout(timer);
    resized.disconnect();
    removeEventListener("resize", onSize);
    (ofWindow() ? window : followed)?.removeEventListener("scroll", onScroll);
    followed = null;
    self.moves = false;
  };
  const self = {
    /** Px that it is scrolled by. */
    top: 0,
    /** Px of it that are seen; zero before they are known. */
    height: 0,
    /** True while somebody scrolls. */
    moves: false,
    /** Follows an element from now on: the root of the document stands for the window. */
    follow: (element: HTMLElement | null) => {
      if (element === followed) return;
      stop();
      followed = element;
      if (!element) return;
      (ofWindow() ? window : element).addEventListener("scroll", onScroll, { passive: true });
      if (ofWindow()) addEventListener("resize", onSize);
      else resized.observe(element);
      self.top = element.scrollTop;
      onSize();
    },
    stop,
  };
  return self;
}
