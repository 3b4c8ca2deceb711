import { isJsonObject, type PlanStep } from '@signalbox/core'
import type { HarnessProfile } from '../harness/index.ts'

export const PROFILE: HarnessProfile = {
  name: 'scripted',
  version: '1.0.0',
  capabilities: {
    denyReason: true,
    inject: 'message',
    blockStop: 'in_loop',
    maxBlocks: 2,
    structured: 'final_message',
    structuredAttempts: 3,
    failure: 'event',
    callIds: true,
    batch: 'parallel',
    onGuardCrash: 'closed',
    onGuardTimeout: 'closed',
    approvalSeconds: null,
    replacesArguments: true,
    replacesResults: true,
    ungoverned: ['nothing'],
  },
  tools: {
    Bash: { name: 'shell' },
    Read: { name: 'read_file' },
    Write: { name: 'write_file' },
    Patch: {
      name: 'write_file',
      parts: ({ files }) =>
        Array.isArray(files)
          ? files.map((file) => ({ name: 'write_file', args: { file_path: String(file) } }))
          : [],
    },
    Todo: {
      name: 'update_plan',
      plan: ({ steps }) => (Array.isArray(steps) ? steps.map(toHarnessStep) : null),
    },
    AddStep: {
      name: 'update_plan',
      plan: ({ title }, { plan }) => [...plan, { title: String(title) }],
    },
  },
}

function toHarnessStep(step: unknown): PlanStep {
  const { title = '', status = '' } = isJsonObject(step) ? step : {}
  return { title: String(title), status: String(status) }
}
