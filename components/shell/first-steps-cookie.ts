// Set when Get started is skipped or completed in this browser. The server reads it, so that the page does not change after rendering.
export const FIRST_STEPS_COOKIE = 'sb_first_steps'
export const DISMISSED = 'dismissed'
