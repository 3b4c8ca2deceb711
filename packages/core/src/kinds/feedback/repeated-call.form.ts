import { DEFAULT_TIMES } from './provider.ts'
import type { ProviderForm } from './provider-rule.ts'
import type { RepeatedCallProviderDocument } from './repeated-call.ts'

export const repeatedCallForm: ProviderForm<RepeatedCallProviderDocument> = {
  label: 'Repeated call',
  sample: { id: 'circling', type: 'repeated_call', trigger: { every_n_calls: 3 } },
  form: [
    {
      control: 'number',
      field: 'times',
      label: 'Equal calls in a row',
      placeholder: DEFAULT_TIMES,
    },
  ],
  isTalkative: false,
  isNoisy: false,
  toolsNamed: () => [],
  advice: () => [],
}
