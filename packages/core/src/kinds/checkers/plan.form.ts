import type { RuleForm } from '../rule-words.ts'
import type { PlanCheckerDocument } from './plan.ts'

export const planForm: RuleForm<PlanCheckerDocument> = {
  label: 'Plan',
  sample: { id: 'plan', type: 'plan' },
  form: [
    {
      control: 'note',
      text: 'Every step of the plan must be done. Without a plan there is nothing to check.',
    },
  ],
}
