// When a session that did not say goodbye counts as lost: one rule for lists, figures and attention items.

/** Without an event for this long, a session that has not ended is lost rather than running. Milliseconds. */
export const LOST_AFTER_MS = 15 * 60_000
