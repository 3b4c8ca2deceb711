import { pointerTo } from '../../model/json.ts'
import { DEFAULT_TIMES } from './provider.ts'
import type { ProviderForm } from './provider-rule.ts'
import type { RepeatedFailureProviderDocument } from './repeated-failure.ts'

export const repeatedFailureForm: ProviderForm<RepeatedFailureProviderDocument> = {
  label: 'Repeated failure',
  sample: { id: 'failing', type: 'repeated_failure', trigger: { every_n_calls: 3 } },
  form: [
    {
      control: 'row',
      fields: [
        {
          control: 'number',
          field: 'times',
          label: 'Failures in a row',
          placeholder: DEFAULT_TIMES,
        },
        { control: 'text', field: 'tool', label: 'Tool', placeholder: 'any' },
      ],
    },
  ],
  isTalkative: false,
  isNoisy: false,
  toolsNamed: ({ tool }, pointer) =>
    tool === undefined ? [] : [{ item: tool, pointer: pointerTo(pointer, 'tool') }],
  advice: () => [],
}
