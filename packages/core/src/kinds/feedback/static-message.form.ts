import type { ProviderForm } from './provider-rule.ts'
import type { StaticProviderDocument } from './static-message.ts'

export const staticForm: ProviderForm<StaticProviderDocument> = {
  label: 'Static',
  sample: {
    id: 'static',
    type: 'static',
    trigger: { every_n_calls: 10 },
    feedback: 'Enter what the agent should remember.',
  },
  form: [{ control: 'text', field: 'feedback', label: 'Feedback', isLong: true, isRequired: true }],
  isTalkative: true,
  isNoisy: true,
  toolsNamed: () => [],
  advice: () => [],
}
