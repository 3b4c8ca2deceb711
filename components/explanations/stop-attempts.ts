// Definition of the figure "stops" for every page that shows one (specs/analytics.md).
export const STOP_ATTEMPTS =
  'In a stop attempt, the agent tries to finish during the run. The final verification at the end of a session is counted separately.'
