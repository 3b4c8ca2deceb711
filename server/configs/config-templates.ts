// Texts from which a new config starts. Each can be published as it is, so a first release needs no edit; a test compiles all of them.
import type { JsonObject } from '@signalbox/core'

export type TemplateName = 'blank' | 'read_before_write' | 'plan_first'

const WORKSPACE_POLICY = {
  id: 'read-before-write',
  type: 'read_before_write',
  read_tools: ['read_file'],
  write_tools: ['write_file'],
}

const TEMPLATES = {
  blank: {},
  read_before_write: { policies: [WORKSPACE_POLICY] },
  plan_first: {
    policies: [WORKSPACE_POLICY],
    feedback_providers: [{ id: 'deadline', type: 'deadline', trigger: { every_n_calls: 10 } }],
    task_completion_checker: { id: 'plan', type: 'plan' },
    limits: { max_stop_blocks: 5 },
  },
} as const satisfies Record<TemplateName, JsonObject>

export const TEMPLATE_NAMES = [
  'blank',
  'read_before_write',
  'plan_first',
] as const satisfies readonly TemplateName[]

export function templateText(
  prompt: { readonly ns: string; readonly key: string },
  template: TemplateName,
): string {
  const document = { schema_version: 1, ns: prompt.ns, key: prompt.key, ...TEMPLATES[template] }
  return `${JSON.stringify(document, null, 2)}\n`
}
