/** The number of lines that came, and of those that went. */
export const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <code class="counts">
    <span class="c-ok">+{added}</span> <span class="c-fail">−{removed}</span>
  </code>
);
