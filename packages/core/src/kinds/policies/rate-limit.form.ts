import { none, type PolicyForm } from './policy-rule.ts'
import type { RateLimitDocument } from './rate-limit.ts'

export const rateLimitForm: PolicyForm<RateLimitDocument> = {
  label: 'Rate limit',
  sample: { id: 'rate', type: 'rate_limit', tools: [], max_calls: 10, per_seconds: 60 },
  form: [
    { control: 'names', field: 'tools', label: 'Tools, counted together', isRequired: true },
    {
      control: 'row',
      fields: [
        { control: 'number', field: 'max_calls', label: 'Calls' },
        { control: 'number', field: 'per_seconds', label: 'in seconds' },
      ],
    },
  ],
  advice: none,
  blindSpots: none,
}
