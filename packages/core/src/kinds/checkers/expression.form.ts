import type { RuleForm } from '../rule-words.ts'
import type { ExpressionCheckerDocument } from './expression.ts'

export const expressionCheckerForm: RuleForm<ExpressionCheckerDocument> = {
  label: 'Expression',
  sample: { id: 'condition', type: 'expression', require: 'session.calls > 0' },
  form: [
    {
      control: 'text',
      field: 'require',
      label: 'Must be true',
      isLong: true,
      isRequired: true,
      hint: 'CEL over calls, session and stop.',
    },
    {
      control: 'text',
      field: 'feedback',
      label: 'Feedback to the agent if false',
      placeholder: 'Tasks are incomplete.',
    },
  ],
}
