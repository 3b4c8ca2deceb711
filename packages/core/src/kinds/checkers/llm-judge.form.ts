import type { RuleForm } from '../rule-words.ts'
import type { LlmJudgeCheckerDocument } from './llm-judge.ts'

export const llmJudgeForm: RuleForm<LlmJudgeCheckerDocument> = {
  label: 'Judge',
  sample: {
    id: 'judge',
    type: 'llm_judge',
    criteria: 'Every requested change is made and tested.',
  },
  form: [
    { control: 'text', field: 'criteria', label: 'Criteria', isLong: true, isRequired: true },
    {
      control: 'toggle',
      field: 'require_adapter',
      label: 'Block while no model can be asked',
      absent: true,
    },
  ],
}
