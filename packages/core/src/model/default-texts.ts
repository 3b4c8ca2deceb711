// Texts for the agent where no rule gives its own. They are part of recorded decisions: another wording is another semantics.
export const DENIED_BY_POLICY = 'Denied by policy.'
export const TASKS_INCOMPLETE = 'Tasks are incomplete.'
