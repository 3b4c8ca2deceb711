import type { ApprovalDocument } from './approval.ts'
import { none, type PolicyForm } from './policy-rule.ts'

export const approvalForm: PolicyForm<ApprovalDocument> = {
  label: 'Approval',
  sample: { id: 'approval', type: 'approval', tools: [], timeout_seconds: 300 },
  form: [
    { control: 'names', field: 'tools', label: 'Tools', isRequired: true },
    {
      control: 'number',
      field: 'timeout_seconds',
      label: 'Timeout in seconds',
      hint: 'A reviewer decides each call that every other rule allows.',
    },
  ],
  advice: none,
  blindSpots: none,
}
