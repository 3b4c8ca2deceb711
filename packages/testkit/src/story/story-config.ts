import type { ConfigDocument } from '@signalbox/core'

export const STORY_CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'story',
  key: 'coder',
  description: 'A coding agent that works on an invoice service for hours.',
  policies: [
    {
      id: 'read-before-write',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
    {
      id: 'tests-before-deploy',
      type: 'sequential_dependency',
      dependencies: { deploy: ['run_tests', 'build'] },
    },
    {
      id: 'no-force-push',
      type: 'expression',
      tools: ['bash'],
      deny_when: "args.command.contains('push --force')",
      reason: 'History on the server is never rewritten.',
    },
    { id: 'deploys', type: 'rate_limit', tools: ['deploy'], max_calls: 2, per_seconds: 3600 },
  ],
  feedback_providers: [
    { id: 'deadline', type: 'deadline', trigger: { every_n_seconds: 900 } },
    { id: 'failing', type: 'repeated_failure', trigger: { every_n_calls: 1 }, times: 2 },
    {
      id: 'progress',
      type: 'tool_usage',
      trigger: { every_n_calls: 40 },
      max_calls_without_progress: 30,
    },
    {
      id: 'changelog',
      type: 'static',
      trigger: { every_n_calls: 250 },
      feedback: 'Say in CHANGELOG.md what changed for the users of the service.',
    },
  ],
  task_completion_checker: {
    id: 'done',
    type: 'composite',
    checkers: [
      { id: 'changelog-written', type: 'files_exist', files: ['CHANGELOG.md'] },
      { id: 'plan', type: 'plan' },
      { id: 'tested', type: 'tool_succeeded', tool: 'run_tests', after: ['write_file'] },
      { id: 'built', type: 'tool_succeeded', tool: 'build', after: ['write_file'] },
      {
        id: 'summary',
        type: 'expression',
        require: "has(stop.output) && string(stop.output) != ''",
        feedback: 'Say in one sentence what was done.',
      },
    ],
  },
  limits: { max_stop_blocks: 1000 },
}
