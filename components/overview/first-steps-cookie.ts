// Remembers in this browser that the first steps were dismissed; the server reads it, so that the page does not change after it is drawn.
export const FIRST_STEPS_COOKIE = 'sb_first_steps'
export const DISMISSED = 'dismissed'
