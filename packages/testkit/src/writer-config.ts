import type { ConfigDocument } from '@signalbox/core'

/** `deploy` requires `test`; files must be read before they are written; the plan must be done. */
export const RULES: ConfigDocument = {
  schema_version: 1,
  ns: 'team/bots',
  key: 'writer',
  aliases: { Write: 'write_file' },
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
    {
      id: 'read-first',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 2 }, feedback: 'Keep it <short>.' },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
  limits: { max_stop_blocks: 3 },
  redaction: [{ id: 'customers', keys: ['customer'], literals: ['ACME'] }],
}

export const STRICTER: ConfigDocument = {
  ...RULES,
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test', 'review'] } },
  ],
}

export const PROMPT = 'team/bots/writer'
