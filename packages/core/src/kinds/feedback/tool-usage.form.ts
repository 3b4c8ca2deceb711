import type { ProviderForm } from './provider-rule.ts'
import { DEFAULT_MAX_CALLS, type ToolUsageProviderDocument } from './tool-usage.ts'

export const toolUsageForm: ProviderForm<ToolUsageProviderDocument> = {
  label: 'Tool usage',
  sample: { id: 'tool-usage', type: 'tool_usage', trigger: { every_n_calls: 20 } },
  form: [
    {
      control: 'number',
      field: 'max_calls_without_progress',
      label: 'Caution above (calls)',
      placeholder: DEFAULT_MAX_CALLS,
    },
  ],
  isTalkative: true,
  isNoisy: true,
  toolsNamed: () => [],
  advice: () => [],
}
