// Texts for the agent if the rule has none of its own. They are part of recorded decisions, so a change of the wording needs a new number
// of semantics.
export const DENIED_BY_POLICY = 'Denied by policy.'
export const TASKS_INCOMPLETE = 'Tasks are incomplete.'
