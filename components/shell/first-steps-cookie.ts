// Set when Get started is skipped or completed in this browser. The server reads it, so that the page does not change after rendering.

export const DISMISSED = 'dismissed'

/** Each project has its own first steps. `slug`: of the project. */
export function nameFirstStepsCookie(slug: string): string {
  return `sb_first_steps_${slug}`
}
