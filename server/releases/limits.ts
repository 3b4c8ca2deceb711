/** Most sessions of one release that its page counts. */
export const MOST_SESSIONS = 10_000

/** Sessions of each version that a verdict needs, unless the release names another number. */
export const USUAL_SESSIONS = 20
