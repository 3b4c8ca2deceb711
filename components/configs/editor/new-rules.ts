// The smallest rule of each type that is worth having: what the form's buttons and the completion of the JSON editor add.
// Ids are wishes; the caller makes them free.

export const NEW_POLICIES = {
  sequential_dependency: { id: 'order', type: 'sequential_dependency', dependencies: {} },
  read_before_write: {
    id: 'read-before-write',
    type: 'read_before_write',
    read_tools: ['read_file'],
    write_tools: ['write_file'],
  },
  // Without a condition it cannot be published: any example would deny calls that nobody chose.
  expression: { id: 'condition', type: 'expression', deny_when: '' },
  rate_limit: { id: 'rate', type: 'rate_limit', tools: [], max_calls: 10, per_seconds: 60 },
  approval: { id: 'approval', type: 'approval', tools: [], timeout_seconds: 300 },
} as const

export const NEW_PROVIDERS = {
  deadline: { id: 'deadline', type: 'deadline', trigger: { every_n_calls: 10 } },
  static: {
    id: 'static',
    type: 'static',
    trigger: { every_n_calls: 10 },
    feedback: 'Enter what the agent should remember.',
  },
  tool_usage: { id: 'tool-usage', type: 'tool_usage', trigger: { every_n_calls: 20 } },
  repeated_failure: { id: 'failing', type: 'repeated_failure', trigger: { every_n_calls: 3 } },
  repeated_call: { id: 'circling', type: 'repeated_call', trigger: { every_n_calls: 3 } },
} as const

export const NEW_CHECKERS = {
  plan: { id: 'plan', type: 'plan' },
  files_exist: { id: 'files', type: 'files_exist', files: ['RESULT.md'] },
  tool_succeeded: { id: 'tests', type: 'tool_succeeded', tool: 'run_tests' },
  llm_judge: {
    id: 'judge',
    type: 'llm_judge',
    criteria: 'Every requested change is made and tested.',
  },
  expression: { id: 'condition', type: 'expression', require: 'session.calls > 0' },
  composite: { id: 'all', type: 'composite', checkers: [] },
} as const
