import type { RuleForm } from '../rule-words.ts'
import type { ToolSucceededCheckerDocument } from './tool-succeeded.ts'

export const toolSucceededForm: RuleForm<ToolSucceededCheckerDocument> = {
  label: 'Tool succeeded',
  sample: { id: 'tests', type: 'tool_succeeded', tool: 'run_tests' },
  form: [
    { control: 'text', field: 'tool', label: 'Tool', isRequired: true },
    {
      control: 'names',
      field: 'after',
      label: 'Newer than the last success of',
      hint: 'Leave empty if any earlier success counts',
    },
  ],
}
