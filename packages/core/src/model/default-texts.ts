// Texts for the agent if a rule has none. They are part of recorded decisions, so changing one needs a new number of semantics.
export const DENIED_BY_POLICY = 'Denied by policy.'
export const TASKS_INCOMPLETE = 'Tasks are incomplete.'
